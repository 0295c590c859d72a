import { UsageError, unknownName } from '../validation/usage-error.ts'
import { isCollectionOf } from './first-records/start-of.ts'
import type { Resource } from './resource.ts'

/** The name of a resource in lists: of one with parents, its path, such as `orgs/{org}/repos`. */
export function resourceLabel({ name, path, parents }: Resource): string {
  return parents ? path.slice(1) : name
}

/** Throws a UsageError for the name of an unknown collection, and for a name without the ids of the collection's parents. */
export function checkCollection(name: string, resources: readonly Resource[]): void {
  const found = resources.find((one) => isCollectionOf(one, name))
  const lacksIds = found?.parents && (found.name === name || resourceLabel(found) === name)
  if (found && !lacksIds) return
  throw new UsageError({
    code: 'unknown_collection',
    task: 'open the collection',
    ...(found
      ? {
          reason: `"${name}" has a collection for each of its parents`,
          help: `Use the path of one, such as "${found.path.replace(/\{[^{}]+\}/g, '1')}".`,
        }
      : unknownName('collection', name, resources.map(resourceLabel))),
  })
}

import { HIDDEN_ID, type OperationHints, type ResourceHints } from '../contract/resource-hints.ts'
import type { GivenHints, GivenResourceHints } from './given-hints.ts'

/** The resources of a document with the hints of its paths. */
export interface CorrectedResources {
  readonly resources: readonly ResourceHints[]
  /** The name of each inferred resource that is left, by the name that was inferred. */
  readonly names: ReadonlyMap<string, string>
}

/** Corrects the resources that were inferred, and adds those that hints name. */
export function correctResources(
  inferred: readonly ResourceHints[],
  paths: GivenHints['paths'],
): CorrectedResources {
  const given = [...paths].map(([path, hints]) => {
    return { path, hints, target: targetOf(path, hints, inferred) }
  })
  const left = inferred.flatMap((resource) => {
    const own = given.flatMap(({ hints, target }) => (target === resource ? [hints] : []))
    const isRemoved = own.some((hints) => hints.resource === false)
    return isRemoved ? [] : [[resource.name, own.reduce(correctResource, resource)] as const]
  })
  const added = new Map<string, ResourceHints>()
  for (const { path, hints, target } of given) {
    const { collection = path } = hints
    if (!hints.resource || target) continue
    const before = added.get(collection) ?? newResource(path, collection)
    added.set(collection, correctResource(before, hints))
  }
  return {
    resources: [...left.map(([, resource]) => resource), ...added.values()],
    names: new Map(left.map(([origin, { name }]) => [origin, name])),
  }
}

/** The inferred resource that the hints of a path are about: that of a collection before that of a record. */
function targetOf(
  path: string,
  { collection = path }: GivenResourceHints,
  inferred: readonly ResourceHints[],
): ResourceHints | undefined {
  return (
    inferred.find((one) => one.path === collection) ??
    inferred.find((one) => one.path === path) ??
    inferred.find((one) => one.item === path)
  )
}

function newResource(path: string, collection: string): ResourceHints {
  const item = path === collection ? {} : { item: path }
  return { name: collection.slice(1), path: collection, id: 'id', ...item }
}

function correctResource(resource: ResourceHints, hints: GivenResourceHints): ResourceHints {
  const { resource: name, collection, item, id, ids, view, hiddenIds, single } = hints
  const { name: _name, path: _path, id: _id, ...optional } = resource
  // A property that hints name is no hidden one, unless they say so.
  const hasHiddenIds = hiddenIds ?? (id === undefined ? undefined : false)
  const corrections = { item, ids: ids === 'server' ? false : ids, view }

  return {
    name: name || resource.name,
    path: collection ?? resource.path,
    id: id ?? (hiddenIds ? HIDDEN_ID : resource.id),
    ...correctFields(optional, { ...corrections, hasHiddenIds, isSingle: single }),
  }
}

/** Fields with their corrections. `undefined` leaves a field as it is, and `false` removes it. */
export function correctFields(
  fields: object,
  corrections: object,
): Partial<ResourceHints & OperationHints> {
  const given = Object.entries(corrections).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...fields, ...Object.fromEntries(given) })

  return Object.fromEntries(all.filter(([, value]) => value !== false))
}

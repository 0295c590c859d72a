import type { Schema } from '../contract/contract.ts'
import { decodeComponent, parseText } from '../contract/parse-text.ts'
import { encodeLiteral } from '../contract/path-pattern.ts'
import { normalizeName } from '../generate/words.ts'
import { encodePart } from '../http/paths.ts'
import { getOwn, once } from '../validation/objects.ts'
import { type Suggestion, suggest, UsageError, unknownName } from '../validation/usage-error.ts'
import { singular } from './reference-names.ts'
import type { Resource } from './resource.ts'
import { isCollectionOf, type NamedCollection } from './start-of.ts'

/** The values of path parameters by name. */
export type PathValues = Readonly<Record<string, unknown>>

/** One collection of a resource: each combination of parents has its own. */
export interface CollectionAddress {
  readonly resource: Resource
  /** The name of the resource; of one with parents, the path of the collection, such as `orgs/acme/repos`. */
  readonly name: string
  /** The ids of the parents, by the names of the path parameters. */
  readonly parameters: PathValues
}

const PARAMETER = /\{([^{}/]+)\}/

/** Whether a resource has one collection for each combination of parents. */
export function hasParents({ path }: Pick<Resource, 'path'>): boolean {
  return PARAMETER.test(path)
}

/** The name of a collection: that of its resource, or its concrete path without the first slash. */
export function collectionName(resource: Resource, parameters: PathValues): string {
  if (!hasParents(resource)) return resource.name
  const [first = '', ...rest] = resource.path.slice(1).split(PARAMETER)
  // The parts are, by turns, literal text and the names of parameters.
  return rest.reduce(
    (name, part, at) =>
      name + (at % 2 === 0 ? encodePart(String(parameters[part])) : encodeLiteral(part)),
    encodeLiteral(first),
  )
}

/** The values of the parameters above a collection, which are those of a record of another one below the same parents. */
export function sharedParents(
  { parents: wanted = [] }: Pick<Resource, 'parents'>,
  { parents = [] }: Pick<Resource, 'parents'>,
  parameters: PathValues,
): PathValues {
  return Object.fromEntries(
    wanted.map((name, at) => [name, getOwn(parameters, parents[at] ?? name)]),
  )
}

/** The path of a collection without the first slash. */
export function collectionPath({
  resource,
  name,
}: Pick<CollectionAddress, 'resource' | 'name'>): string {
  return hasParents(resource) ? name : resource.path.slice(1)
}

/**
 * The collection with a name, a path or the name of its schema, such as `books`, `/books`, `Book` or `/orgs/acme/repos`; `undefined` when
 * there is none. The ids in a path may be percent-encoded.
 */
export function findCollection(
  resources: readonly Resource[],
  text: string,
): CollectionAddress | undefined {
  const named = topNamed(resources).get(text) ?? ofSchema(resources, text)
  if (named && !hasParents(named)) return { resource: named, name: named.name, parameters: {} }
  const segments = text.replace(/^\//, '').split('/').map(decodeComponent)
  for (const resource of resources) {
    const parameters = readPath(resource, segments)
    if (parameters) return { resource, name: collectionName(resource, parameters), parameters }
  }
  return undefined
}

/**
 * The resource whose records have the schema of this name: the one that is called like it, else the only one at the top. `Customer` is that of
 * `/customers`, too, where one record has another schema, such as `CustomerDetail`.
 */
export function ofSchema<Named extends NamedCollection>(
  resources: readonly Named[],
  text: string,
): Named | undefined {
  const isLike = ({ path }: Named): boolean =>
    singular(path.slice(path.lastIndexOf('/') + 1)) === normalizeName(text)
  const isTop = ({ path }: Named): boolean => !path.includes('{')
  const named = resources.filter(({ schemaName }) => schemaName === text)
  const isSchema = /^[A-Z]/.test(text)
  const found = named.length > 0 || !isSchema ? named : resources.filter(isTop).filter(isLike)
  const top = found.filter(isTop)
  const [only, ...others] = top.length > 0 ? top : found

  return (
    (named.length > 0 ? found.find(isLike) : undefined) ?? (others.length === 0 ? only : undefined)
  )
}

/** The name of a resource in lists: of one with parents, its path, such as `orgs/{org}/repos`. */
export function resourceLabel({ name, path }: NamedCollection): string {
  return hasParents({ path }) ? path.slice(1) : name
}

/** The resources without parents by their names. */
const topNamed = once((resources: readonly Resource[]): ReadonlyMap<string, Resource> => {
  const top = resources.filter((one) => !hasParents(one))
  // Of two with one name, the first counts.
  return new Map(top.reverse().map((one) => [one.name, one]))
})

/** Throws a UsageError for the name of an unknown collection, and for a name without the ids of the collection's parents. */
export function checkCollection(name: string, resources: readonly Resource[]): void {
  if (topNamed(resources).has(name)) return
  const found = resources.find((one) => isCollectionOf(one, name)) ?? ofSchema(resources, name)
  const isNamed = found && [found.name, found.schemaName, resourceLabel(found)].includes(name)
  const lacksIds = found?.parents && isNamed
  if (found && !lacksIds) return
  throw new UsageError({
    code: 'unknown_collection',
    task: 'open the collection',
    ...(found
      ? {
          reason: `"${name}" has a collection for each of its parents`,
          help: `Use the path of one, such as "${found.path.replace(/\{[^{}]+\}/g, '1')}".`,
        }
      : {
          ...unknownName('collection', name, resources.map(resourceLabel)),
          ...suggestCollection(name, resources),
        }),
  })
}

/**
 * The collection whose name is nearest to an unknown one: a whole path, with the ids that the name has, or else the last word of a path,
 * such as `orgs/{org}/repos` for `reops`.
 */
export function suggestCollection(name: string, resources: readonly Resource[]): Suggestion {
  const allowed = resources.map(resourceLabel)
  const { suggestion = lastWordLike(name, allowed) } = suggest(
    name,
    allowed.map((one) => withIdsOf(name, one)),
  )
  return { allowed, ...(suggestion !== undefined && { suggestion }) }
}

function withIdsOf(name: string, label: string): string {
  const given = name.replace(/^\//, '').split('/')
  const parts = label.split('/')
  if (parts.length !== given.length) return label
  return parts.map((part, at) => (PARAMETER.test(part) ? (given[at] ?? part) : part)).join('/')
}

function lastWordLike(name: string, labels: readonly string[]): string | undefined {
  const lastWordOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  const { suggestion } = suggest(lastWordOf(name), labels.map(lastWordOf))

  return labels.find((one) => lastWordOf(one) === suggestion)
}

/** Collections in an order in which those of parents come before those below them. */
export function parentsFirst<Named extends { readonly name: string }>(
  collections: readonly Named[],
): readonly Named[] {
  const depth = ({ name }: Named): number => name.split('/').length
  return [...collections].sort((one, other) => depth(one) - depth(other))
}

/** The values of the parameters in a path; `undefined` for the path of another collection. */
function readPath(resource: Resource, segments: readonly string[]): PathValues | undefined {
  const template = resource.path.slice(1).split('/').map(decodeComponent)
  if (template.length !== segments.length) return undefined
  const parameters: Record<string, unknown> = {}
  for (const [at, part] of template.entries()) {
    const text = segments[at] ?? ''
    const [before = '', name, after = ''] = part.split(PARAMETER)
    if (name === undefined) {
      if (part !== text) return undefined
      continue
    }
    const value = text.slice(before.length, text.length - after.length)
    if (value === '' || text !== before + value + after) return undefined
    parameters[name] = parseText(value, parameterSchema(resource, name))
  }
  return parameters
}

function parameterSchema({ operations = [] }: Resource, name: string): Schema {
  const parameters = operations.flatMap(({ operation }) => operation.parameters)
  return parameters.find((one) => one.in === 'path' && one.name === name)?.schema ?? {}
}

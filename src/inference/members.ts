import type { Operation } from '../contract/contract.ts'
import type { FilterHints, OperationHints } from '../contract/hints.ts'
import { once } from '../validation/objects.ts'
import { isCallerPath } from './callers.ts'
import { type Group, hasMembers, MEMBERS } from './groups.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'
import type { ResourceFinder } from './message-hints.ts'
import { withoutNames, wordOf } from './path-shape.ts'
import type { ListContext } from './record-lists.ts'
import type { ChildFinder } from './sent-children.ts'

// A path such as `/teams/{id}/users` may say which records of another collection are members of something.

/** A collection of members, such as `/teams/{id}/users`. */
interface Members {
  readonly name: string
  /** The word for what they are members of, such as `teams`. */
  readonly above: string
}

export interface MembersFinder {
  /** The collections of members that show the records of a collection. */
  readonly membersOf: (own: InferredResource) => readonly Members[]
}

/** Finds the collections of members below records at the top, by the names of the resources that they show. */
export function createMembersOf(
  groups: ReadonlyMap<string, Group>,
  known: () => Pick<ListContext, 'isAlias' | 'resource' | 'references'>,
): MembersFinder['membersOf'] {
  const paths = once((all: ReadonlyMap<string, Group>) =>
    [...all.values()].filter((group) => hasMembers(group) && MEMBERS_PATH.test(group.path)),
  )
  const shown = once(({ path }: Group): readonly (readonly [of: string, members: Members])[] => {
    const { isAlias, resource, references } = known()
    const members = isAlias(path) ? undefined : resource(path)
    const above = MEMBERS_PATH.exec(path)?.[1] ?? ''
    const { references: all = {} } = members ? references.of(members) : {}
    return Object.values(all).map((to) => [
      typeof to === 'string' ? to : to.of,
      { name: members?.hints.name ?? '', above },
    ])
  })
  return ({ hints: { name } }) =>
    paths(groups).flatMap((group) =>
      shown(group).flatMap(([of, members]) => (of === name ? members : [])),
    )
}

/** A collection below a record at the top. */
const MEMBERS_PATH = /^\/([^{}/]+)\/\{[^{}/]+\}\/[^{}/]+$/

/** The path of the records of which a path below that of the caller's record shows some: `/teams` of `/users/me/teams`. */
export function ownMemberships(
  { method }: Operation,
  path: string,
  known: ResourceFinder &
    Pick<ListContext, 'isAlias'> & { readonly paths: ReadonlyMap<string, string> },
): { readonly of: InferredResource; readonly members: string } | undefined {
  const [above, word] = [path.slice(0, path.lastIndexOf('/')), wordOf(path)]
  if (method !== 'GET' || !isCallerPath(above) || path === above) return undefined
  const { collection = [], item = [] } = known.group(path) ?? {}
  if (collection.length !== 1 || item.length > 0) return undefined
  const others = [...known.paths.values()].filter(
    (one) => !one.includes('{') && !one.startsWith(above) && wordOf(one) === word,
  )
  return others.flatMap((other) => {
    const members = membersBelow(known.group(other)?.itemPath, known)
    const of = members === undefined || known.isAlias(other) ? undefined : known.resource(other)
    return of && members !== undefined ? { of, members } : []
  })[0]
}

/** The name of the collection of the people below a record. */
function membersBelow(
  itemPath: string | undefined,
  { paths, group }: Pick<ResourceFinder, 'group'> & { readonly paths: ReadonlyMap<string, string> },
): string | undefined {
  if (itemPath === undefined) return undefined
  const start = `${withoutNames(itemPath)}/`
  const [name] =
    [...paths].find(([, path]) => {
      const found = withoutNames(path) === start + wordOf(path) ? group(path) : undefined
      return found && MEMBERS.test(found.word) && hasMembers(found)
    }) ?? []
  return name
}

/**
 * The filters of a list with those by membership: `?team_ids[]=1` lists the users that are members of a team at `/teams/{id}/users`, where no
 * request says in which teams a user is.
 */
export function withMembers(
  operation: Operation,
  { action, filters = {}, resource: name }: OperationHints,
  known: MembersFinder & Pick<ChildFinder, 'paths' | 'resource'>,
): Partial<OperationHints> {
  const path = known.paths.get(name ?? '') ?? '{'
  if (action !== 'list' || path.includes('{') || operation.method !== 'GET') return {}
  const own = known.resource(path)
  if (!own || own.hints.hasHiddenIds) return {}
  const found = operation.parameters.flatMap((parameter) => {
    const by = parameter.in === 'query' ? membershipIn(parameter.name) : undefined
    if (by === undefined || isSentFilter(filters[parameter.name], own)) return []
    const members = known.membersOf(own).find(({ above }) => isSameWord(above, by))
    if (!members) return []
    const { name: below, above } = members
    const of = known.resource(`/${above}`)?.hints.name
    const filter = { property: own.hints.id, members: below, ...(of !== undefined && { of }) }
    return [[parameter.name, filter] as const]
  })
  return found.length > 0 ? { filters: { ...filters, ...Object.fromEntries(found) } } : {}
}

/** The word of the record that a parameter names: `team` of `team_id`, `team_ids[]` and `teams`. */
function membershipIn(parameter: string): string | undefined {
  const words = wordsOf(parameter)
  const named = /^ids?$/.test(words.at(-1) ?? '') ? words.slice(0, -1) : words

  return named.length > 0 ? named.join('') : undefined
}

/** Whether a filter is about what requests say. */
function isSentFilter(
  filter: string | FilterHints | undefined,
  { sent }: InferredResource,
): boolean {
  const { property = [] } = typeof filter === 'string' ? { property: filter } : (filter ?? {})
  return [property].flat().some((place) => sent.has(place.split('/').find(Boolean) ?? ''))
}

import type { Operation, Schema } from '../contract/contract.ts'
import { type AliasHints, belowHint } from '../contract/hints.ts'
import {
  isObjectSchema,
  itemsOf,
  plainName,
  propertiesOf,
  typesIn,
  withBranches,
} from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import {
  callerForms,
  callerPathAbove,
  childForm,
  findRelated,
  isNamedAlike,
  isSearchOf,
  lookUpForm,
  ownedForms,
  type Relation,
  relationOf,
  segmentsOf,
  selectedForm,
  staffForm,
  toPath,
  versionForm,
} from './alias-relations.ts'
import { addsByPath, type Group, hasMembers } from './groups.ts'
import { formsOf, isSameWord, wordsOf } from './id-property.ts'
import { type InferredResource, listOf, shownSchemasOf } from './infer-resource.ts'
import {
  type AliasCandidate,
  hasIdWord,
  isScalar,
  parentProperty,
  propertyFor,
  sentSchema,
  stemOf,
} from './parent-property.ts'
import { CALLERS, parameterIn, parametersIn, withoutNames } from './path-shape.ts'

// One record may be reached by several paths: `/tasks/{id}` reads what `/projects/{project_id}/tasks` lists. One of the paths is that of the
// record; the others are aliases.

/** The collection that has the records of a path, and how the parameters of the path say which. */
export interface InferredAlias {
  /** The path of the collection. */
  readonly of: string
  readonly by: AliasHints
  /** The property by which the path names a record, where that is another one than at the path of the collection. */
  readonly key?: string
}

/** What a document says about the aliases of collections. */
export interface GivenAliases {
  /** The aliases of a collection; `false`: none; `undefined`: the document says nothing. */
  readonly of: (path: string) => Readonly<Record<string, AliasHints>> | false | undefined
  /** Whether the document says that a path has a collection of its own. */
  readonly isOwn: (path: string) => boolean
  /** The collections for which the document names aliases. */
  readonly paths: readonly string[]
}

/** Finds the aliases in a document. Each is found when it is first needed, because that reads the schemas of its operations. */
export interface AliasFinder {
  /** The collection that has the records of a path; `undefined` when the path has its own. */
  readonly of: (path: string) => InferredAlias | undefined
  /** The aliases of a collection, by their paths. */
  readonly to: (path: string) => Readonly<Record<string, AliasHints>>
  /** The properties by which aliases of a collection name its records, besides those of its own path. */
  readonly keys: (path: string) => readonly string[]
}

/** A collection with the operations on its records at other paths. */
export function withAliases(group: Group, others: readonly Group[]): Group {
  return {
    ...group,
    collection: [group, ...others].flatMap(({ collection }) => collection),
    item: [group, ...others].flatMap(({ item }) => item),
  }
}

export const NO_ALIASES: GivenAliases = { of: () => undefined, isOwn: () => false, paths: [] }

/** A collection that may be an alias of another one, or the other way around. */
function createCandidate(
  group: Group,
  ownOf: (path: string) => InferredResource | undefined,
): AliasCandidate {
  const keyAbove: AliasCandidate['keyAbove'] = (parameter) => {
    const at = group.path.indexOf(`/{${parameter}}`)
    const { hints, context } = (at < 0 ? undefined : ownOf(group.path.slice(0, at))) ?? {}
    return hints && { name: hints.id, schema: propertiesOf(context?.known ?? {}).get(hints.id) }
  }
  const isListedAbove = (): boolean => {
    const stem = /^(.*)\/\{[^{}/]+\}\/[^{}/]+$/.exec(group.path)?.[1]
    const record = stem === undefined ? undefined : ownOf(stem)?.context.known
    return [...propertiesOf(record ?? {})].some(
      ([name, schema]) =>
        isSameWord(plainName(name), plainName(group.word)) && isObjectSchema(itemsOf(schema) ?? {}),
    )
  }
  return {
    group,
    schemas: shownSchemasOf(group),
    get id() {
      return ownOf(group.path)?.hints.id ?? ''
    },
    keyAbove,
    isListedAbove,
  }
}

export function createAliasFinder(
  groups: ReadonlyMap<string, Group>,
  ownOf: (path: string) => InferredResource | undefined,
  given: GivenAliases,
  callersAt: CallersAt = () => undefined,
): AliasFinder {
  let relatives: ReadonlyMap<string, readonly string[]> | undefined
  const related = ({ path }: Group): readonly Group[] => {
    relatives ??= findRelated([...groups.keys()])
    return (relatives.get(path) ?? []).flatMap((other) => groups.get(other) ?? [])
  }
  const leadTo = once((group: Group) => related(group).filter((one) => mayBeAlias(one, group)))
  const claimed = statedAliases(groups, given)
  const known = new Map<string, InferredAlias | undefined>(claimed)
  const isOpen = (path: string): boolean => given.of(path) === undefined && !claimed.has(path)
  const of = (path: string): InferredAlias | undefined => {
    if (known.has(path)) return known.get(path)
    // What is asked for while it is found is no alias.
    known.set(path, undefined)
    const found = isOpen(path) && !given.isOwn(path) ? find(path) : undefined
    known.set(path, found)
    return found
  }
  const candidate = once((group: Group) => createCandidate(group, ownOf))
  const between = once((own: Group) =>
    once((other: Group) => aliasOf(candidate(own), candidate(other), callersAt)),
  )
  const find = (path: string): InferredAlias | undefined => {
    const group = groups.get(path)
    const others = group ? related(group).filter((one) => mayBeAlias(group, one)) : []
    const found = others.flatMap((other): readonly InferredAlias[] => {
      const alias = group && given.of(other.path) === undefined && between(group)(other)
      return alias && !of(other.path) ? [{ of: other.path, ...alias }] : []
    })
    const alias = closestOf(path, found)
    return group && alias
      ? { ...alias, by: byMembers(group, groups.get(alias.of), alias.by, groups) }
      : undefined
  }

  const inferredTo = (path: string): readonly (readonly [string, InferredAlias])[] => {
    const group = given.of(path) === undefined ? groups.get(path) : undefined
    return (group ? leadTo(group) : []).flatMap((one) => {
      // What is no alias of this path may be one of others, which need not be read.
      const isPossible = group && !claimed.has(one.path) && between(one)(group)
      const alias = isPossible ? of(one.path) : undefined
      return alias?.of === path ? [[one.path, alias] as const] : []
    })
  }

  return {
    of,
    keys: (path) => inferredTo(path).flatMap(([, { key }]) => key ?? []),
    to: (path) => {
      const named = [...claimed].filter(([, alias]) => alias.of === path)
      const all = [...named, ...inferredTo(path)]
      return Object.fromEntries(all.map(([other, { by }]) => [other, by] as const))
    },
  }
}

/** The aliases that the document states, by their paths: of two that contradict each other, the first. */
function statedAliases(
  groups: ReadonlyMap<string, Group>,
  given: GivenAliases,
): ReadonlyMap<string, InferredAlias> {
  const stated = new Map<string, InferredAlias>()
  const owners = new Set<string>()
  for (const of of given.paths) {
    for (const [path, by] of Object.entries(given.of(of) || {})) {
      const isFree = !(stated.has(path) || stated.has(of) || owners.has(path))
      if (!(isFree && groups.has(path) && groups.has(of)) || path === of) continue
      stated.set(path, { of, by })
      owners.add(of)
    }
  }
  return stated
}

/** The collection that is meant, of those whose records a path may lead to; `undefined` for a list over all parents of several kinds. */
function closestOf(path: string, found: readonly InferredAlias[]): InferredAlias | undefined {
  // A collection whose word only ends with that of the path is meant where no other is.
  const called = found.filter((one) => !isNamedAlike(path, one.of))
  const closest = [...(called.length > 0 ? called : found)].sort(
    (one, two) => two.of.length - one.of.length,
  )
  const isAbove = closest.some(({ of: one }) => segmentsOf(one).length > segmentsOf(path).length)

  return isAbove && closest.length > 1 ? undefined : closest[0]
}

/** How a path to the records of an owner is an alias of one that has the owner after their word. */
function ownedAlias(own: AliasCandidate, other: AliasCandidate): AliasHints | undefined {
  const segments = segmentsOf(own.group.path)
  const parameter = parameterIn(segmentsOf(other.group.path).at(-1))
  if (parameter === undefined) return undefined
  const isShown = parentProperty(other, { parameter, after: '' }) !== undefined
  if (!(isShown && isCreation(own))) return undefined
  const owner = segments.at(-2) ?? ''
  const here = parameterIn(owner)
  if (here !== undefined) return here === parameter ? {} : { [here]: `{${parameter}}` }

  return { [parameter]: `{${toPath(segments.slice(0, -1))}}` }
}

/**
 * Whether a collection may be an alias of another one, by the paths and methods of both alone. The schemas of others are not read, which
 * takes long in a large document.
 */
function mayBeAlias(own: Group, other: Group): boolean {
  const isSpecial = SPECIAL_ALIASES.some(({ isPossible }) => isPossible(own, other))

  return isSpecial || sideOf(own, other) !== undefined
}

/** How a collection is an alias of another one; `undefined` when it is not. */
function aliasOf(
  own: AliasCandidate,
  other: AliasCandidate,
  callersAt: CallersAt,
): OneAlias | undefined {
  const isSame = haveSameRecords(own, other)
  const isLike = isSame || haveLikeRecords(own, other)
  const special = SPECIAL_ALIASES.filter(
    ({ isPossible, isRelated }) =>
      isPossible(own.group, other.group) && (isLike || isRelated?.(own, other)),
  )
  if (!(isLike || special.length > 0)) return undefined
  const isOwn = hasRecords(own.group) || (isSame && addsForOwner(own.group, other.group))
  if (!(isOwn && hasRecords(other.group))) return undefined
  for (const { find } of special) {
    const found = find(own, other, callersAt)
    if (found) return found
  }
  const by = isLike ? relatedAlias(own, other) : undefined
  const isTold = isSame || listsByParent(own, other, by ?? {}) || isCreatedBelow(own, other)

  return by && isTold ? { by } : undefined
}

/** Whether a path has several records. */
function hasRecords(group: Group): boolean {
  return group.item.length > 0 || listOf(group) !== undefined
}

/** Whether requests on a path create records of an owner, as at `/user/repos`, which another path reads. */
function addsForOwner(own: Group, other: Group): boolean {
  return has(own.collection, 'POST') && isOwnedForm(own, other)
}

/** Whether requests create records only below others, and another path leads to single ones: `/users/{}/meetings` and `/meetings/{}`. */
function isCreatedBelow({ group }: AliasCandidate, other: AliasCandidate): boolean {
  const isCreated = has(group.collection, 'POST') && group.item.length === 0
  return isCreated && hasItems(other.group) && !has(other.group.collection, 'POST')
}

/** Whether a path only lists records of another collection, which have properties that say where they belong. */
function listsByParent({ group }: AliasCandidate, other: AliasCandidate, by: AliasHints): boolean {
  const isOnlyList = group.item.length + group.collection.length === 1
  const isShown = Object.values(by).length > 0 && !Object.values(by).includes(KEPT)

  return isOnlyList && isShown && hasItems(other.group)
}

type OneAlias = Omit<InferredAlias, 'of'>

/** Finds the collection of which a path such as `/me` leads to the caller's record. */
type CallersAt = (path: string) => string | undefined

/** A path below the caller's record, such as `/me/albums`: it has the records below one of the users, as `/users/{user_id}/albums` has. */
function callerAlias(
  own: AliasCandidate,
  other: AliasCandidate,
  callersAt: CallersAt,
): OneAlias | undefined {
  const { path } = other.group
  if (!isCreation(own)) return undefined
  const above = callerPathAbove(own.group.path)
  const users = callersAt(above)
  const [, parameter] = /^\/\{([^{}/]+)\}\//.exec(path.slice(users?.length)) ?? []
  const isOfUser = users !== undefined && path.startsWith(`${users}/`) && parameter !== undefined

  return isOfUser ? { by: { [parameter]: `{${above}}` } } : undefined
}

/** A path that finds records of the collection above it by another key, such as `/releases/tags/{tag}` and `/users/by-name/{name}`. */
function lookUpAlias(own: AliasCandidate, other: AliasCandidate): OneAlias | undefined {
  const { path, parameter = '' } = own.group
  const words = wordsOf(segmentsOf(path).at(-1) ?? '').filter((word) => word !== 'by')
  const names = [plainName(parameter), ...formsOf(words.join(''))].flatMap((one) => [
    one,
    `${one}name`,
  ])
  const properties = new Map(other.schemas.flatMap((one) => [...propertiesOf(one)]))
  const named = names.flatMap(
    (name) =>
      [...properties].find(([one, own]) => plainName(one) === name && isScalar(own))?.[0] ?? [],
  )
  const key = named.find((one) => one !== other.id)

  return key === undefined ? undefined : { by: {}, key }
}

/** A path that selects records of a collection by a property, such as `/orders/user/{userId}` and `/pets/category/{category}`. */
function selectedAlias(own: AliasCandidate, other: AliasCandidate): OneAlias | undefined {
  const { path, collection } = own.group
  const [word = '', last = ''] = segmentsOf(path).slice(-2)
  const parameter = parameterIn(last) ?? ''
  const names = [
    stemOf(parameter),
    wordsOf(word)
      .filter((one) => one !== 'by')
      .join(''),
  ]
  const schema = pathSchema(collection, parameter)
  const property = propertyFor(other, { names: names.filter(Boolean), parameter, schema })

  return property === undefined ? undefined : { by: { [parameter]: property } }
}

function pathSchema(operations: readonly Operation[], name: string): Schema | undefined {
  return operations[0]?.parameters.find((one) => one.in === 'path' && one.name === name)?.schema
}

/** A path that shows the records of a collection below one of them: a property names the record above, such as `parent_id`. */
function childAlias(own: AliasCandidate, other: AliasCandidate): OneAlias | undefined {
  const parameter = parameterIn(segmentsOf(own.group.path).at(-2)) ?? ''
  const property = propertyFor(other, { names: ['parent'], parameter })

  return property !== undefined && isCreation(own) ? { by: { [parameter]: property } } : undefined
}

/** Whether a path ends with its owner, and leads to no single record, where the other one has the owner after the word of the records. */
function isOwnedForm(own: Group, other: Group): boolean {
  const forms = ownedForms(segmentsOf(withoutNames(own.path)))
  return forms.includes(withoutNames(other.path)) && !hasItems(own) && hasItems(other)
}

/**
 * The same path with another version, which alone does not create and read the records: they are at the latest version that leads to single
 * ones.
 */
function isOtherVersion(own: Group, other: Group): boolean {
  const form = versionForm(own.path)
  if (form === undefined || form !== versionForm(other.path)) return false
  const isLater = own.path.localeCompare(other.path, 'en', { numeric: true }) > 0
  const isOwn = hasItems(own) === hasItems(other) ? isLater : hasItems(own)

  return has(own.collection, 'POST') && !has(own.item, 'GET') && !isOwn
}

/** Whether one of two paths is that for some people to records which the other leads to, too. The one that reads a record has them. */
function isForStaff(own: Group, other: Group): boolean {
  const isAlias = !has(own.item, 'GET') && has(other.item, 'GET')
  return isAlias && (staffForm(own.path) === other.path || staffForm(other.path) === own.path)
}

function onlyLists({ itemPath, collection }: Group): boolean {
  return itemPath === undefined && collection.every(({ method }) => method === 'GET')
}

function has(operations: readonly Operation[], method: string): boolean {
  return operations.some((one) => one.method === method)
}

/** How another path to the same records is found, and what tells that they are the same where their schemas are less alike. */
interface SpecialAlias {
  /** What paths and methods must be like. */
  readonly isPossible: (own: Group, other: Group) => boolean
  readonly find: (
    own: AliasCandidate,
    other: AliasCandidate,
    callersAt: CallersAt,
  ) => OneAlias | undefined
  readonly isRelated?: (own: AliasCandidate, other: AliasCandidate) => boolean
}

const SPECIAL_ALIASES: readonly SpecialAlias[] = [
  {
    isPossible: ({ path }, other) => callerForms(path).includes(withoutNames(other.path)),
    find: callerAlias,
  },
  {
    isPossible: isOwnedForm,
    find: (own, other) => {
      const by = ownedAlias(own, other)
      return by && { by }
    },
  },
  {
    isPossible: ({ path, collection }, other) =>
      lookUpForm(path) === other.path && collection.length === 0 && hasItems(other),
    find: lookUpAlias,
  },
  {
    isPossible: (own, other) => selectedForm(own.path) === other.path && onlyLists(own),
    find: selectedAlias,
  },
  // A list of what is below a record may have records of several kinds.
  {
    isPossible: ({ path, itemPath }, other) =>
      childForm(path) === other.path && itemPath === undefined && hasItems(other),
    isRelated: (own, other) =>
      own.schemas.flatMap(withBranches).some((one) => isPartOf(one, other)),
    find: childAlias,
  },
  {
    isPossible: isForStaff,
    find: (own, other) => (isCreation(own) && haveSameRecords(own, other) ? { by: {} } : undefined),
  },
  {
    isPossible: (own, other) =>
      onlyLists(own) && hasItems(other) && !addsByPath(other) && isSearchOf(own.path, other.path),
    find: (_, { group }) => ({
      by: Object.fromEntries(parametersIn(group.path).map((name) => [name, KEPT])),
    }),
  },
  {
    isPossible: isOtherVersion,
    isRelated: (own, other) => own.schemas.every((one) => isPartOf(one, other)),
    find: (own) => (isCreation(own) ? { by: {} } : undefined),
  },
]

/** Whether a schema shows nothing but properties of the records of a collection. */
function isPartOf(schema: Schema, { schemas }: AliasCandidate): boolean {
  const names = [...propertiesOf(schema).keys()]
  return schemas.some(
    (one) => names.length > 0 && names.every((name) => propertiesOf(one).has(name)),
  )
}

/** Which one of two related paths an alias is, and how they are related. */
interface AliasSide {
  readonly alias: 'deeper' | 'flatter'
  readonly relation: Relation
}

/** Which one of two related paths a collection may be, as an alias of the other; `undefined` when it is not. */
function sideOf(own: Group, other: Group): AliasSide | undefined {
  const below = relationOf(own.path, other.path)
  const relation = below ?? relationOf(other.path, own.path)
  const [deeper, flatter] = below ? [own, other] : [other, own]
  // What is added by its path alone is a member of what is above, and not created there.
  if (!relation || relation.isAtEnd || addsByPath(deeper)) return undefined
  const alias = hasItems(flatter) || !hasItems(deeper) ? 'deeper' : 'flatter'
  // The records of a list over all parents are where their parents are.
  if (alias === 'flatter' && relation.between.length > 1) return undefined

  return (alias === 'deeper') === (below !== undefined) ? { alias, relation } : undefined
}

/** How a path is an alias of a related one to the same records. */
function relatedAlias(own: AliasCandidate, other: AliasCandidate): AliasHints | undefined {
  const side = sideOf(own.group, other.group)
  if (!(side && isCreation(own))) return undefined
  const isDeeper = side.alias === 'deeper'
  const [deeper, flatter] = isDeeper ? [own, other] : [other, own]
  const by = bindingsOf(deeper, flatter, side.relation.between)
  if (Object.values(by).at(-1) !== KEPT) return by
  // What the record above lists are these, and no others.
  if (isDeeper && onlyLists(own.group) && own.isListedAbove?.()) return undefined
  if (isNamedAlike(deeper.group.path, flatter.group.path)) return undefined
  const isBelow =
    hasItems(flatter.group) && !hasItems(deeper.group) && !isMembership(deeper, flatter)

  return !isDeeper || isBelow ? by : undefined
}

/** Whether two collections have records of the same schema. */
function haveSameRecords(one: AliasCandidate, other: AliasCandidate): boolean {
  return one.schemas.some((schema) => other.schemas.some((two) => isSameSchema(schema, two)))
}

/** Whether most of what one collection shows of a record is what the other shows: a list may show less than what reads a record. */
function haveLikeRecords(one: AliasCandidate, other: AliasCandidate): boolean {
  return one.schemas.some((schema) =>
    other.schemas.some((two) => {
      const [own, others] = [propertiesOf(schema), propertiesOf(two)]
      const shared = [...own.keys()].filter((name) => others.has(name)).length
      return shared >= MIN_LIKE && shared >= Math.min(own.size, others.size) * LIKE_PART
    }),
  )
}

/** So many names, and such a part of them, tell that two schemas are of the same records. */
const MIN_LIKE = 5
const LIKE_PART = 0.8

/** Fewer shared names may be a coincidence. */
const MIN_NAMES = 3

function isSameSchema(one: Schema, other: Schema): boolean {
  if (one === other) return true
  const [own, others] = [propertiesOf(one), propertiesOf(other)]
  if (own.size < MIN_NAMES || own.size !== others.size) return false
  return [...own].every(([name, schema]) => {
    const same = others.get(name)
    return same !== undefined && [...typesIn(schema)].join() === [...typesIn(same)].join()
  })
}

/** No property shows the parent, so the sandbox keeps it with the record. */
const KEPT = true

/** What people are called as the members of something. */
const MEMBERS = /^(members?|collaborators?|participants?|people|users?)$/

/**
 * How a list of records below others selects them where the others are among what is below the records: the groups at `/users/{id}/groups` are
 * those that have this user at `/groups/{groupId}/users`.
 */
function byMembers(
  group: Group,
  of: Group | undefined,
  by: AliasHints,
  groups: ReadonlyMap<string, Group>,
): AliasHints {
  const [[parameter, place] = [], ...others] = Object.entries(by)
  if (parameter === undefined || place !== KEPT || others.length > 0 || !onlyLists(group)) return by
  if (of?.itemPath === undefined) return by
  const above = segmentsOf(group.path).at(-3) ?? ''
  const start = `${withoutNames(of.itemPath)}/`
  const members = [...groups.values()].find(
    (one) =>
      withoutNames(one.path) === `${start}${one.word}` &&
      (isSameWord(one.word, above) || (MEMBERS.test(one.word) && CALLERS.test(above))) &&
      hasMembers(one),
  )
  return members ? { [parameter]: belowHint(members.word) } : by
}

/** Whether paths lead to one record. */
function hasItems({ item }: Group): boolean {
  return item.some(({ method }) => /^(GET|PUT|PATCH|DELETE)$/.test(method))
}

/**
 * Whether a collection below a record rather says which records belong to it: the records are created elsewhere, or what belongs to it is
 * removed at once.
 */
function isMembership({ group }: AliasCandidate, flatter: AliasCandidate): boolean {
  const adds = group.collection.some(({ method }) => method !== 'GET')
  const creates = flatter.group.collection.some(({ method }) => method === 'POST')

  return (
    (adds && creates) || group.collection.some(({ method }) => /^(DELETE|PUT|PATCH)$/.test(method))
  )
}

/** Whether what is sent to a collection, if anything is, is a record of it. */
function isCreation({ group, schemas }: AliasCandidate): boolean {
  const creation = group.collection.find(({ method }) => method === 'POST')
  if (!creation) return true
  const sent = sentNames(creation)
  const known = new Set(schemas.flatMap((schema) => [...propertiesOf(schema).keys()]))
  const shared = sent.filter((name) => known.has(name)).length
  if (shared >= MIN_NAMES || (sent.length > 0 && shared * 2 >= sent.length)) return true
  // A request that has nothing but ids adds records that exist.
  const isNew = shared > 0 && sent.some((name) => !hasIdWord(name))
  return (
    isNew &&
    shownSchemasOf({ ...group, collection: [creation], item: [] }).some((schema) =>
      schemas.some((one) => isSameSchema(schema, one)),
    )
  )
}

function sentNames({ body }: Operation): readonly string[] {
  return body ? [...propertiesOf(sentSchema(body.schema)).keys()] : []
}

/** How the parameters that only one of two paths has say which records are meant. */
function bindingsOf(
  deeper: AliasCandidate,
  flatter: AliasCandidate,
  between: Relation['between'],
): AliasHints {
  const bound = between.map(({ parameter, after }, at) => {
    const schema = pathSchema(deeper.group.collection, parameter)
    const isLast = at === between.length - 1
    const property = parentProperty(deeper, { parameter, after, schema, isLast }, flatter)
    return [parameter, property ?? KEPT] as const
  })
  return Object.fromEntries(bound)
}

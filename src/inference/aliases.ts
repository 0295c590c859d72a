import type { Operation, Schema } from '../contract/contract.ts'
import type { AliasHints } from '../contract/hints.ts'
import { isNumeric, itemsOf, plainName, propertiesOf, typesIn } from '../contract/schema.ts'
import type { Group } from './groups.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { type InferredResource, shownSchemasOf } from './infer-resource.ts'
import { parameterIn, UNNAMED, withoutNames, wordOf } from './path-shape.ts'

// One record may be reached by several paths: `/tasks/{id}` reads what `/projects/{project_id}/tasks` lists. One of the paths is that of the
// record; the others are aliases.

/** The collection that has the records of a path, and how the parameters of the path say which. */
export interface InferredAlias {
  /** The path of the collection. */
  readonly of: string
  readonly by: AliasHints
}

/** A collection that a path may be an alias of, or the other way around. */
export interface AliasCandidate {
  readonly group: Group
  /** The schemas of its records in responses. */
  readonly schemas: readonly Schema[]
  /** The property that contains the id. */
  readonly id: string
  readonly isSingle: boolean
}

/** How two paths of collections are related: the deeper one has further segments before its last words, or a parameter after them. */
interface Relation {
  /** The parameters that only the deeper path has, with the literal segment before each. */
  readonly between: readonly { readonly parameter: string; readonly after: string }[]
  /** Whether they are after the last words of the flatter path, as in `/snippets/{workspace}`. */
  readonly isAtEnd: boolean
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

/** A collection that may be an alias of another one; `undefined` when nothing describes its records. */
export function candidateOf(
  group: Group | undefined,
  ownOf: (path: string) => InferredResource | undefined,
): AliasCandidate | undefined {
  const own = group && ownOf(group.path)
  if (!(group && own)) return undefined
  const { id, isSingle = false } = own.hints
  return { group, schemas: shownSchemasOf(group), id, isSingle }
}

export function createAliasFinder(
  groups: ReadonlyMap<string, Group>,
  candidateOf: (path: string) => AliasCandidate | undefined,
  given: GivenAliases,
): AliasFinder {
  let relatives: ReadonlyMap<string, readonly string[]> | undefined
  const related = (path: string): readonly string[] => {
    relatives ??= findRelated([...groups.keys()])
    return relatives.get(path) ?? []
  }
  const claimed = new Map<string, InferredAlias>()
  const owners = new Set<string>()
  for (const of of given.paths) {
    for (const [path, by] of Object.entries(given.of(of) || {})) {
      const isFree = !(claimed.has(path) || claimed.has(of) || owners.has(path))
      if (!(isFree && groups.has(path) && groups.has(of)) || path === of) continue
      claimed.set(path, { of, by })
      owners.add(of)
    }
  }
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
  const find = (path: string): InferredAlias | undefined => {
    const others = related(path)
    const own = others.length > 0 ? candidateOf(path) : undefined
    if (!own) return undefined
    const found = others.flatMap((other): readonly InferredAlias[] => {
      const by = given.of(other) === undefined && aliasOf(own, candidateOf(other))
      return by && !of(other) ? [{ of: other, by }] : []
    })
    const closest = found.sort((one, two) => two.of.length - one.of.length)
    const isAbove = closest.some(({ of: one }) => segmentsOf(one).length > segmentsOf(path).length)

    // A list over all parents has those of one kind.
    return isAbove && closest.length > 1 ? undefined : closest[0]
  }

  return {
    of,
    to: (path) => {
      const named = [...claimed].filter(([, alias]) => alias.of === path)
      const inferred = given.of(path) === undefined ? related(path) : []
      const found = inferred.flatMap((other) => {
        const alias = of(other)
        return alias?.of === path && !claimed.has(other) ? [[other, alias.by] as const] : []
      })
      return Object.fromEntries([...named.map(([other, { by }]) => [other, by] as const), ...found])
    },
  }
}

/** The paths that are related to each path, which has the same last word. */
function findRelated(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>()
  for (const path of paths)
    known.set(withoutNames(path), [...(known.get(withoutNames(path)) ?? []), path])
  const related = new Map<string, Set<string>>()
  const relate = (one: string, other: string): void => {
    related.set(one, (related.get(one) ?? new Set()).add(other))
  }
  for (const deeper of paths) {
    const flatter = shorterForms(segmentsOf(withoutNames(deeper))).flatMap(
      (form) => known.get(form) ?? [],
    )
    const owned = ownedForms(segmentsOf(withoutNames(deeper))).flatMap(
      (form) => known.get(form) ?? [],
    )
    const all = [...flatter.filter((one) => relationOf(deeper, one)), ...owned]
    for (const one of all) {
      if (wordOf(one) !== wordOf(deeper)) continue
      relate(deeper, one)
      relate(one, deeper)
    }
  }
  return new Map([...related].map(([path, others]) => [path, [...others]]))
}

/** The segments that mean the caller. */
const CALLER = /^(user|me|account|viewer|self)$/

/** The paths that have the owner of records after their word: `/repos/{}` of `/orgs/{}/repos`, and of `/user/repos`. */
function ownedForms(segments: readonly string[]): readonly string[] {
  const [owner = '', word = ''] = segments.slice(-2)
  const start = segments.slice(0, -2)
  const isOwner = owner.startsWith('{') || CALLER.test(owner)
  if (!isOwner || word.includes('{')) return []
  const isBelowWord = owner.startsWith('{') || /^users?$/.test(start.at(-1) ?? '')

  return [`${toPath([...(isBelowWord ? start.slice(0, -1) : start), word, UNNAMED])}`]
}

function toPath(segments: readonly string[]): string {
  return segments.map((segment) => `/${segment}`).join('')
}

/** How a path to the records of an owner is an alias of one that has the owner after their word. */
function ownedAlias(own: AliasCandidate, other: AliasCandidate): AliasHints | undefined {
  const segments = segmentsOf(own.group.path)
  const isOwned = ownedForms(segmentsOf(withoutNames(own.group.path))).includes(
    withoutNames(other.group.path),
  )
  const parameter = parameterIn(segmentsOf(other.group.path).at(-1))
  if (!isOwned || parameter === undefined || hasItems(own) || !hasItems(other)) return undefined
  const isShown = parentProperty(other, { parameter, after: '' }) !== undefined
  if (!(isShown && isCreation(own))) return undefined
  const owner = segments.at(-2) ?? ''
  const here = parameterIn(owner)
  if (here !== undefined) return here === parameter ? {} : { [here]: `{${parameter}}` }

  return { [parameter]: `{${toPath(segments.slice(0, -1))}}` }
}

/** A path without some successive segments that contain a parameter, for all of these. */
function shorterForms(segments: readonly string[]): readonly string[] {
  return segments.flatMap((_, from) =>
    segments.slice(from).flatMap((_, length) => {
      const end = from + length + 1
      const hasParameter = segments.slice(from, end).some((part) => part.includes('{'))
      return hasParameter ? `/${segments.toSpliced(from, length + 1).join('/')}` : []
    }),
  )
}

/** How a collection is an alias of another one; `undefined` when it is not. */
function aliasOf(own: AliasCandidate, other: AliasCandidate | undefined): AliasHints | undefined {
  if (!other || own.isSingle || other.isSingle) return undefined
  const isSame = haveSameRecords(own, other)
  const owned = isSame || haveLikeRecords(own, other) ? ownedAlias(own, other) : undefined
  if (owned || !isSame) return owned
  const relation = relationOf(own.group.path, other.group.path)
  const verdict = relation && judge(own, other, relation)
  if (verdict) return 'by' in verdict && verdict.alias === 'deeper' ? verdict.by : undefined
  const reverse = relationOf(other.group.path, own.group.path)
  const above = reverse && judge(other, own, reverse)

  return above && 'by' in above && above.alias === 'flatter' ? above.by : undefined
}

/** Tells how a path is below another one that ends with the same word; `undefined` when it is not. */
export function relationOf(deeper: string, flatter: string): Relation | undefined {
  const [own, other] = [segmentsOf(deeper), segmentsOf(flatter)]
  const extra = own.length - other.length
  if (extra < 1) return undefined
  const start = other.findIndex((part, at) => !isSamePart(part, own[at]))
  const from = start < 0 ? other.length : start
  const tail = other.slice(from)
  const isTail = tail.every((part, at) => part === own[from + extra + at])
  const ends = start < 0 ? own.slice(from) : []
  // Below `/snippets`, only `/snippets/{workspace}` has the same last word.
  if (!isTail || (start < 0 && (ends.length !== 1 || !ends[0]?.includes('{')))) return undefined
  const inserted = own.slice(from, from + extra)
  const between = inserted.flatMap((part, at) => {
    const parameter = part.startsWith('{') && part.endsWith('}') ? parameterIn(part) : undefined
    return parameter === undefined ? [] : [{ parameter, after: own[from + at - 1] ?? '' }]
  })

  return between.length > 0 ? { between, isAtEnd: tail.length === 0 } : undefined
}

function segmentsOf(path: string): readonly string[] {
  return path.split('/').slice(1)
}

function isSamePart(one: string, other: string | undefined): boolean {
  return other !== undefined && withoutNames(one) === withoutNames(other)
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

/** Why two collections with the same word and the same records are not taken for one. */
export type AliasDoubt = 'no-parent' | 'no-creation'

/** What a rule says of a deeper path and a flatter one. */
export type AliasVerdict =
  | { readonly alias: 'deeper' | 'flatter'; readonly by: AliasHints }
  | { readonly doubt: AliasDoubt }

/** Decides which of two related collections with the same records is an alias of the other. */
function judge(
  deeper: AliasCandidate,
  flatter: AliasCandidate,
  { between, isAtEnd }: Relation,
): AliasVerdict {
  const by = bindingsOf(deeper, between)
  const isShown = Object.values(by).at(-1) !== KEPT
  if (!isAtEnd && (hasItems(flatter) || !hasItems(deeper))) {
    const isBelow = hasItems(flatter) && !hasItems(deeper) && !isMembership(deeper, flatter)
    if (!(isShown || isBelow)) return { doubt: 'no-parent' }
    return isCreation(deeper) ? { alias: 'deeper', by } : { doubt: 'no-creation' }
  }
  // The records of a list over all parents are where their parents are.
  if (isAtEnd || between.length > 1) return { doubt: 'no-parent' }
  return isCreation(flatter) ? { alias: 'flatter', by } : { doubt: 'no-creation' }
}

/** No property shows the parent, so the sandbox keeps it with the record. */
const KEPT = true

/** Whether paths lead to one record. */
function hasItems({ group }: AliasCandidate): boolean {
  return group.item.some(({ method }) => /^(GET|PUT|PATCH|DELETE)$/.test(method))
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

  return shared >= MIN_NAMES || (sent.length > 0 && shared * 2 >= sent.length)
}

function sentNames({ body }: Operation): readonly string[] {
  if (!body) return []
  const properties = propertiesOf(itemsOf(body.schema) ?? body.schema)
  const [only] = [...properties.values()]
  const inner = properties.size === 1 && only ? propertiesOf(only) : new Map<string, Schema>()

  return [...(inner.size > 0 ? inner : properties).keys()]
}

/** How the parameters that only one of two paths has say which records are meant. */
function bindingsOf(deeper: AliasCandidate, between: Relation['between']): AliasHints {
  const bound = between.map(({ parameter, after }) => {
    const schema = deeper.group.collection[0]?.parameters.find(
      (one) => one.in === 'path' && one.name === parameter,
    )?.schema
    const property = parentProperty(deeper, { parameter, after, schema })
    return [parameter, property ?? KEPT] as const
  })
  return Object.fromEntries(bound)
}

/** The last words of names that contain ids. */
const ID_WORDS = /^(ids?|uuid|gid|guid|sid|key|slug|code|name|number)$/

/** The property of a record that has the value of a path parameter, by the name of the parameter or of the collection before it. */
function parentProperty(
  { schemas, id }: Pick<AliasCandidate, 'schemas' | 'id'>,
  {
    parameter,
    after,
    schema,
  }: { readonly parameter: string; readonly after: string; readonly schema?: Schema | undefined },
): string | undefined {
  const names = [stemOf(parameter), after.includes('{') ? '' : plainName(after)].filter(Boolean)
  const properties = new Map(schemas.flatMap((one) => [...propertiesOf(one)]))
  const found = [...properties].flatMap(([name, own]) => {
    if (name === id || !names.some((one) => isSameWord(one, stemOf(name)))) return []
    if (isScalar(own)) return canHold(own, schema) ? [{ place: name, isId: hasIdWord(name) }] : []
    const inner = itemsOf(own) ? undefined : keyWithin(own, parameter, schema)
    return inner === undefined ? [] : [{ place: `/${name}/${inner}`, isId: false }]
  })
  const best = found.find(({ isId }) => isId) ?? found[0]

  return best?.place
}

/** A name without the word that says that it contains an id. */
function stemOf(name: string): string {
  const words = wordsOf(name)
  const isId = words.length > 1 && ID_WORDS.test(words.at(-1) ?? '')
  const stem = (isId ? words.slice(0, -1) : words).join('')

  return ID_WORDS.test(stem) ? '' : stem
}

function hasIdWord(name: string): boolean {
  return ID_WORDS.test(wordsOf(name).at(-1) ?? '')
}

/** The property of an embedded object by which a path names its record. */
function keyWithin(own: Schema, parameter: string, schema: Schema | undefined): string | undefined {
  const last = wordsOf(parameter).at(-1) ?? ''
  return [last, 'id', 'uuid', 'login', 'username', 'slug', 'key', 'name'].find((name) => {
    const inner = propertiesOf(own).get(name)
    return inner !== undefined && isScalar(inner) && canHold(inner, schema)
  })
}

function isScalar(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.has('string') || types.has('integer') || types.has('number')
}

/** Whether a property can have the values of a path parameter. Most documents declare these as texts. */
function canHold(property: Schema, parameter: Schema | undefined): boolean {
  if (!parameter || !isNumeric(parameter)) return true
  return isNumeric(property) || property.format === undefined
}

import type { Schema } from '../contract/contract.ts'
import type { ResourceHints } from '../contract/hints.ts'
import {
  escapeKey,
  isExpandable,
  isNumeric,
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  typesIn,
  withBranches,
} from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import type { Group } from './groups.ts'
import { formsOf, isSameWord, wordsOf } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'
import { CALLERS, otherSpellings, ROLE, withoutNames } from './path-shape.ts'
import { closest, type NamedPath, pathsByWord } from './references.ts'

// Records contain ids of others: `boat_id`, `boat_ids`, and the `sku_id` of each line.

/** A value in a record that may be an id, or a list of such values. */
interface ReferringValue {
  readonly name: string
  readonly schema: Schema
  /** Whether the value is a list. */
  readonly isList: boolean
  /** Whether it is one of the record itself, and not of an object or list in it. */
  readonly isKey: boolean
}

/** What a value may refer to, by the words of collections, the most likely first; none when nothing says that it is an id. */
type WordRule = (value: ReferringValue) => readonly string[]

/** The name says that it is an id: `boat_id`, `billingAddressId`, `boat_ids`, `author_id`. */
export const byIdName: WordRule = ({ name }) => {
  const words = wordsOf(name)
  const isForeign = words.slice(0, -2).some((word) => FOREIGN.test(word))
  if (words.length < 2 || isForeign || !ID_WORDS.test(words.at(-1) ?? '')) return []
  return calledAs(words.slice(0, -1))
}

/** The schema says that it is an id, and the name of what: a UUID under `owner`, or what a request may expand. */
export const byIdSchema: WordRule = ({ name, schema, isList }) => {
  const branches = withBranches(schema)
  const isId = branches.some(({ format }) => format === 'uuid') || isExpandable(branches)
  const isNumbers = isList && isNumeric(schema)

  return isId || isNumbers ? calledAs(wordsOf(name)) : []
}

/** The description or a `$ref` says what it is the id of: "ID of the customer", `User/properties/id`. */
export const byDescription: WordRule = ({ name, schema, isKey }) =>
  isKey && ID_WORDS.test(plainName(name))
    ? []
    : withBranches(schema).flatMap(({ describedReference: named }) =>
        named === undefined ? [] : calledAs(wordsOf(named)),
      )

const RULES: readonly WordRule[] = [byIdName, byDescription, byIdSchema]

/** The name is that of a catalogue which requests only read: the `region` of `/regions`, whose ids are texts that people know. */
export const byCatalogue: WordRule = ({ name, schema, isList }) =>
  isList || !isKnownText(schema) || PROSE.test(plainName(name)) ? [] : formsOf(plainName(name))

/** Texts that people write themselves, figures, and what tells one record from the others. */
const PROSE =
  /^(address|version|info|name|title|description|message|comment|note|query|search|text|key|code|slug|number|login|username|email|token|secret|hash|value|self|href|ur[il]|link|path|file)$|ids?$/

function isKnownText(schema: Schema): boolean {
  return typesIn(schema).has('string') && withBranches(schema).every(({ format }) => !format)
}

/** Whether a path is below a collection, without one of its records: what `/users/search` has are no records of a kind `search`. */
function isPartOf(groups: ReadonlyMap<string, Group>, path: string): boolean {
  const above = /^(\/.+)\/[^/]+\/?$/.exec(path)?.[1]
  return above !== undefined && (groups.has(above) || groups.has(`${above}/`))
}

/** Whether requests only read the records of a collection, and their ids are texts. */
function isCatalogue(
  { hints, context: { known = {}, word }, canGrow }: InferredResource,
  { name }: ReferringValue,
  group: Group | undefined,
): boolean {
  const isPlural = /[^s]s$/.test(word) && plainName(name) === plainName(word)
  if (isPlural || !isSameWord(plainName(name), plainName(word))) return false
  const id = propertiesOf(known).get(hints.id)
  const operations = [...(group?.collection ?? []), ...(group?.item ?? [])]
  return (
    !canGrow &&
    id !== undefined &&
    isKnownText(id) &&
    operations.every(({ method }) => method === 'GET')
  )
}

/** What records are called by words: all of them, the last one, and people by what they are to something. */
function calledAs(words: readonly string[]): readonly string[] {
  const whole = words.join('')
  const last = words.at(-1) ?? ''
  const forms = [whole, last, ...otherSpellings(last)].flatMap((word) => formsOf(word))
  return ROLE.test(whole) || ROLE.test(words.join('_')) ? [...forms, PEOPLE] : forms
}

/** Stands for the collections of people. */
const PEOPLE = '@people'

/** Words before that of a record, whose id is then that of another service. */
const FOREIGN =
  /^(external|ext|foreign|remote|merchant|vendor|partner|provider|legacy|upstream|third)$/

const ID_WORDS = /^(ids?|gids?|uuids?|guids?|sids?)$/

/** No value is deeper in a record. */
const MAX_DEPTH = 4
/** Of the collections that are called as a value says, so many are looked at, the closest first. */
const MAX_TRIED = 4

/** Finds where the records of a collection have ids of others. */
export type IdReferenceFinder = (
  own: InferredResource,
  references: ResourceHints['references'],
) => Pick<ResourceHints, 'idReferences'>

export function createIdReferenceFinder(
  groups: ReadonlyMap<string, Group>,
  resource: (path: string) => InferredResource | undefined,
): IdReferenceFinder {
  const words = once((all: ReadonlyMap<string, Group>) => withPeople(all))
  const pathsOf = (called: readonly string[], own: InferredResource): readonly string[] => {
    const named = called.flatMap((word) => words(groups).get(word) ?? [])
    if (named.length === 0) return []
    const paths = [...new Set(closest(named, own.hints.path))]
    return paths.filter((path) => !isAbove(path, own))
  }
  const targetOf = (
    { value, called, catalogue }: ValuePlace,
    own: InferredResource,
  ): string | undefined => {
    const sameKind = isParent(value, own) ? [own.hints.path] : []
    const find = (
      paths: readonly string[],
      isMeant: (found: InferredResource, path: string) => boolean,
    ): string | undefined => {
      // Finding out about a collection takes long in a large document.
      for (const path of paths.slice(0, MAX_TRIED)) {
        const found = resource(path)
        if (found && canBeNamed(found, value, own) && isMeant(found, path)) return found.hints.name
      }
      return undefined
    }
    return (
      find([...sameKind, ...pathsOf(called, own)], ({ hints }) => hints.item !== undefined) ??
      find(
        pathsOf(catalogue, own).filter((path) => !isPartOf(groups, path)),
        (found, path) => isCatalogue(found, value, groups.get(path)),
      )
    )
  }

  return (own, references = {}) => {
    const shown = new Set(
      Object.entries(references).flatMap(([name, to]) =>
        typeof to === 'string' ? [] : [to.by, ...(to.shows === undefined ? [] : [name])],
      ),
    )
    const keys = [own.hints.id, ...(own.hints.keys ?? [])]
    const values = valuesIn(own.context.known ?? {}).filter(
      ({ place: [name = '', ...inner] }) =>
        !shown.has(name) && (inner.length > 0 || !keys.includes(name)),
    )
    const found = values.flatMap((one) => {
      const target = targetOf(one, own)
      return target === undefined ? [] : [[pointerTo(one.place), target] as const]
    })
    return found.length > 0 ? { idReferences: Object.fromEntries(found) } : {}
  }
}

function pointerTo(place: readonly string[]): string {
  const [name = '', ...inner] = place
  return inner.length === 0 && !name.startsWith('/')
    ? name
    : place.map((one) => `/${escapeKey(one)}`).join('')
}

function withPeople(groups: ReadonlyMap<string, Group>): ReadonlyMap<string, readonly NamedPath[]> {
  const words = pathsByWord(groups)
  const people = [...words].flatMap(([word, paths]) =>
    CALLERS.test(word) ? paths.filter(({ above }) => above === undefined) : [],
  )
  return new Map([...words, [PEOPLE, [...new Set(people)]]])
}

/** Whether the records of a collection are below those of another one, whose ids their path has. */
function isAbove(path: string, { hints }: InferredResource): boolean {
  return withoutNames(hints.path).startsWith(`${withoutNames(path)}/`)
}

/** What records of one collection are to each other. */
const SAME_KIND =
  /^(parent|(in)?replyto|replied|previous|next|original|duplicate|forked|cloned|copied)/

/** Whether a value names a record of the same collection, to which another one belongs. */
function isParent({ name }: Pick<ReferringValue, 'name'>, { hints }: InferredResource): boolean {
  return /^parentid$/.test(plainName(name)) && !hints.path.includes('{')
}

/** Whether a value can be the id of a record of a collection. */
function canBeNamed(
  { hints, context }: InferredResource,
  { name, schema }: ReferringValue,
  own: InferredResource,
): boolean {
  if (hints.isSingle || hints.hasHiddenIds) return false
  if (hints.path === own.hints.path && !SAME_KIND.test(plainName(name))) return false
  const id = propertiesOf(context.known ?? {}).get(hints.id)
  if (!id) return false
  const isUuid = withBranches(schema).some(({ format }) => format === 'uuid')

  return isNumeric(id) ? !isUuid : !isNumeric(schema)
}

/** Whether a value may be a text or a number of any kind, and is no list. */
function isScalar(schema: Schema): boolean {
  const types = typesIn(schema)
  const isOne = ['string', 'integer', 'number'].some((type) => types.has(type))
  const isText = withBranches(schema).every(({ format = 'uuid' }) => NO_MOMENTS.test(format))
  return isOne && isText && !types.has('array') && listedValues(schema).length === 0
}

/** The formats that ids may have. */
const NO_MOMENTS = /^(?!date|time|duration|email|ur[il])/

interface ValuePlace {
  readonly place: readonly string[]
  readonly value: ReferringValue
  /** What it may refer to, by the rules. */
  readonly called: readonly string[]
  /** The names of catalogues that it may be of. */
  readonly catalogue: readonly string[]
}

/** So many values of a record are looked at, the outer ones first: some documents have thousands in objects of objects. */
const MAX_VALUES = 400

/**
 * The texts and numbers in a record, and the lists of them, that may refer to others, with their places. Lists on the way are no part of
 * these.
 */
const valuesIn = once((record: Schema): readonly ValuePlace[] => {
  const found: ValuePlace[] = []
  let left = MAX_VALUES
  let level: readonly Inner[] = [{ schema: record, above: [], way: [record] }]
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const values = level.flatMap((one) => [...membersOf(one)].slice(0, left))
    left = Math.max(0, left - values.length)
    found.push(...values.flatMap((one) => (isScalar(one.schema) ? referring(one) : [])))
    level = values.flatMap(objectIn)
  }
  return found
})

/** An object in a record. */
interface Inner {
  readonly schema: Schema
  readonly above: readonly string[]
  /** The objects around it, and itself. */
  readonly way: readonly Schema[]
}

/** A property of an object, with the schema of its value, or of the items of a list. */
interface Member {
  readonly place: readonly string[]
  readonly schema: Schema
  readonly isList: boolean
  readonly way: readonly Schema[]
}

function* membersOf({ schema, above, way }: Inner): Generator<Member> {
  for (const [name, own] of propertiesOf(schema)) {
    const items = itemsOf(own)
    yield { place: [...above, name], schema: items ?? own, isList: items !== undefined, way }
  }
}

/** The object that a property has; none when it is one of those around it. */
function objectIn({ place, schema, way }: Member): readonly Inner[] {
  const isOther = !isScalar(schema) && isObjectSchema(schema) && !way.includes(schema)
  return isOther ? [{ schema, above: place, way: [...way, schema] }] : []
}

/** What a relationship of JSON:API refers to: the `type` beside the `id` in its `data`, else as it is called. */
function relatedTo({ place, schema, way }: Member): ValuePlace | undefined {
  const [outer, relation = '', data, id] = place.slice(-4)
  if (outer !== 'relationships' || data !== 'data' || id !== 'id') return undefined
  const type = propertiesOf(way.at(-1) ?? {}).get('type') ?? {}
  const types = [type.const, type.example, ...listedValues(type)].filter(
    (one) => typeof one === 'string',
  )
  const called = [...types, relation].flatMap((one) => calledAs(wordsOf(one)))
  const value = { name: relation, schema, isList: false, isKey: false }

  return new Set(types).size > 1 ? undefined : { place, value, called, catalogue: [] }
}

function referring(member: Member): readonly ValuePlace[] {
  const { place, schema, isList } = member
  const related = relatedTo(member)
  if (related) return [related]
  const value = { name: place.at(-1) ?? '', schema, isList, isKey: place.length === 1 }
  const all = RULES.flatMap((rule) => rule(value))
  // What people are to a record is the least that says who they are.
  const called = [...all.filter((one) => one !== PEOPLE), ...all.filter((one) => one === PEOPLE)]
  const catalogue = byCatalogue(value)
  return called.length + catalogue.length === 0 ? [] : [{ place, value, called, catalogue }]
}

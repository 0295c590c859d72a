import type { Parameter, Schema } from '../contract/contract.ts'
import { withBranches } from '../contract/schema.ts'
import type { generateValue } from '../generate/generate-value.ts'
import { matches } from '../generate/matches.ts'
import { matchesPattern, patternText } from '../generate/pattern.ts'
import { RandomSource } from '../generate/random.ts'
import { WORDS } from '../generate/words.ts'
import type { Id } from '../records/record-table.ts'
import { digitsOf, largeInteger, roundedValue } from '../validation/large-integers.ts'
import { getOwn, once } from '../validation/objects.ts'
import { createIdGenerator, type GeneratedId, type IdGenerator, triesOf } from './id-generator.ts'

/** How the ids of a collection are generated. */
export interface ResourceIds {
  /** Whether the property may contain the ids; otherwise only paths contain them. */
  readonly fitsProperty: boolean
  /** Whether the paths accept an id, and the property, if it fits at all. */
  readonly accepts: (id: Id) => boolean
  /** The ids of one collection: the same for the same seed and concrete path, such as `orgs/acme/repos`. */
  readonly create: (seed: number, collection: string) => IdGenerator
}

/** How many ids of each kind are tried, and which ones. */
const TRIED: readonly number[] = [1, 2, 3, 60]

/**
 * How the ids of a collection are generated: in the first way whose ids both the property and the paths accept, those of other
 * records too if possible; else in the first whose ids the paths accept. When the paths accept none, as for a parameter that is an
 * object, what the property accepts.
 */
export async function findIds(sources: IdSources): Promise<ResourceIds> {
  const inPaths = (id: Id): boolean => fitsPath(sources, id)
  const inProperty = (id: Id): boolean => fitsProperty(sources, id)
  const inBoth = (id: Id): boolean => inPaths(id) && inProperty(id)
  const inFurther = (id: Id): boolean => fitsFurther(sources, id)
  const inAll = (id: Id): boolean => inBoth(id) && inFurther(id)
  const isUsual = usualWays(sources, ANY_SEED).some((ids) => isDistinctWay(ids, inAll))
  // What generates values is loaded only for ids that are made in none of the usual ways.
  const ways = isUsual
    ? usualWays
    : allWays((await import('../generate/generate-value.ts')).generateValue)
  const tried = ways(sources, ANY_SEED)
  const accepted = (accepts: Accepts): number => {
    const distinct = tried.findIndex((ids) => isDistinctWay(ids, accepts))
    return distinct >= 0 ? distinct : tried.findIndex((ids) => isWay(ids, accepts))
  }
  const all = accepted(inAll)
  const both = all >= 0 ? all : accepted(inBoth)
  const paths = both >= 0 ? both : accepted(inPaths)
  const way = Math.max(0, paths >= 0 ? paths : accepted(inProperty))
  const fits = both >= 0 || paths < 0

  return {
    fitsProperty: fits,
    accepts: (id) => inPaths(id) && (!fits || inProperty(id)) && (all < 0 || inFurther(id)),
    create: (seed, collection) =>
      ways(sources, [seed, collection])[way] ?? countedIds({ toId: (count) => count }),
  }
}

type Accepts = (id: Id) => boolean

/** The ways to generate ids do not depend on the seed, so any seed finds the one to take. */
const ANY_SEED: Seed = [0, '']

/** Whether the first ids of a way are accepted, and different. */
function isDistinctWay(ids: IdGenerator, accepts: Accepts): boolean {
  return isWay(ids, accepts) && new Set(firstIds(ids)).size === firstIds(ids).length
}

/** Whether the first ids of a way are accepted. The first one usually tells, and making them all takes long. */
function isWay(ids: IdGenerator, accepts: Accepts): boolean {
  return accepts(ids.next(ids.start).id) && firstIds(ids).every(accepts)
}

/** Ways to generate ids, the most plausible first. Their number does not depend on the seed. */
type Ways = (sources: IdSources, seed: Seed) => readonly IdGenerator[]

/** All ways: those by the property and the paths, then those that only the paths of other records describe. */
function allWays(generate: typeof generateValue): Ways {
  const ways: Ways = (sources, seed) => [
    ...usualWays(sources, seed),
    ...generatedWays(sources, seed, generate),
  ]
  return (sources, seed) => {
    const { parameters, further = [] } = sources
    const both = { ...sources, parameters: [...parameters, ...further] }
    return [...ways(sources, seed), ...(further.length > 0 ? ways(both, seed) : [])]
  }
}

/** Examples of ids, those of the kind that most of them have first: a document with many `63a07ddf05a3` has a `123` somewhere, too. */
function mostUsual(texts: readonly string[]): readonly string[] {
  const isDigits = (text: string): boolean => /^\d+$/.test(text)
  const digits = texts.filter(isDigits)
  const others = texts.filter((text) => !isDigits(text))

  return others.length > digits.length ? [...others, ...digits] : texts
}

/** The ways that need no generated values. */
function usualWays(sources: IdSources, seed: Seed): readonly IdGenerator[] {
  const { name } = sources
  const schemas = idSchemas(sources)
  const examples = idExamples(sources).filter(
    (one) => fitsPath(sources, one) && fitsProperty(sources, one),
  )
  const texts = mostUsual(examples.filter((one) => typeof one === 'string'))
  const hasText = texts.length > 0

  return [
    ...listedBySchemas(schemas),
    ...(hasText ? [] : [countedNumbers(schemas)]),
    ...texts.flatMap((text) => idsLike(text, seed) ?? (isWord(text) ? slugs(seed) : [])),
    ...textsBySchemas(name, schemas, seed),
    ...plainTexts(schemas, seed),
    ...(hasText ? [countedNumbers(schemas)] : []),
    ...patternTexts(schemas, seed),
  ]
}

/** Values that match all schemas, else one of them. */
function generatedWays(
  { name, property, parameters }: IdSources,
  seed: Seed,
  generate: typeof generateValue,
): readonly IdGenerator[] {
  const roots = [...(property ? [property] : []), ...parameters.map(({ schema }) => schema)]
  const ids = (allOf: readonly Schema[]): IdGenerator =>
    derivedIds((count) => {
      const numbers = numbersOf([...seed, count])
      const request = { schema: { allOf }, seed: numbers, now: FIRST_DAY, place: name }
      const { value } = generate(request, { hasExamples: count === 1 })
      return typeof value === 'string' || typeof value === 'number' ? value : ''
    })

  return [ids(roots), ...roots.map((root) => ids([root]))]
}

/** Whether an example is a name, and not what an editor of documents puts there. */
function isWord(text: string): boolean {
  return /^[a-z]+(-[a-z]+)*$/.test(text) && !/^(string|text|value|id|example|test)$/.test(text)
}

/** The ids that are tried: the first ones, and a later one. */
const firstIds = once((ids: IdGenerator): readonly Id[] => {
  const tried = TRIED.filter((count) => count <= (ids.size ?? Number.POSITIVE_INFINITY))
  const made: Id[] = []
  let state = ids.start
  for (let count = 1; count <= (tried.at(-1) ?? 1); count += 1) {
    const next = ids.next(state)
    state = next.state
    if (tried.includes(count)) made.push(next.id)
  }
  return made
})

/** How ids are counted. */
interface Counting {
  readonly toId: (count: number) => Id
  /** The count in an id that a client chose; `NaN` when it has none. Default: the id as a number. */
  readonly countOf?: (id: Id) => number
  readonly first?: number
  /** The last count. After it, ids start over. */
  readonly last?: number
}

/** Ids that count. An id that a client chose raises the count, so that the next one is free. */
function countedIds({
  toId,
  countOf = Number,
  first = 1,
  last = Number.MAX_SAFE_INTEGER,
}: Counting): IdGenerator {
  return {
    start: first - 1,
    size: last - first + 1,
    next: (state) => {
      const count = state >= first - 1 && state < last ? state + 1 : first
      return { id: toId(count), state: count }
    },
    stateAfter: (state, id) => {
      const count = countOf(id)
      return Number.isSafeInteger(count) && count <= last ? Math.max(state, count) : state
    },
  }
}

/** Ids of a list, in its order. */
function listedIds(ids: readonly Id[]): IdGenerator {
  return countedIds({
    toId: (count) => ids[count - 1] ?? '',
    countOf: () => Number.NaN,
    last: Math.max(1, ids.length),
  })
}

/** Ids that a function makes of their count. A client's own ids do not change the count. */
function derivedIds(toId: (count: number) => Id): IdGenerator {
  return countedIds({ toId, countOf: () => Number.NaN })
}

/** What a document says about the ids of a collection. */
interface IdSources {
  /** The name of the property or of the path parameter, such as `slug`. */
  readonly name: string
  /** The schema of the property that contains the id; absent when no property does. */
  readonly property?: Schema
  /** The path parameters that contain the id: one for each operation on a record. They may be equal. */
  readonly parameters: readonly Parameter[]
  /** The parameters of other records' paths that contain the id, such as those below a record. Ids fit them if they can. */
  readonly further?: readonly Parameter[]
  /** Whether ids are texts, as those in paths. Default: texts or numbers, by the schemas. */
  readonly isText?: boolean
  /** Ids in the examples of the document, the most typical first. */
  readonly examples: readonly unknown[]
}

/** Whether the property may contain an id. */
function fitsProperty({ property }: IdSources, id: Id): boolean {
  return property === undefined || matches(property, roundedValue(id))
}

/** Whether the paths of a record may contain an id. */
function fitsPath({ parameters, isText }: IdSources, id: Id): boolean {
  const text = digitsOf(String(id))
  if (isText !== undefined && isText !== (typeof roundedValue(id) === 'string')) return false
  if (text === '' || text === '.' || text === '..') return false
  return fitsAll(parameters, text)
}

/** Whether the paths of other records, such as those below a record, may contain an id of it. */
function fitsFurther({ further = [] }: IdSources, id: Id): boolean {
  return fitsAll(further, digitsOf(String(id)))
}

function fitsAll(parameters: readonly Parameter[], text: string): boolean {
  const number = Number(text)
  const isNumber = String(number) === text || largeInteger(text) !== undefined
  return parameters.every(({ validate }) => validate(text) || (isNumber && validate(number)))
}

/** The schemas that describe the id, the property's first, each with its branches. */
function idSchemas({ property, parameters }: IdSources): readonly Schema[] {
  const schemas = [...(property ? [property] : []), ...parameters.map(({ schema }) => schema)]
  return [...new Set(schemas.flatMap(withBranches))]
}

/** The examples of ids: those of the document's messages, then those of the schemas and the parameters. */
function idExamples(sources: IdSources): readonly Id[] {
  const { examples, parameters } = sources
  const given = [
    ...examples,
    ...parameters.map(({ example }) => example),
    ...idSchemas(sources).flatMap((schema) => [
      schema.example,
      ...(Array.isArray(schema.examples) ? schema.examples : []),
    ]),
  ]
  return given.filter((one) => typeof one === 'string' || Number.isSafeInteger(one))
}

/** Dates in ids count from this day. */
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')
const DAY = 86_400_000

type Seed = readonly (number | string)[]

/** The values that schemas list, for ids that are one of them. */
function listedBySchemas(schemas: readonly Schema[]): readonly IdGenerator[] {
  return schemas.flatMap((schema) => {
    const { enum: values = [], const: only } = schema
    const listed = [...values, only].filter(
      (one): one is Id => typeof one === 'string' || typeof one === 'number',
    )
    return listed.length > 0 ? [listedIds([...new Set(listed)])] : []
  })
}

/** Numbers between the limits of the schemas. */
function countedNumbers(schemas: readonly Schema[]): IdGenerator {
  const limits = (keyword: 'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum') =>
    schemas.flatMap((schema) => (typeof schema[keyword] === 'number' ? [schema[keyword]] : []))
  const min = Math.max(1, ...limits('minimum'), ...limits('exclusiveMinimum').map((one) => one + 1))
  const isShort = schemas.some(({ format }) => format === 'int32')
  const steps = schemas.flatMap(({ multipleOf = 1 }) => (multipleOf > 1 ? [multipleOf] : []))
  const step = Math.max(1, ...steps.map(Math.ceil))
  const max = Math.min(
    isShort ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER,
    ...limits('maximum'),
    ...limits('exclusiveMaximum').map((one) => one - 1),
  )
  const first = Math.ceil(min / step)

  return countedIds({
    toId: (count) => count * step,
    countOf: (id) => Number(id) / step,
    first,
    last: Math.max(first, Math.floor(max / step)),
  })
}

/** What ids are when only their format says something. */
const BY_FORMAT = {
  date: (count) => isoTime(count).slice(0, 10),
  'date-time': (count) => isoTime(count).replace('.000', ''),
  email: (count) => `user${count}@example.com`,
  hostname: (count) => `host-${count}.example.com`,
  uri: (count) => `https://example.com/${count}`,
  ipv4: (count) => `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`,
  ipv6: (count) => `2001:db8::${count.toString(16)}`,
} satisfies Readonly<Record<string, (count: number) => string>>

function isoTime(count: number): string {
  return new Date(FIRST_DAY + (count - 1) * DAY).toISOString()
}

/** Ids of the formats and by the names of the schemas, the most plausible first. */
function textsBySchemas(
  name: string,
  schemas: readonly Schema[],
  seed: Seed,
): readonly IdGenerator[] {
  const formats = schemas.flatMap(({ format }) => (typeof format === 'string' ? [format] : []))
  const [firstSeed = 0] = numbersOf(seed)
  const byFormat = formats.flatMap((format) => {
    if (format === 'uuid' || format === 'guid') return uuids(firstSeed)
    const toText = getOwn(BY_FORMAT, format)
    return toText ? [derivedIds(toText)] : []
  })
  const byName = [
    ...(/(uu|gu)_?id$/i.test(name) ? uuids(firstSeed) : []),
    ...(/e?mail$/i.test(name) ? [derivedIds(BY_FORMAT.email)] : []),
    ...(/(slug|handle|login|name|label|title|tag)$/i.test(name) ? [slugs(seed)] : []),
  ]
  return [...byFormat, ...byName]
}

function uuids(seed: number): readonly IdGenerator[] {
  const generator = createIdGenerator({ type: 'string', format: 'uuid' }, seed)
  return generator ? [generator] : []
}

/** One number for a seed of several parts. */
function numbersOf(seed: Seed): readonly number[] {
  return [Math.floor(RandomSource.from(seed).next() * 2 ** 31)]
}

/** Two words, with a number when all pairs are used up. */
function slugs(seed: Seed): IdGenerator {
  const random = RandomSource.from([...seed, 'slug'])
  const [firsts, seconds] = [random.shuffle(WORDS), random.shuffle(WORDS)]

  return derivedIds((count) => {
    const at = count - 1
    const first = firsts[at % firsts.length]
    const round = Math.floor(at / firsts.length)
    const second = seconds[(at + round) % seconds.length]
    const repeat = Math.floor(round / seconds.length)
    return `${first}-${second}${repeat > 0 ? `-${repeat + 1}` : ''}`
  })
}

/** Where texts of digits begin to count, so that a mistyped id is rather unknown than that of another record. */
const FIRST_NUMBER = 1001

/** Texts of plain forms, for patterns and lengths: counted, with zeros in front, UUIDs and hexadecimal ones. */
function plainTexts(schemas: readonly Schema[], seed: Seed): readonly IdGenerator[] {
  const [firstSeed = 0] = numbersOf(seed)
  const hex = (length: number): IdGenerator =>
    derivedIds((count) => {
      const random = RandomSource.from([...seed, length, count])
      return Array.from({ length }, () => random.integer(0, 15).toString(16)).join('')
    })
  const bounds = {
    minLength: Math.max(0, ...schemas.flatMap(({ minLength = 0 }) => minLength)),
    maxLength: Math.min(...schemas.map(({ maxLength = 9 }) => maxLength), 9),
  }
  const width = Math.max(bounds.minLength, Math.min(6, bounds.maxLength))
  const padded = (countWidth: number, first = 1): IdGenerator =>
    countedIds({
      first,
      toId: (count) => String(count).padStart(countWidth, '0'),
      last: 10 ** Math.min(15, Math.max(countWidth, bounds.maxLength)) - 1,
    })

  return [
    padded(width),
    padded(0, FIRST_NUMBER),
    padded(0),
    ...uuids(firstSeed),
    hex(24),
    hex(32),
    hex(40),
  ]
}

/** Texts that match the patterns of the schemas. */
function patternTexts(schemas: readonly Schema[], seed: Seed): readonly IdGenerator[] {
  return schemas.flatMap(({ pattern, minLength = 0, maxLength = 100 }) => {
    if (typeof pattern !== 'string') return []
    const make = (count: number): string =>
      patternText(
        withFirstPrefix(pattern),
        { min: minLength, max: maxLength },
        RandomSource.from([...seed, count]),
        (text) => matchesPattern(pattern, text) && text.length <= maxLength,
      ) ?? ''
    return [derivedIds(make)]
  })
}

/** A pattern with the first of the prefixes that it allows: ids of the same records have the same one. */
function withFirstPrefix(pattern: string): string {
  return pattern.replace(/^\^\((?:\?:)?(\w+)(\|\w+)+\)(?![?*+{])/, '^$1')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A prefix that ends with a separator, and the rest: `cus_` and `NffrFeUfNV2Hib`. */
const PREFIXED = /^(.*[_\-.:])([A-Za-z0-9]+)$/

/** Longer numbers are no counts. */
const MAX_DIGITS = 15

/** Shorter texts are words or counts, unless they are hexadecimal. */
const MIN_RANDOM = 6

/** A short text of digits and letters, which is no word. */
const SHORT = /^(?=\D*\d\D*\d)(?=.*[A-Za-z])[A-Za-z0-9]{4,5}$/

/**
 * Ids of the same form as an example: of the same prefix, length and alphabet, or counted. `undefined` for a word, which says
 * nothing about other ids.
 */
function idsLike(example: string, seed: readonly (number | string)[]): IdGenerator | undefined {
  if (UUID.test(example)) return uuidsLike(example, seed)
  if (/^\d+$/.test(example)) return numbersLike('', example, seed)
  const [, prefix = '', rest = example] = PREFIXED.exec(example) ?? []
  if (/^\d+$/.test(rest)) return numbersLike(prefix, rest, seed)

  return isRandom(rest) || (prefix !== '' && (PLACEHOLDER.test(rest) || SHORT.test(rest)))
    ? textsLike(prefix, rest, seed)
    : undefined
}

function uuidsLike(example: string, seed: readonly (number | string)[]): IdGenerator {
  const isUpper = example !== example.toLowerCase()
  const version = example.charAt(14)

  return derivedIds((count) => {
    const random = RandomSource.from([...seed, count])
    const form = `xxxxxxxx-xxxx-${version}xxx-yxxx-xxxxxxxxxxxx`
    const text = form.replace(/[xy]/g, (kind) =>
      (kind === 'x' ? random.integer(0, 15) : 8 + random.integer(0, 3)).toString(16),
    )
    return isUpper ? text.toUpperCase() : text
  })
}

/** Counted texts with as many digits as their example. A length that no count has is kept, too. */
function numbersLike(
  prefix: string,
  digits: string,
  seed: readonly (number | string)[],
): IdGenerator {
  if (digits.length > MAX_DIGITS) return textsLike(prefix, digits, seed)
  const width = digits.startsWith('0') ? digits.length : 0
  const first = width > 0 || digits.length === 1 ? 1 : 10 ** (digits.length - 1) + 1
  const toId = (count: number): string => prefix + String(count).padStart(width, '0')
  const countOf = (id: number | string): number => {
    const text = String(id)
    return text.startsWith(prefix) ? Number(text.slice(prefix.length)) : Number.NaN
  }

  return countedIds({ toId, countOf, first })
}

/** Whether a text looks like a random one, such as `NffrFeUfNV2Hib` or `507f1f77bcf86cd799439011`, and not like a word. */
function isRandom(text: string): boolean {
  if (text.length < MIN_RANDOM) return false
  const isMixed = /\d/.test(text) && /[A-Za-z]/.test(text)
  // A word with a number at its end, such as "example1".
  const isNumbered = /^[A-Za-z]+\d{1,4}$/.test(text)

  return (isMixed && !isNumbered) || /[a-z][A-Z].*[a-z][A-Z]/.test(text)
}

/** What documents write for the random part of an id: `file-abc123`. */
const PLACEHOLDER = /^(abc|xyz)\d+$/i

const ALPHABETS: readonly (readonly [kind: RegExp, characters: string])[] = [
  [/[0-9]/, '0123456789'],
  [/[a-z]/, 'abcdefghijklmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
]

function textsLike(prefix: string, rest: string, seed: readonly (number | string)[]): IdGenerator {
  const alphabet = alphabetOf(rest)

  return derivedIds((count) => {
    const random = RandomSource.from([...seed, count])
    const characters = Array.from(
      rest,
      (_, at) => (at === 0 && pickDigit(rest, alphabet, random)) || random.pick([...alphabet]),
    )
    return prefix + characters.join('')
  })
}

/** The first digit of a number is not zero. */
function pickDigit(rest: string, alphabet: string, random: RandomSource): string | undefined {
  return alphabet === '0123456789' && !rest.startsWith('0')
    ? String(random.integer(1, 9))
    : undefined
}

function alphabetOf(text: string): string {
  if (/^[0-9a-f]+$/.test(text)) return /^\d+$/.test(text) ? '0123456789' : '0123456789abcdef'
  if (/^[0-9A-F]+$/.test(text)) return '0123456789ABCDEF'
  const alphabets = ALPHABETS.filter(([kind]) => kind.test(text))
  return alphabets.map(([, characters]) => characters).join('')
}

/** The next id that is not taken; `undefined` when all of them are. */
export function nextFreeId(
  ids: IdGenerator,
  state: number,
  isTaken: (id: Id) => boolean,
): GeneratedId | undefined {
  const tries = triesOf(ids)
  let generated = ids.next(state)
  for (let tried = 1; isTaken(generated.id); tried += 1) {
    if (tried >= tries) return undefined
    generated = ids.next(generated.state)
  }
  return generated
}

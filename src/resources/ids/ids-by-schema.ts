import type { Schema } from '../../contract/contract.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { withoutHints } from '../../generate/hinted-values.ts'
import { WORDS } from '../../generate/locale.ts'
import { matchesPattern, patternText } from '../../generate/pattern.ts'
import { RandomSource } from '../../generate/random.ts'
import type { Id } from '../../records/record-table.ts'
import { createIdGenerator, type IdGenerator } from '../id-generator.ts'
import { countedIds, derivedIds, listedIds } from './counted-ids.ts'

/** Dates in ids count from this day. */
const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')
const DAY = 86_400_000

type Seed = readonly (number | string)[]

/** The values that schemas list, for ids that are one of them. */
export function listedBySchemas(schemas: readonly Schema[]): readonly IdGenerator[] {
  return schemas.flatMap((schema) => {
    const { enum: values = [], const: only } = schema
    const listed = [...values, only].filter(
      (one): one is Id => typeof one === 'string' || typeof one === 'number',
    )
    return listed.length > 0 ? [listedIds([...new Set(listed)])] : []
  })
}

/** Numbers between the limits of the schemas. */
export function countedNumbers(schemas: readonly Schema[]): IdGenerator {
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
const BY_FORMAT: Readonly<Record<string, (count: number) => string>> = {
  date: (count) => isoTime(count).slice(0, 10),
  'date-time': (count) => isoTime(count).replace('.000', ''),
  email: (count) => `user${count}@example.com`,
  hostname: (count) => `host-${count}.example.com`,
  uri: (count) => `https://example.com/${count}`,
  ipv4: (count) => `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`,
  ipv6: (count) => `2001:db8::${count.toString(16)}`,
}

function isoTime(count: number): string {
  return new Date(FIRST_DAY + (count - 1) * DAY).toISOString()
}

/** Ids of the formats and by the names of the schemas, the most plausible first. */
export function textsBySchemas(
  name: string,
  schemas: readonly Schema[],
  seed: Seed,
): readonly IdGenerator[] {
  const formats = schemas.flatMap(({ format }) => (typeof format === 'string' ? [format] : []))
  const [firstSeed = 0] = numbersOf(seed)
  const byFormat = formats.flatMap((format) => {
    if (format === 'uuid' || format === 'guid') return uuids(firstSeed)
    const toText = Object.hasOwn(BY_FORMAT, format) ? BY_FORMAT[format] : undefined
    return toText ? [derivedIds(toText)] : []
  })
  const byName = [
    ...(/(uu|gu)_?id$/i.test(name) ? uuids(firstSeed) : []),
    ...(/(slug|handle|login|user_?name)$/i.test(name) ? [slugs(seed)] : []),
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
export function slugs(seed: Seed): IdGenerator {
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
export function plainTexts(schemas: readonly Schema[], seed: Seed): readonly IdGenerator[] {
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
export function patternTexts(schemas: readonly Schema[], seed: Seed): readonly IdGenerator[] {
  return schemas.flatMap(({ pattern, minLength = 0, maxLength = 100 }) => {
    if (typeof pattern !== 'string') return []
    const make = (count: number): string =>
      patternText(
        pattern,
        { min: minLength, max: maxLength },
        RandomSource.from([...seed, count]),
        (text) => matchesPattern(pattern, text) && text.length <= maxLength,
      ) ?? ''
    return [derivedIds(make)]
  })
}

/** Any values that match all of the schemas. */
export function generatedIds(allOf: readonly Schema[], name: string, seed: Seed): IdGenerator {
  const now = FIRST_DAY
  return derivedIds((count) => {
    const request = { schema: { allOf }, seed: [...numbersOf([...seed, count])], now, place: name }
    const { value } = generateValue(request, { makeHinted: withoutHints, hasExamples: count === 1 })
    return typeof value === 'string' || typeof value === 'number' ? value : ''
  })
}

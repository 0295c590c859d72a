import type { Schema } from '../contract/contract.ts'
import { describedValues } from '../contract/schema.ts'
import { allTexts, hasFormats, limitOf } from './constraints.ts'
import { codePoints, matches } from './matches.ts'
import { momentFor, namedText, phrase, uuid } from './named-values.ts'
import { personOf } from './names.ts'
import { isTestable, matchesPattern, patternText } from './pattern.ts'
import type { Maker, Place } from './place.ts'
import type { RandomSource } from './random.ts'
import { textsLikeExamples } from './samples.ts'
import { WORDS } from './words.ts'

/** No text is longer, unless its schema demands it. */
const MAX_LENGTH = 2000

/** No text that a schema demands is longer. */
const MAX_DEMANDED_LENGTH = 100_000

interface Limits {
  readonly min: number
  readonly max: number
}

/** A text that matches all of the schemas; `undefined` when none is found. */
export function textValue(schemas: readonly Schema[], place: Place, maker: Maker): unknown {
  const min = limitOf(schemas, 'minLength', Math.max) ?? 0
  const max = limitOf(schemas, 'maxLength', Math.min) ?? Math.max(min, MAX_LENGTH)
  if (min > max)
    return maker.fail(place, `no text has at least ${min} and at most ${max} characters`)
  if (min > MAX_DEMANDED_LENGTH) {
    return maker.fail(place, `texts of ${min} characters are not generated`)
  }
  const isValid = (text: string): boolean => schemas.every((schema) => matches(schema, text))
  const patterns = allTexts(schemas, 'pattern')
  const limits = { min, max }
  for (const text of plausible(schemas, limits, place, maker)) {
    if (patterns.every((pattern) => isTestable(pattern, text)) && isValid(text)) return text
  }
  for (const pattern of patterns) {
    const text = patternText(pattern, limits, place.random.part(pattern), isValid)
    if (text !== undefined) return text
  }
  for (const text of furtherTexts(schemas, limits, place, maker)) if (isValid(text)) return text
  if (patterns.length === 0) return maker.fail(place, 'no text was found that matches its schema')
  return maker.fail(place, `no text was found that matches its pattern ${patterns.join(' and ')}`)
}

/** Texts that fit the name and the formats of a value, the most plausible first. */
function* plausible(
  schemas: readonly Schema[],
  limits: Limits,
  place: Place,
  maker: Maker,
): Generator<string> {
  const formats = allTexts(schemas, 'format')
  const named = namedText(place, maker.now, limits)
  const isFixed = formats.some(isKnownFormat)
  const { first, last } = textsLikeExamples(schemas, place, maker.now)
  if (!isFixed) yield* first
  const unit = schemas.find(({ describedTime }) => describedTime)?.describedTime
  if (unit) {
    const moment = momentFor(place.name, maker.now, place)
    yield unit === 'mail'
      ? new Date(moment).toUTCString().replace('GMT', '+0000')
      : String(unit === 'milliseconds' ? moment : moment / 1000)
  }
  const described = schemas.flatMap(describedValues)
  yield* place.random.part('described').shuffle(described)
  if (named !== undefined && !isFixed) yield named
  yield* formats.flatMap((one) => formatText(one, limits, place, maker.now) ?? [])
  if (named !== undefined && isFixed && hasFormats(named, formats)) yield named
  yield* last
}

/** Texts that may be valid by chance. */
function* furtherTexts(
  schemas: readonly Schema[],
  limits: Limits,
  place: Place,
  maker: Maker,
): Generator<string> {
  const { random } = place
  const formats = allTexts(schemas, 'format')
  yield* joinedTexts(allTexts(schemas, 'pattern'), limits, place)
  yield fitted(phrase(random.part('phrase')), limits)
  for (let attempt = 0; attempt < 8; attempt += 1) {
    const other = random.part(`other ${attempt}`)
    yield* formats.flatMap(
      (one) => formatText(one, limits, { ...place, random: other }, maker.now) ?? [],
    )
    yield fitted(attempt % 2 === 0 ? phrase(other, 3) : String(other.integer(1, 1e9)), limits)
  }
  yield* ['', '0', 'a', 'A', '/', '#', '-', 'a'.repeat(limits.min), '1'.repeat(limits.min)]
}

/** For several patterns, a text for each of them in a row: one may be about the start, and another about the end. */
function joinedTexts(
  patterns: readonly string[],
  { max }: Limits,
  { random }: Place,
): readonly string[] {
  if (patterns.length < 2) return []
  const parts = patterns.flatMap((pattern) => {
    const isValid = (text: string): boolean => matchesPattern(pattern, text)
    return patternText(pattern, { min: 0, max }, random.part(pattern), isValid) ?? []
  })
  return [parts.join(''), [...parts].reverse().join('')]
}

/** A text that is cut or continued so that it has an allowed length. */
function fitted(text: string, { min, max }: Limits): string {
  if (codePoints(text) > max) return text.slice(0, max).replace(/ $/, 'a')
  if (codePoints(text) >= min) return text
  const words = ` ${WORDS.slice(0, 8).join(' ')}`
  const long = text + words.repeat(Math.ceil((min - text.length) / words.length))

  return long.slice(0, min).replace(/ $/, 'a')
}

/** What a text of a format is made of. */
interface Parts {
  readonly now: number
  readonly place: Place
  readonly random: RandomSource
  /** How many characters the text must have at least. */
  readonly min: number
  readonly max: number
}

/** A text with a format; `undefined` for formats that say nothing about the text. */
function formatText(
  format: string,
  limits: { readonly min: number; readonly max: number },
  place: Place,
  now: number,
): string | undefined {
  const make = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined

  return make?.({ now, place, random: place.random.part('format'), ...limits })
}

/** The formats whose texts a name may not replace. */
function isKnownFormat(format: string): boolean {
  return Object.hasOwn(FORMATS, format)
}

type Make = (parts: Parts) => string

const iso: Make = ({ now, place }) => new Date(momentFor(place.name, now, place)).toISOString()
const word = (random: RandomSource): string => random.pick(WORDS) ?? 'amber'

/** Fills a text up to a length with a letter that its format allows in this part. */
function filled(start: string, end: string, { min, max }: Parts, shortest: string): string {
  const text = start + 'a'.repeat(Math.max(0, min - start.length - end.length)) + end
  return text.length <= max ? text : shortest + 'a'.repeat(Math.max(0, min - shortest.length))
}

function hostname(parts: Parts): string {
  const { random, min, max } = parts
  const text = `${word(random)}.example.com`
  if (text.length > max) return 'a'.repeat(Math.max(1, Math.min(min, 63)))
  const missing = Math.max(0, min - text.length)

  return `${'a'.repeat(50)}.`.repeat(Math.ceil(missing / 51)) + text
}

const uri: Make = (parts) => {
  const { place, random } = parts
  const name = place.name.toLowerCase()
  const isImage = /image|img|avatar|photo|picture|icon|logo|thumb|banner|cover/.test(name)
  const path = `${word(random)}/${random.integer(1, 999)}`
  const text = `https://example.com/${isImage ? 'images/' : ''}${path}`

  return filled(text, isImage ? '.png' : '', parts, 'http://a.co')
}

const email: Make = (parts) => {
  const { first, last } = personOf(parts.place.subject)
  return filled(`${first}.${last}`.toLowerCase(), '@example.com', parts, 'a@b.co')
}

const base64: Make = ({ random, min, max }) => {
  const text = btoa(`${word(random)} ${word(random)}`)
  if (text.length >= min && text.length <= max) return text
  return 'QUJD'.repeat(Math.max(1, Math.ceil(min / 4))).slice(0, max < 4 ? 0 : undefined)
}

const FORMATS: Readonly<Record<string, Make>> = {
  date: (parts) => iso(parts).slice(0, 10),
  'date-time': (parts) => iso(parts).replace('.000', ''),
  time: (parts) => iso(parts).slice(11).replace('.000', ''),
  'iso-time': (parts) => iso(parts).slice(11, 19),
  'iso-date-time': (parts) => iso(parts).replace('.000', ''),
  duration: ({ random }) => `P${random.integer(1, 90)}D`,
  email,
  'idn-email': email,
  hostname,
  'idn-hostname': hostname,
  ipv4: ({ random }) => `192.0.2.${random.integer(1, 254)}`,
  ip: ({ random }) => `192.0.2.${random.integer(1, 254)}`,
  ipv6: ({ random }) => `2001:db8::${random.integer(1, 0xffff).toString(16)}`,
  uri,
  url: uri,
  iri: uri,
  'uri-reference': (parts) => filled(`/${word(parts.random)}`, '', parts, 'a'),
  'iri-reference': (parts) => filled(`/${word(parts.random)}`, '', parts, 'a'),
  'uri-template': (parts) => filled('https://example.com/{id}', '', parts, 'a'),
  uuid: ({ random }) => uuid(random),
  guid: ({ random }) => uuid(random),
  'json-pointer': (parts) => filled(`/${word(parts.random)}`, '', parts, ''),
  'json-pointer-uri-fragment': (parts) => filled(`#/${word(parts.random)}`, '', parts, '#'),
  'relative-json-pointer': (parts) => filled(`0/${word(parts.random)}`, '', parts, '0'),
  regex: ({ random }) => `^${word(random)}$`,
  byte: base64,
  base64,
  base64url: base64,
  password: (parts) =>
    filled(`${word(parts.random)}-${parts.random.integer(100, 999)}`, '', parts, ''),
  int32: ({ random }) => String(random.integer(1, 999)),
  int64: ({ random }) => String(random.integer(1, 999)),
  uint64: ({ random }) => String(random.integer(1, 999)),
  decimal: ({ random }) => (random.integer(100, 99_999) / 100).toFixed(2),
}

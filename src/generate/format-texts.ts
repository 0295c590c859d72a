import { momentFor } from './moments.ts'
import { personOf } from './people.ts'
import type { Place } from './place.ts'
import type { RandomSource } from './random-source.ts'
import { WORDS } from './words.ts'

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
export function formatText(
  format: string,
  limits: { readonly min: number; readonly max: number },
  place: Place,
  now: number,
): string | undefined {
  const make = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined

  return make?.({ now, place, random: place.random.part('format'), ...limits })
}

/** The formats whose texts a name may not replace. */
export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(FORMATS, format)
}

type Make = (parts: Parts) => string

const iso: Make = ({ now, place }) => new Date(momentFor(place.name, now, place)).toISOString()
const word = (random: RandomSource): string => random.pick(WORDS) ?? 'amber'

/** A UUID of version 4. */
export function uuid(random: RandomSource): string {
  const digit = (max = 15): string => random.integer(0, max).toString(16)
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (kind) =>
    kind === 'x' ? digit() : (8 + random.integer(0, 3)).toString(16),
  )
}

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

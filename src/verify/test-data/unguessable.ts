import type { Operation, Schema, SchemaValidator } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer } from '../../contract/schema.ts'
import { generateValue } from '../../generate/generate-value.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject, once } from '../../validation/objects.ts'
import type { ProbeRequest } from '../messages.ts'
import { placeOfValues, sentPlace, valueAt } from '../record-address.ts'
import { typeOf } from './values.ts'

const LENGTH = 12

/** So many numbers have to be possible, so that one of them is that of no record. */
const LEAST_RANGE = 1_000_000_000

const TOKEN: RegExp = /verify-?[a-z0-9]{12}/gi

/** A word that no record contains by chance. */
export function unguessableWord(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH))
  return `verify-${Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')}`
}

/** The unguessable words in a text. */
export function wordsOf(text: string): readonly string[] {
  return (text.match(TOKEN) ?? []).map((word) => word.toLowerCase())
}

/** A value with other unguessable words in its texts. */
export function withOtherWords(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(TOKEN, unguessableWord)
  if (Array.isArray(value)) return value.map(withOtherWords)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withOtherWords(one)]))
}

/** Whether a text contains one of the unguessable words of another. */
export function sharesWord(one: string, other: string): boolean {
  const text = other.toLowerCase()
  return wordsOf(one).some((word) => text.includes(word))
}

/** An id that no record has by chance; `undefined` when the schema allows none. */
export function unguessableId(
  schema: Schema,
  ...validators: readonly SchemaValidator[]
): string | number | undefined {
  const word = unguessableWord()
  const plain = word.replace('-', '')
  const isNumber = typeOf(schema) === 'integer' || typeOf(schema) === 'number'
  const candidates = isNumber
    ? [numberIn(schema)]
    : [word, plain, plain.toUpperCase(), crypto.randomUUID(), `${word}.example.`]
  const fits = (one: string | number | undefined): boolean =>
    one !== undefined && validators.every((isValid) => isValid(one))
  const found = candidates.find(fits)
  if (found !== undefined || isNumber) return found
  const text = randomText(variedForm(schema))

  return fits(text) ? text : undefined
}

/** The lengths of texts that are tried, and how many are made to see how they vary. */
const LENGTHS = [16, 12, 10, 8, 6]
const SAMPLES = 40

/** The schema with a length at which it has so many texts that nobody could guess one; `undefined` when there is none. */
const variedForm = once(
  ({ pattern = '^[a-z][a-z0-9]*$', minLength = 0, maxLength = 100 }: Schema): Schema | undefined =>
    LENGTHS.map((length) => ({
      ...{ type: 'string', pattern },
      minLength: Math.max(minLength, length),
      maxLength: Math.min(maxLength, length + 8),
    })).find((form) => {
      if (form.minLength > form.maxLength) return false
      const texts = Array.from({ length: SAMPLES }, () => randomText(form) ?? '')
      return waysToWrite(texts) >= LEAST_RANGE
    }),
)

/** A text of the form that a schema has, such as eight capitals. */
function randomText(schema: Schema | undefined): string | undefined {
  if (!schema) return undefined
  const { value } = generateValue({ schema, seed: unguessableWord(), now: 0 })
  return typeof value === 'string' ? value : undefined
}

/** How many texts there are at least that have, at each place, one of the characters that some texts have there. */
function waysToWrite(texts: readonly string[]): number {
  const places = Math.min(...texts.map(({ length }) => length))
  let ways = 1
  for (let at = 0; at < places; at += 1) ways *= new Set(texts.map((text) => text[at])).size
  return ways
}

/** A large integer in the range of a schema and of 32 bits, unless the range begins above. */
function numberIn({ minimum = 0, maximum, format }: Schema): number | undefined {
  const limit = format === 'int64' ? Number.MAX_SAFE_INTEGER : 2 ** 31 - 1
  const end = Math.min(maximum ?? limit, limit)
  const start = Math.max(minimum, end - LEAST_RANGE)
  if (end - start < LEAST_RANGE) return undefined
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))

  return Math.floor(start + (random / 2 ** 32) * (end - start))
}

/** The properties by which services often recognize a record, other than its id. */
const NAMES = /(name|title|key|slug|login|e-?mail)$/i

/** Texts in which a person writes anything. */
const FREE = /(comment|description|text|notes?|summary|message|reason|content)$/i

/**
 * The body of a creation with names that no other record has: a service may replace the record with the same name. Where nothing else in
 * the response shows that the record is new, such as a 201, other texts are new as well.
 */
export function withOwnNames({ body, responses }: Operation, value: unknown): unknown {
  if (!body || !isObject(value)) return value
  const [first, ...others] = Object.values(value)
  const place = isObject(first) && others.length === 0 ? Object.keys(value) : []
  const values = placeOfValues(body.schema, place.map((name) => `/${name}`).join(''))
  const record = valueAt(value, values)
  if (!isObject(record)) return value
  const isStated = responses.some(({ status }) => status === 201)
  const isOwn = (name: string): boolean => NAMES.test(name) || (!isStated && FREE.test(name))

  return Object.entries(record).reduce<unknown>((renamed, [name, text]) => {
    if (typeof text !== 'string' || !isOwn(name)) return renamed
    const own = text.includes('@')
      ? `${unguessableWord()}@example.com`
      : `${text} ${unguessableWord()}`
    const found = [own, own.replace(' ', '-'), unguessableWord()]
      .map((one) => withValueAt(renamed, [...parsePointer(values), name], one))
      .find((one) => body.validate(one))
    return found ?? renamed
  }, value)
}

/** The request with other texts and numbers in its record, but for the id. A value that makes the body invalid is not taken. */
export function withOtherValues(request: ProbeRequest, binding: ResourceBinding): ProbeRequest {
  const { operation, hints, resource } = binding
  const place = sentPlace(binding)
  let body = parseJsonText(request.body ?? '')
  const record = valueAt(body, place)
  if (!isObject(record)) return request
  for (const [name, value] of Object.entries(record)) {
    const isOther = typeof value === 'string' || typeof value === 'number'
    if (!isOther || [resource.id, hints.id, hints.sentId].includes(name)) continue
    // A service may show by its words only that a record is new.
    const words = wordsOf(String(value)).map(unguessableWord)
    const candidates = typeof value === 'number' ? [value + 1] : [...words, 'changed by verify']
    const other = candidates
      .map((one) => withValueAt(body, [...parsePointer(place), name], one))
      .find((one) => operation.body?.validate(one))
    if (other !== undefined) body = other
  }
  return { ...request, body: JSON.stringify(body) }
}

import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { Schema } from '../../contract/contract.ts'
import { getOwn, isObject, setOwn } from '../../validation/objects.ts'
import type { UsageError } from '../../validation/usage-error.ts'

/** A collection, and what its records consist of. */
export type CollectionDetails = Awaited<ReturnType<SandboxClient['describeCollection']>>

/** A property of the records of a collection. */
export type RecordProperty = CollectionDetails['properties'][number]

/** A collection with the number of its records. */
export type CollectionCount = Awaited<ReturnType<SandboxClient['collectionCounts']>>[number]

/** A record that a collection is below. */
interface Parent {
  /** The collection of the record. */
  readonly collection: string
  readonly id: string
}

/** The records that a collection is below, the outermost first, such as the zoo `7` of `zoos/7/animals`. */
export function parentsOf(name: string, collections: readonly string[]): readonly Parent[] {
  const segments = name.split('/')
  const isSame = (template: readonly string[], to: number): boolean =>
    template.length === to &&
    template.every((one, at) => one === segments[at] || (one.startsWith('{') && at < to))
  const templates = collections.map((one) => one.split('/'))
  const own = templates.find((template) => isSame(template, segments.length)) ?? []

  return own.flatMap((segment, at) => {
    const isKnown = templates.some((template) => isSame(template, at))
    if (!(segment.startsWith('{') && isKnown)) return []
    return [{ collection: segments.slice(0, at).join('/'), id: segments[at] ?? '' }]
  })
}

/** The outermost record that a collection is below and that does not exist; `null` when all exist or cannot be looked up. */
export async function findMissingParent(
  client: Pick<SandboxClient, 'collection' | 'collectionsTo'>,
  name: string,
): Promise<Parent | null> {
  if (!name.includes('/')) return null
  for (const parent of parentsOf(name, await client.collectionsTo(name))) {
    const record = await client.collection(parent.collection).get(parent.id)
    if (record === undefined) return parent
  }
  return null
}

/** A record, as the control interface gives it. */
export type RecordValues = Readonly<Record<string, unknown>>

/** The texts of a form by the names of the properties. */
export type FormTexts = Readonly<Record<string, string>>

/** What a form or a JSON text says about a record. */
export interface ReadRecord {
  readonly values: RecordValues
  /** What is wrong, by the name of the property; the empty name is for the whole record. */
  readonly errors: Readonly<Record<string, string>>
}

/** The properties of the schema, and those that only this record has. */
export function allProperties(
  properties: readonly RecordProperty[],
  record: RecordValues,
): readonly RecordProperty[] {
  const named = new Set(properties.map(({ name }) => name))
  const further = Object.keys(record).filter((name) => !named.has(name))
  return [
    ...properties,
    ...further.map((name) => ({ name, schema: {}, required: false, readOnly: false })),
  ]
}

/** The texts of the inputs for a record. */
export function toTexts(properties: readonly RecordProperty[], record: RecordValues): FormTexts {
  return Object.fromEntries(
    properties.map(({ name, schema }) => {
      const value = getOwn(record, name)
      return [name, toText(value, inputKindOf(schema, value))]
    }),
  )
}

/** The record of a form. `initial` is the record before it was edited; empty for a new one. */
export function readForm(
  properties: readonly RecordProperty[],
  texts: FormTexts,
  initial: RecordValues,
): ReadRecord {
  // A property may be called `constructor` or `__proto__`.
  const values: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const { name, schema } of properties) {
    const before = getOwn(initial, name)
    const text = getOwn(texts, name) ?? ''
    const isSame = text === toText(before, inputKindOf(schema, before))
    const read = isSame ? { value: before } : readText(text, schema, before)
    if ('error' in read) setOwn(errors, name, read.error)
    else if (read.value !== undefined) setOwn(values, name, read.value)
  }
  return { values, errors }
}

/** The record of a JSON text. */
export function readRecordJson(text: string, initial: RecordValues): ReadRecord {
  const read = readText(text, {})
  if ('error' in read) return { values: {}, errors: { '': read.error } }
  const { value } = read
  if (!isObject(value)) {
    return { values: {}, errors: { '': 'A record is an object, such as {"name": "Ada"}' } }
  }
  const removed = Object.keys(initial).filter((name) => !Object.hasOwn(value, name))
  const error = `The sandbox keeps properties that are left out: ${removed.join(', ')}`

  return { values: { ...value }, errors: removed.length === 0 ? {} : { '': error } }
}

/** The properties whose values are not those of `initial`. */
export function changesOf(values: RecordValues, initial: RecordValues): RecordValues {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(getOwn(initial, name)),
  )
  return Object.fromEntries(changed)
}

/** What the sandbox says is wrong, by the names of the properties that it is about; the empty name is for what is about none of `names`. */
export function fieldErrorsOf(
  error: Pick<UsageError, 'errors' | 'help' | 'location' | 'message' | 'reason'>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const found = new Map<string, string>()
  for (const one of error.errors ?? [error]) {
    const { location = '', reason } = one
    const field = names.find((name) => location === name || startsWith(location, name)) ?? ''
    // Reasons about values begin with their place.
    const place = location === field || reason.startsWith(location) ? '' : `${location}: `
    const end = one.help ? ` ${one.help}` : ''
    const isWhole = field === '' && error.errors === undefined
    const text = isWhole ? error.message : `${place}${reason}.${end}`
    const others = found.get(field)
    found.set(field, others === undefined ? text : `${others} ${text}`)
  }
  return Object.fromEntries(found)
}

/** Whether a location such as `address.city` or `tags[0]` is inside of a property. */
function startsWith(location: string, name: string): boolean {
  return location.startsWith(name) && /^[.[/]/.test(location.slice(name.length))
}

/** How a property is edited. `json` is for lists, objects and values of any type. */
export type InputKind =
  | 'text'
  | 'long-text'
  | 'number'
  | 'checkbox'
  | 'choice'
  | 'date'
  | 'date-time'
  | 'json'

/** The text of an input as a value. `value` is `undefined` for a property that is left out. */
type ReadText = { readonly value: unknown } | { readonly error: string }

/** Texts that may be longer than this get several lines. */
const ONE_LINE = 120

/** The input for the values of a schema. Without a type, `value` decides. */
export function inputKindOf(schema: Schema, value?: unknown): InputKind {
  if (valuesOf(schema)) return 'choice'
  const types = typesOf(schema)
  const [type] = types.length > 0 ? types : [typeNameOf(value)]
  if (types.length > 1) return 'json'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'checkbox'
  if (type !== 'string') return 'json'

  return textKindOf(schema, value)
}

/** The values that a schema lists; `undefined` when it allows others. */
export function valuesOf(schema: Schema): readonly unknown[] | undefined {
  if (schema.enum) return schema.enum
  return (schema.allOf ?? []).map(valuesOf).find((values) => values !== undefined)
}

/** A value as the text of its input. A value that is left out is the empty text. */
export function toText(value: unknown, kind: InputKind): string {
  if (value === undefined) return ''
  if (kind === 'json') return JSON.stringify(value, null, 2)
  return value === null ? '' : String(value)
}

/**
 * The value that the text of an input stands for. An empty text leaves the property out where `initial` did, too. Otherwise it is
 * `null` where the schema allows that, and the empty text where the property is a text.
 */
export function readText(text: string, schema: Schema, initial?: unknown): ReadText {
  const kind = inputKindOf(schema, initial)
  if (text.trim() === '' && !(text !== '' && isText(kind))) return readEmpty(kind, schema, initial)
  switch (kind) {
    case 'number':
      return readNumber(text)
    case 'checkbox':
      return { value: text === 'true' }
    case 'choice':
      return readChoice(text, schema)
    case 'json':
      return readJson(text)
    default:
      return { value: text }
  }
}

function textKindOf({ format, maxLength = 0 }: Schema, value: unknown): InputKind {
  const text = typeof value === 'string' ? value : ''
  // What is no date is edited as the text that it is.
  if (format === 'date' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text))) return 'date'
  if (format === 'date-time' && (text === '' || !Number.isNaN(Date.parse(text)))) return 'date-time'
  const isLong = maxLength > ONE_LINE || text.length > ONE_LINE || text.includes('\n')

  return isLong ? 'long-text' : 'text'
}

/** The types of a schema without `null`; those of its parts where it has none of its own. */
function typesOf(schema: Schema): readonly string[] {
  const { type, properties, items } = schema
  if (type !== undefined) return [type].flat().filter((one) => one !== 'null')
  if (properties) return ['object']
  if (items) return ['array']
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((branches) => branches ?? [])

  return [...new Set(parts.flatMap(typesOf))]
}

function typeNameOf(value: unknown): string {
  return value === null ? 'null' : typeof value
}

function isText(kind: InputKind): boolean {
  return kind === 'text' || kind === 'long-text'
}

function readEmpty(kind: InputKind, schema: Schema, initial: unknown): ReadText {
  if (initial === undefined || initial === null) return { value: initial }
  if (allowsNull(schema)) return { value: null }
  return isText(kind) ? { value: '' } : { error: 'A value is needed here' }
}

function allowsNull(schema: Schema): boolean {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const isNullable = schema.nullable === true || [schema.type].flat().includes('null')

  return isNullable || parts.some(allowsNull)
}

function readNumber(text: string): ReadText {
  const value = Number(text)
  return Number.isFinite(value) ? { value } : { error: `${text} is not a number` }
}

function readChoice(text: string, schema: Schema): ReadText {
  const found = valuesOf(schema)?.find((one) => String(one) === text)
  return { value: found === undefined ? text : found }
}

function readJson(text: string): ReadText {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { error: `Not valid JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
}

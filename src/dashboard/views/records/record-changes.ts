import { isObject } from '../../../validation/is-object.ts'
import type { RecordProperty, RecordValues } from './collection-details.ts'
import { inputKindOf, readText, toText } from './property-input.ts'

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
      const value = record[name]
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
  const values: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const { name, schema } of properties) {
    const before = initial[name]
    const text = texts[name] ?? ''
    const isSame = text === toText(before, inputKindOf(schema, before))
    const read = isSame ? { value: before } : readText(text, schema, before)
    if ('error' in read) errors[name] = read.error
    else if (read.value !== undefined) values[name] = read.value
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
  const removed = Object.keys(initial).filter((name) => !(name in value))
  const error = `The sandbox keeps properties that are left out: ${removed.join(', ')}`

  return { values: { ...value }, errors: removed.length === 0 ? {} : { '': error } }
}

/** The properties whose values are not those of `initial`. */
export function changesOf(values: RecordValues, initial: RecordValues): RecordValues {
  const changed = Object.entries(values).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(initial[name]),
  )
  return Object.fromEntries(changed)
}

import type { Schema } from '../contract/contract.ts'
import { isObject } from '../validation/is-object.ts'
import { partsOf } from './applied-schemas.ts'
import { schemasOf, textsOf } from './keywords.ts'
import { matches } from './matches.ts'
import { namesOf, propertySchemas } from './property-schemas.ts'

/** Values of all types, to find one that a schema refuses. */
const SAMPLES = [null, false, 0, '', [], {}]

/** How many properties of a branch are tried. */
const MAX_NAMES = 12

type JsonObject = Readonly<Record<string, unknown>>

/**
 * Changes an object that matches several branches of a `oneOf` so that it matches one: it loses a property that another branch requires, or
 * gets one that another branch refuses. Documents often write `oneOf` where they mean `anyOf`. `undefined` when nothing helps.
 */
export function disambiguate(schemas: readonly Schema[], value: unknown): unknown {
  if (!isObject(value)) return undefined
  const isValid = (object: JsonObject): boolean => schemas.every((one) => matches(one, object))
  let changed: JsonObject = value
  for (const schema of partsOf(schemas)) {
    const [kept, ...others] = schemasOf(schema, 'oneOf').filter((one) => matches(one, changed))
    if (!kept) continue
    for (const other of others) {
      const separate = firstSeparate(changed, other, kept)
      if (!separate) return undefined
      changed = separate
    }
  }
  return isValid(changed) ? changed : undefined
}

/** A changed object that matches the branch that is kept, and not the other one. */
function firstSeparate(object: JsonObject, other: Schema, kept: Schema): JsonObject | undefined {
  if (!matches(other, object)) return object
  for (const one of changesOf(object, other)) {
    if (!matches(other, one) && matches(kept, one)) return one
  }
  return undefined
}

/** One after the other: the object without, or with, a property that decides whether a branch matches. */
function* changesOf(object: JsonObject, branch: Schema): Generator<JsonObject> {
  const parts = partsOf([branch])
  const required = parts.flatMap((part) => textsOf(part, 'required'))
  for (const name of required) {
    const { [name]: _, ...rest } = object
    yield rest
  }
  for (const name of namesOf(parts).slice(0, MAX_NAMES)) {
    const schemas = propertySchemas(parts, name)
    for (const sample of SAMPLES) {
      if (!schemas.every((one) => matches(one, sample))) yield { ...object, [name]: sample }
    }
  }
}

import type { Schema, SchemaValidator } from '../contract/contract.ts'
import { describeErrors } from '../contract/validation-errors.ts'
import { isObject } from '../validation/is-object.ts'
import { createFaker } from './create-faker.ts'
import { generateValue } from './generate-value.ts'

/** What a value is generated for. */
export interface ValueRequest {
  /** A schema of the schema graph. It may contain itself. */
  readonly schema: Schema
  /** Validates the value. */
  readonly validate?: SchemaValidator
  /** The same seed, schema and place give the same value on every machine. */
  readonly seed: readonly number[] | string
  /** When the sandbox started, in epoch milliseconds. Dates count from it. */
  readonly now: number
  /** Names the value, such as the collection or the property. */
  readonly place?: string
  /** Values of top-level properties, which are kept if the schema allows them. */
  readonly preset?: Readonly<Record<string, unknown>>
}

/** A generated value. */
export interface GeneratedValue {
  readonly value: unknown
  /** Whether the value matches the schema. */
  readonly isValid: boolean
  /** Why the value does not match the schema. */
  readonly reason?: string
}

/** Generates a plausible value that matches a schema. The generator's libraries are loaded when they are first needed. */
export async function generateDocumentedValue(request: ValueRequest): Promise<GeneratedValue> {
  const { schema, validate, seed, now, place = 'value', preset = {} } = request
  const faker = await createFaker([schema])
  faker.setDefaultRefDate(now)
  faker.seed(
    typeof seed === 'string' ? Array.from(seed, (letter) => letter.charCodeAt(0)) : [...seed],
  )
  try {
    const generated = generateValue(place, schema, faker)
    const value = isObject(generated) ? { ...generated, ...preset } : generated
    if (!validate || validate(value)) return { value, isValid: true }
    return { value, isValid: false, reason: describeErrors(place, validate.errors ?? []) }
  } catch (error) {
    return { value: undefined, isValid: false, reason: String(error) }
  }
}

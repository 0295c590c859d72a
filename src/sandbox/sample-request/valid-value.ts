import type { Schema, SchemaValidator } from '../../contract/contract.ts'
import { generateDocumentedValue } from '../../generate/generate-value.ts'

/** What a value is needed for. */
export interface ValueSource {
  /** The name of the parameter, or what the value is. */
  readonly place: string
  readonly schema: Schema
  readonly validate?: SchemaValidator
  /** Examples of the document, the best one first. They may be invalid. */
  readonly examples: readonly unknown[]
}

/** Dates in generated values count from this day, so that each run sends the same requests. */
const DAY = Date.UTC(2026, 0, 1)

/** A documented example that is valid, else a generated value; `undefined` when there is neither. */
export async function validValue(
  { place, schema, validate, examples }: ValueSource,
  isUsable: (value: unknown) => boolean = () => true,
): Promise<unknown> {
  const known = [...examples, schema.default, schema.const, ...(schema.enum ?? [])]
  const example = known.find(
    (value) => value !== undefined && isUsable(value) && (validate?.(value) ?? true),
  )
  if (example !== undefined) return example
  for (const seed of [1, 2, 3]) {
    const request = { schema, seed: [seed], now: DAY, place, ...(validate && { validate }) }
    const { value, isValid } = await generateDocumentedValue(request)
    if (isValid && value !== undefined && isUsable(value)) return value
  }
  return undefined
}

import { asObject, type JsonObject } from '../json-value.ts'

/**
 * The schema of a request, which accepts its read-only properties with any value also where it allows no others: OpenAPI says that
 * they SHOULD NOT be sent, which is no reason to refuse a request. Nothing reads them.
 */
export function withIgnoredNames(schema: JsonObject, readOnly: readonly string[]): JsonObject {
  const isClosed = schema.additionalProperties === false || schema.unevaluatedProperties === false
  if (!isClosed || readOnly.length === 0) return schema
  const pattern = `^(${readOnly.map(asPattern).join('|')})$`

  return { ...schema, patternProperties: { ...asObject(schema.patternProperties), [pattern]: {} } }
}

/** A pattern for exactly this name. */
function asPattern(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

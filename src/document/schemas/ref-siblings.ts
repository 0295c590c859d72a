import { isObject } from '../../validation/objects.ts'
import { type JsonObject, refOf } from '../json-value.ts'
import { toCurrentDialect } from './schema-dialect.ts'
import { isHint, KEYWORDS } from './schema-keywords.ts'

/** The keywords beside a `$ref`. OpenAPI 3.0 ignores them, except hints for the sandbox. */
export function siblingsOf(value: JsonObject, isVersion30: boolean): JsonObject {
  const { $ref: _, ...siblings } = toCurrentDialect(value)
  const isUsed = (name: string): boolean =>
    isHint(name) ||
    (!isVersion30 && (KEYWORDS.has(name) || name === 'nullable')) ||
    // The hint `x-sandbox: { default }` has become `default`.
    (name === 'default' && isObject(value['x-sandbox']))

  return Object.fromEntries(Object.entries(siblings).filter(([name]) => isUsed(name)))
}

/** OpenAPI 3.0 documents write `allOf` with one `$ref` to put `nullable` next to it. */
export function nullableRef(
  value: JsonObject,
): { readonly ref: unknown; readonly siblings: JsonObject } | undefined {
  const { allOf, nullable, ...siblings } = value
  const [ref, ...others] = Array.isArray(allOf) ? allOf : []
  const isNullable = nullable === true && refOf(ref) !== undefined && others.length === 0

  return isNullable ? { ref, siblings } : undefined
}

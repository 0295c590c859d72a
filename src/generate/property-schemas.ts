import type { Schema } from '../contract/contract.ts'
import { listOf, propertyOf, schemaMapOf, schemaOf, schemasOf } from './keywords.ts'
import { once } from './memo.ts'
import { matchesPattern } from './pattern.ts'

/** What was computed for the properties of the objects to which schemas apply. */
const cacheOf = once((_: readonly Schema[]) => new Map<string, readonly Schema[]>())

/** The schemas that describe a property of an object to which several schemas apply. */
export function propertySchemas(applied: readonly Schema[], name: string): readonly Schema[] {
  const cache = cacheOf(applied)
  const schemas = cache.get(name) ?? computePropertySchemas(applied, name)
  cache.set(name, schemas)

  return schemas
}

function computePropertySchemas(applied: readonly Schema[], name: string): readonly Schema[] {
  let isEvaluated = false
  const found = applied.flatMap((schema) => {
    const own = [
      ...listOf(propertyOf(schema, name)),
      ...schemaMapOf(schema, 'patternProperties').flatMap(([pattern, inner]) =>
        matchesPattern(pattern, name) ? [inner] : [],
      ),
    ]
    const additional = own.length > 0 ? undefined : schemaOf(schema, 'additionalProperties')
    if (own.length > 0 || additional) isEvaluated = true
    return additional ? [additional] : own
  })
  return isEvaluated ? found : unevaluated(applied, 'unevaluatedProperties')
}

/** The schemas that describe an item of a list to which several schemas apply. */
export function itemSchemas(applied: readonly Schema[], at: number): readonly Schema[] {
  let isEvaluated = false
  const found = applied.flatMap((schema) => {
    const item = schemasOf(schema, 'prefixItems')[at] ?? schemaOf(schema, 'items')
    if (item) isEvaluated = true
    return listOf(item)
  })
  if (isEvaluated) return found
  const contained = applied.flatMap((schema) => listOf(schemaOf(schema, 'contains')))
  const others = unevaluated(applied, 'unevaluatedItems')

  // Items that match `contains` are evaluated.
  return contained.length > 0 && isForbidden(others) ? contained : others
}

function unevaluated(applied: readonly Schema[], keyword: string): readonly Schema[] {
  return applied.flatMap((schema) => listOf(schemaOf(schema, keyword)))
}

/** The names in the `properties` of schemas, each once. */
export const namesOf: (applied: readonly Schema[]) => readonly string[] = once((applied) => [
  ...new Set(applied.flatMap(({ properties = {} }) => Object.keys(properties))),
])

/** Whether a list of schemas has one that no value matches. */
export function isForbidden(schemas: readonly Schema[]): boolean {
  return schemas.some(({ not }) => {
    return typeof not === 'object' && not !== null && Object.keys(not).length === 0
  })
}

import type { Schema } from '../contract/contract.ts'
import { listOf, propertyOf, schemaMapOf, schemaOf, schemasOf } from './keywords.ts'
import { matchesPattern } from './pattern.ts'

/** The schemas that describe a property of an object, or an item of a list, to which several schemas apply. */
export function propertySchemas(applied: readonly Schema[], name: string): readonly Schema[] {
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
  return isEvaluated ? found : unevaluated(applied, 'unevaluatedItems')
}

function unevaluated(applied: readonly Schema[], keyword: string): readonly Schema[] {
  return applied.flatMap((schema) => listOf(schemaOf(schema, keyword)))
}

/** The names in the `properties` of schemas, each once. */
export function namesOf(applied: readonly Schema[]): readonly string[] {
  return [...new Set(applied.flatMap(({ properties = {} }) => Object.keys(properties)))]
}

/** Whether a list of schemas has one that no value matches. */
export function isForbidden(schemas: readonly Schema[]): boolean {
  return schemas.some(({ not }) => {
    return typeof not === 'object' && not !== null && Object.keys(not).length === 0
  })
}

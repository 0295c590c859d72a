import type { Schema } from '../contract/contract.ts'
import { listOf, numberOf, propertyOf, schemaMapOf, schemaOf, schemasOf } from './keywords.ts'
import { matchesPattern } from './pattern.ts'

/** Whether a value matches a schema. */
type Matches = (schema: Schema, value: unknown) => boolean

/** The subschemas of a schema that apply to the same value and match it. */
function matchingBranches(schema: Schema, value: unknown, matches: Matches): readonly Schema[] {
  const alternatives = [...schemasOf(schema, 'anyOf'), ...schemasOf(schema, 'oneOf')]
  const condition = schemaOf(schema, 'if')
  const isTrue = condition !== undefined && matches(condition, value)
  const conditional = condition && schemaOf(schema, isTrue ? 'then' : 'else')
  const dependent = schemaMapOf(schema, 'dependentSchemas').filter(
    ([name]) => typeof value === 'object' && value !== null && Object.hasOwn(value, name),
  )
  return [
    ...schemasOf(schema, 'allOf'),
    ...alternatives.filter((branch) => matches(branch, value)),
    ...(condition && isTrue ? [condition] : []),
    ...listOf(conditional),
    ...dependent.map(([, branch]) => branch),
  ]
}

/** Whether a schema, or a branch of it that matches, evaluates a property (JSON Schema 2020-12, section 11.3). */
export function isEvaluatedName(
  schema: Schema,
  object: object,
  name: string,
  matches: Matches,
): boolean {
  return (
    propertyOf(schema, name) !== undefined ||
    schema.additionalProperties !== undefined ||
    schemaMapOf(schema, 'patternProperties').some(([pattern]) => matchesPattern(pattern, name)) ||
    matchingBranches(schema, object, matches).some(
      (branch) =>
        branch.unevaluatedProperties !== undefined ||
        isEvaluatedName(branch, object, name, matches),
    )
  )
}

/** Whether a schema, or a branch of it that matches, evaluates an item (JSON Schema 2020-12, section 11.2). */
export function isEvaluatedItem(
  schema: Schema,
  list: readonly unknown[],
  at: number,
  matches: Matches,
): boolean {
  const contains = schemaOf(schema, 'contains')
  return (
    at < schemasOf(schema, 'prefixItems').length ||
    schema.items !== undefined ||
    // Validators disagree on an empty `contains`.
    (contains !== undefined && Object.keys(contains).length > 0 && matches(contains, list[at])) ||
    matchingBranches(schema, list, matches).some(
      (branch) =>
        branch.unevaluatedItems !== undefined || isEvaluatedItem(branch, list, at, matches),
    )
  )
}

/** How many items of a list must match `contains`, and how many may. */
export function containsLimits(schema: Schema): readonly [min: number, max: number] {
  return [
    numberOf(schema, 'minContains') ?? 1,
    numberOf(schema, 'maxContains') ?? Number.POSITIVE_INFINITY,
  ]
}

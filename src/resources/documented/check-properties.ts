import type { Schema } from '../../contract/contract.ts'
import { propertiesOf } from '../../contract/schema.ts'
import { toInputErrors } from '../../contract/validation-errors.ts'
import { findMistakes } from '../../generate/find-mistakes.ts'
import { areEqual, matches } from '../../generate/matches.ts'
import type { InputError } from '../../http/problem.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { getOwn } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'

/**
 * The mistakes in the changed properties of a record of which responses show different parts. A property may have each value that
 * responses may show and that requests may send. Values that stay the same are not checked.
 */
export function checkProperties(
  { schema, sent = [] }: Pick<Resource, 'schema' | 'sent'>,
  changes: StoredRecord,
  before: StoredRecord | undefined,
): readonly InputError[] {
  return Object.entries(changes).flatMap(([name, value]) => {
    if (before && areEqual(getOwn(before, name), value)) return []
    const schemas = [schema, ...sent].filter((one) => propertiesOf(one).has(name))
    const [first] = schemas
    if (!first || schemas.some((one) => allows(one, name, value))) return []
    const mistakes = refusing(first, name, value).flatMap((one) => findMistakes(one, value))

    return toInputErrors(name, mistakes)
  })
}

/** Whether the objects of a schema can have this value in a property. */
function allows(schema: Schema, name: string, value: unknown): boolean {
  return refusing(schema, name, value).length === 0
}

/** The schemas of a property that a value must match and does not match. */
function refusing(schema: Schema, name: string, value: unknown): readonly Schema[] {
  const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = schema
  const own = getOwn(properties, name)
  const choices = [anyOf, oneOf].flatMap((branches) => {
    const refused = branches.map((branch) => refusing(branch, name, value))
    return refused.every((one) => one.length > 0) ? (refused[0] ?? []) : []
  })

  return [
    ...(own === undefined || matches(own, value) ? [] : [own]),
    ...allOf.flatMap((branch) => refusing(branch, name, value)),
    ...choices,
  ]
}

import { isObject } from '../../validation/objects.ts'
import { asArray, asObject, asString, type JsonObject, refOf } from '../json-value.ts'

/**
 * A schema whose discriminator lists the values of its property for each branch, in the order of `oneOf` or `anyOf`. The names of the
 * branches, which these values come from, are lost when references are resolved.
 */
export function withBranchValues(draft: JsonObject, schema: JsonObject): JsonObject {
  const { discriminator } = draft
  const branches = asArray(schema.oneOf ?? schema.anyOf)
  if (!isObject(discriminator) || branches.length === 0) return draft
  const mapping = Object.entries(asObject(discriminator.mapping))
  const values = branches.map((branch) => {
    const ref = asString(isObject(branch) ? refOf(branch) : undefined)
    if (ref === undefined) return []
    const name = ref.slice(ref.lastIndexOf('/') + 1)
    const mapped = mapping.filter(([, target]) => target === ref || target === name)

    return mapped.length > 0 ? mapped.map(([value]) => value) : [name]
  })
  return { ...draft, discriminator: { ...discriminator, branches: values } }
}

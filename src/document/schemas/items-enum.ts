import { asArray, asObject, type JsonObject, refOf } from '../json-value.ts'

/**
 * A schema whose `enum` lists values of the items of a list, as in `type: array` with `enum: [a, b]`: no list would be valid. The
 * members then count for the items, unless these have an `enum` of their own. Any other schema is returned as it is.
 */
export function withItemsEnum(schema: JsonObject): JsonObject {
  const { enum: members, ...rest } = schema
  if (!isListType(schema.type) || !isOfItems(members)) return schema
  const { items } = schema
  if (asObject(items).enum !== undefined) return rest
  const allowed = { enum: members.filter((member) => member !== null) }
  const isPlain = refOf(items) === undefined

  return {
    ...rest,
    items: isPlain ? { ...asObject(items), ...allowed } : { allOf: [items, allowed] },
  }
}

function isListType(type: unknown): boolean {
  return [type].flat().every((one) => one === 'array' || one === 'null') && type !== 'null'
}

/** Whether members are given, and none is a list. */
function isOfItems(members: unknown): members is readonly unknown[] {
  const given = asArray(members).filter((member) => member !== null)
  return given.length > 0 && !given.some((member) => Array.isArray(member))
}

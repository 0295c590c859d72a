import { isObject } from '../../validation/objects.ts'

/**
 * The members of an `enum` none of which has the `type` beside it, as in `type: string` with `enum: [true, false]`: no value would be
 * valid. The list is more specific than the type, so it counts, and clients may also send its members as values of the type.
 * `undefined` when there is no contradiction.
 */
export function membersWithoutType(
  type: unknown,
  members: unknown,
): readonly unknown[] | undefined {
  if (type === undefined || !Array.isArray(members) || members.length === 0) return undefined
  const types = [type].flat()
  // Beside the type of a list, the members may be meant for its items.
  if (types.includes('array') || types.includes('object')) return undefined
  if (members.some((member) => types.some((one) => hasType(member, one)))) return undefined
  const asTyped = members.flatMap((member) => [
    ...(types.includes('string') && typeof member !== 'object' ? [String(member)] : []),
    ...(types.some((one) => one === 'integer' || one === 'number') ? numberIn(member) : []),
  ])
  return [...new Set([...members, ...asTyped])]
}

function numberIn(member: unknown): readonly number[] {
  return typeof member === 'string' && /^-?\d{1,15}(\.\d+)?$/.test(member) ? [Number(member)] : []
}

/** Whether a value has one of the types of JSON Schema. */
export function hasType(value: unknown, type: unknown): boolean {
  if (value === null) return type === 'null'
  if (Array.isArray(value)) return type === 'array'
  if (isObject(value)) return type === 'object'
  if (type === 'integer') return Number.isInteger(value)

  return typeof value === type
}

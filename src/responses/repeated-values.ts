import type { MediaType, Schema } from '../contract/contract.ts'
import { propertiesOf } from '../contract/schema.ts'
import { isObject } from '../validation/objects.ts'

type Values = Readonly<Record<string, unknown>>

/** More values of a request are not tried one by one. */
const MAX_TRIED = 50

/**
 * A response without a record, with the values of the request in the properties that it shares with it: a service that answers
 * `{ "amount": 12, "fee": 1 }` to `{ "amount": 12 }` repeats the amount. Values that the schema does not allow are left out.
 */
export function withRepeated(
  value: unknown,
  sent: unknown,
  { schema, validate }: MediaType,
): unknown {
  if (!isObject(value) || !isObject(sent) || !schema) return value
  const isValid = (one: unknown): boolean => !validate || validate(one)
  const repeat = repeatIn(value, sent, schema)
  if (!repeat) return value
  const all = repeat(sent)
  if (isValid(all)) return all
  let fitting: Values = {}
  for (const entry of Object.entries(sent).slice(0, MAX_TRIED)) {
    const more = { ...fitting, ...Object.fromEntries([entry]) }
    if (isValid(repeat(more))) fitting = more
  }
  return repeat(fitting)
}

/** Puts values of the request into the response: into the response itself, or into the only object in it that shares properties. */
function repeatIn(
  value: Values,
  sent: Values,
  schema: Schema,
): ((values: Values) => Values) | undefined {
  if (isShared(sent, schema)) return (values) => merged(value, values, schema)
  const inner = [...propertiesOf(schema)].flatMap(([name, property]) => {
    const before = value[name]
    return isObject(before) && isShared(sent, property) ? [{ name, before, property }] : []
  })
  const [only] = inner
  if (!only || inner.length > 1) return undefined
  const { name, before, property } = only

  return (values) => ({ ...value, [name]: merged(before, values, property) })
}

function isShared(sent: Values, schema: Schema): boolean {
  const properties = propertiesOf(schema)
  return Object.keys(sent).some((name) => properties.has(name))
}

function merged(value: Values, sent: Values, schema: Schema): Values {
  const properties = propertiesOf(schema)
  const shared = Object.entries(sent).flatMap(([name, one]) => {
    const property = properties.get(name)
    if (!property) return []
    const before = value[name]
    const isDeeper = isObject(one) && isObject(before)
    return [[name, isDeeper ? merged(before, one, property) : one] as const]
  })
  return { ...value, ...Object.fromEntries(shared) }
}

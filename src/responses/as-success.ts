import type { MediaType } from '../contract/contract.ts'
import { parsePointer, plainName, requiredNames } from '../contract/schema.ts'

type Body = Readonly<Record<string, unknown>>

/** What a successful response has only if something was wrong, or if the request wants other records, too. */
const ASIDE = /^(errors?|warnings?|included|includes)$/
/** Flags that say whether a request succeeded. */
const SUCCEEDED = /^(ok|success|succeeded|issuccess|successful|issuccessful)$/

/** Whether a body says by a flag that the request succeeded, or that it did not. */
export function tellsSuccess(body: Body): boolean {
  return Object.entries(body).some(
    ([name, value]) => typeof value === 'boolean' && SUCCEEDED.test(plainName(name)),
  )
}

/**
 * The body of a success: without errors and other records as far as its schema allows that, and with flags that say so. `record` is where it
 * contains its records, which stay.
 */
export function asSuccess(
  body: Body,
  { schema = {}, validate = () => true }: MediaType,
  record = '',
): Body {
  const [own] = parsePointer(record)
  const required = requiredNames(schema)
  let shown = body
  for (const [name, value] of Object.entries(body)) {
    const { [name]: _, ...without } = shown
    const values = name === own ? [] : valuesOfSuccess(plainName(name), value)
    const isLeftOut = values.length > 0 && typeof value !== 'boolean' && !required.has(name)
    const changed = values.map((one) => ({ ...shown, [name]: one }))
    shown = [...(isLeftOut ? [without] : []), ...changed].find((one) => validate(one)) ?? shown
  }
  return shown
}

/** What a property may be when a request has succeeded; empty where it says nothing of that. */
function valuesOfSuccess(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'boolean') return ASIDE.test(name) ? [null, []] : []
  if (SUCCEEDED.test(name)) return [true]
  return ASIDE.test(name) ? [false] : []
}

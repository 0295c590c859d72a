import type { Schema } from '../../contract/contract.ts'
import { setOwn } from '../../validation/objects.ts'
import { OMITTED } from './error-property.ts'

/** A place in a body. */
export interface Slot {
  /** The name of the property, or of the list that has it as an entry. */
  readonly name: string
  readonly schema: Schema | undefined
  get(): unknown
  /** Sets the value if the body is valid with it, and returns whether it is. */
  set(value: unknown): boolean
}

/** The place of a whole body, which `isValid` checks. */
export function bodySlot(
  body: { value: unknown },
  schema: Schema | undefined,
  isValid: () => boolean,
): Slot {
  const put = (value: unknown): void => {
    body.value = value
  }
  const get = (): unknown => body.value

  return { name: 'errors', schema, get, set: (value) => tryValue(value, get(), put, isValid) }
}

/** The place of a property. `OMITTED` removes it. */
export function propertySlot(
  object: Record<string, unknown>,
  name: string,
  schema: Schema | undefined,
  isValid: () => boolean,
): Slot {
  const put = (value: unknown): void => {
    if (value === OMITTED) delete object[name]
    else setOwn(object, name, value)
  }
  const get = (): unknown => object[name]

  return { name, schema, get, set: (value) => tryValue(value, get(), put, isValid) }
}

function tryValue(
  value: unknown,
  before: unknown,
  put: (value: unknown) => void,
  isValid: () => boolean,
): boolean {
  put(value)
  if (isValid()) return true
  put(before)

  return false
}

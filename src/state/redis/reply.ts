import { corruptValue } from './store-errors.ts'

// What is read from the store is checked like any input. `key` is named by the error.

export function textIn(value: unknown, key: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw corruptValue(key)
}

export function numberIn(value: unknown, key: string): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw corruptValue(key)
}

export function listIn(value: unknown, key: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw corruptValue(key)
}

/** Texts of a list. */
export function textsIn(value: unknown, key: string): readonly string[] {
  return listIn(value, key).map((one) => textIn(one, key))
}

/** The pairs of a list of fields, each followed by its value. */
export function pairsIn(value: unknown, key: string): readonly (readonly [string, string])[] {
  const texts = textsIn(value, key)
  return texts.flatMap((field, at) =>
    at % 2 === 0 ? [[field, textIn(texts[at + 1], key)] as const] : [],
  )
}

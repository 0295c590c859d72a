import { getOwn, isObject } from '../validation/objects.ts'

/** A number of a JSON body that JavaScript cannot represent exactly. It replaces the number in the parsed value. */
export class InexactNumber {
  /** The number as it was written. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An {@link InexactNumber} in a value. */
export interface FoundNumber {
  /** Such as `.a[0]`. */
  readonly location: string
  readonly text: string
}

/** The first {@link InexactNumber} in a value. */
export function findInexactNumber(value: unknown): FoundNumber | undefined {
  if (value instanceof InexactNumber) return { location: '', text: value.text }
  if (Array.isArray(value)) {
    // No pairs of positions and items: a list may have a million of items.
    for (let at = 0; at < value.length; at += 1) {
      const found = findInexactNumber(value[at])
      if (found) return { location: `[${at}]${found.location}`, text: found.text }
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  for (const key of Object.keys(value)) {
    const found = findInexactNumber(getOwn(value, key))
    if (found) return { location: `.${key}${found.location}`, text: found.text }
  }
  return undefined
}

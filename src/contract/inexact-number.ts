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
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, child] of Object.entries(value)) {
    const found = findInexactNumber(child)
    if (!found) continue
    const step = Array.isArray(value) ? `[${key}]` : `.${key}`
    return { location: step + found.location, text: found.text }
  }
  return undefined
}

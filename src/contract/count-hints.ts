import type { HeldState } from './hints.ts'

// Counts that follow from other records, or from the record itself, in the vocabulary of hints.

/** Which records of another collection refer to a record. */
export interface ReferringCount {
  /** The property that names the record, or its place, such as `/category/id`. */
  readonly property: string
  readonly collection: string
  /** The state that they must have. Default: any. */
  readonly state?: HeldState
}

/** The text in hints that stands for the number of records in another collection whose property names the record. */
export function referringHint({ property, collection, state }: ReferringCount): string {
  const held = state ? ` with ${state.property}=${state.value}` : ''
  return `{referring ${property} in ${collection}${held}}`
}

/** What a text of `referringHint` says; `undefined` for another value. */
export function referringIn(value: unknown): ReferringCount | undefined {
  const [, property, collection, name, held] =
    /^\{referring (.+) in (.+?)(?: with (\w+)=(.+))?\}$/.exec(String(value)) ?? []
  if (property === undefined || collection === undefined) return undefined
  if (name === undefined || held === undefined) return { property, collection }

  return { property, collection, state: { property: name, value: held === 'true' || held } }
}

/** The text in hints that stands for the number of items in a list of the record. */
export function sizeHint(property: string): string {
  return `{size ${property}}`
}

/** The property in a text of `sizeHint`; `undefined` for another value. */
export function sizedIn(value: unknown): string | undefined {
  return /^\{size (.+)\}$/.exec(String(value))?.[1]
}

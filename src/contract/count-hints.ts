// Counts that follow from other records, or from the record itself, in the vocabulary of hints.

/** The text in hints that stands for the number of records in another collection whose property names the record. */
export function referringHint(property: string, collection: string): string {
  return `{referring ${property} in ${collection}}`
}

/** What a text of `referringHint` says; `undefined` for another value. */
export function referringIn(
  value: unknown,
): { readonly property: string; readonly collection: string } | undefined {
  const [, property, collection] = /^\{referring (.+) in (.+)\}$/.exec(String(value)) ?? []
  return property === undefined || collection === undefined ? undefined : { property, collection }
}

/** The text in hints that stands for the number of items in a list of the record. */
export function sizeHint(property: string): string {
  return `{size ${property}}`
}

/** The property in a text of `sizeHint`; `undefined` for another value. */
export function sizedIn(value: unknown): string | undefined {
  return /^\{size (.+)\}$/.exec(String(value))?.[1]
}

/** A name and its value in a query, a form or a cookie header. */
export interface SentPair {
  readonly name: string
  /** As it was sent: percent-encoded, because an encoded delimiter does not separate values. */
  readonly raw: string
}

/** The first pairs of a text, by default all. A pair without `=` has an empty value. Empty pairs are counted and left out. */
export function parsePairs(
  text: string,
  separator: RegExp = /&/,
  limit?: number,
): readonly SentPair[] {
  return text.split(separator, limit).flatMap((pair) => {
    if (pair === '') return []
    const at = pair.indexOf('=')
    const name = at === -1 ? pair : pair.slice(0, at)
    return [{ name: decodeForm(name), raw: at === -1 ? '' : pair.slice(at + 1) }]
  })
}

/** Decodes a part of a query or form: `+` is a space. Malformed encoding stays as it is (WHATWG URL, section 5.1). */
export function decodeForm(raw: string): string {
  if (!/[%+]/.test(raw)) return raw
  return new URLSearchParams(`v=${raw.replaceAll('&', '%26')}`).get('v') ?? raw
}

/** The pairs by name, in the order of the first occurrence of each name. */
export function groupPairs(pairs: readonly SentPair[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const { name, raw } of pairs) {
    const known = groups.get(name)
    if (known) known.push(raw)
    else groups.set(name, [raw])
  }
  return groups
}

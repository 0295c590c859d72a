/** JSON text as a value; `undefined` when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Strings, so that they are passed over, and integers that may be too long for a number. */
const LONG = /"(?:\\.|[^"\\])*"|-?\d{16,}(?![\d.eE])/g

/** The same, with integers that JavaScript would round as text: ids of 64 bits stay what they are. */
export function parseExactly(text: string): unknown {
  const isRounded = (word: string): boolean =>
    !word.startsWith('"') && !Number.isSafeInteger(Number(word))

  return parseJson(text.replaceAll(LONG, (word) => (isRounded(word) ? `"${word}"` : word)))
}

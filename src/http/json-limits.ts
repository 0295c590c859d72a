const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map(codeOf)
const OPENING: readonly number[] = ['[', '{'].map(codeOf)
const CLOSING: readonly number[] = [']', '}'].map(codeOf)

/**
 * How many levels of nesting the body of a request may have. No contract needs more, and no function that walks a value
 * runs out of stack.
 */
export const DEEPEST_BODY = 100

/** What JSON text from elsewhere may have at most. */
export interface JsonLimits {
  /** Levels of nesting. */
  readonly levels: number
  /** Values in lists and objects, at all levels together; any number when left out. */
  readonly values?: number
}

function codeOf(character: string): number {
  return character.charCodeAt(0)
}

/**
 * Of what JSON text has more than it may have; `undefined` when it keeps to the limits. Reads each character once, and stops
 * at the first excess, so that it can be asked before the text is parsed.
 */
export function excessOf(
  text: string,
  { levels, values = Number.POSITIVE_INFINITY }: JsonLimits,
): keyof JsonLimits | undefined {
  let open = 0
  let found = 1
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) found += 1
    else if (CLOSING.includes(code)) open -= 1
    else if (OPENING.includes(code)) {
      open += 1
      found += 1
    }
    if (open > levels) return 'levels'
    if (found > values) return 'values'
  }
  return undefined
}

/** Where the string that starts at `start` has its closing quote; the end of the text when it has none. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

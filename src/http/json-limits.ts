const [QUOTE, BACKSLASH, COMMA] = ['"', '\\', ','].map(codeOf)
const OPENING: readonly number[] = ['[', '{'].map(codeOf)
const CLOSING: readonly number[] = [']', '}'].map(codeOf)

/**
 * The maximum depth of the body of a request. No contract needs more, and no recursive function runs out of stack at this
 * depth.
 */
export const MAX_BODY_DEPTH = 100

/** The limits of a JSON text from outside. */
export interface JsonLimits {
  /** Levels of nesting. */
  readonly levels: number
  /** Values in lists and objects, at all levels together. By default, any number. */
  readonly values?: number
}

function codeOf(character: string): number {
  return character.charCodeAt(0)
}

/**
 * The first limit that a JSON text exceeds; `undefined` when it exceeds none. Reads each character once and stops at the first
 * excess, so that it can be called before the text is parsed.
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

/** The index of the closing quote of the string that starts at `start`; the length of the text when the quote is missing. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

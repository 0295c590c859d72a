const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

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

/** How large a JSON text is. */
export interface JsonSize {
  /** Values in lists and objects, at all levels together, up to the excess. */
  readonly values: number
  /** The first limit that the text exceeds; `undefined` when it exceeds none. */
  readonly excess: keyof JsonLimits | undefined
}

/** The first limit that a JSON text exceeds; `undefined` when it exceeds none. */
export function excessOf(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  return sizeOfJson(text, limits).excess
}

/** Reads each character once and stops at the first excess, so that it can be called before the text is parsed. */
export function sizeOfJson(
  text: string,
  { levels, values = Number.POSITIVE_INFINITY }: JsonLimits,
): JsonSize {
  let open = 0
  let found = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) found += 1
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) open -= 1
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      open += 1
      found += 1
    }
    if (open > levels) return { values: found, excess: 'levels' }
    if (found > values) return { values: found, excess: 'values' }
  }
  return { values: found, excess: undefined }
}

/** Whether an object of a JSON text has more than `max` members. */
export function hasLargerObject(text: string, max: number): boolean {
  const around: number[] = []
  let members = NOT_COUNTED
  for (let at = 0; at < text.length && members <= max; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) members += 1
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE)
      members = around.pop() ?? NOT_COUNTED
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      around.push(members)
      members = startOf(code)
    }
  }
  return members > max
}

/** The count at an opening bracket. */
function startOf(code: number): number {
  return code === OPENING_BRACE ? 1 : NOT_COUNTED
}

/** Of a list: its items are not members. */
const NOT_COUNTED = Number.NEGATIVE_INFINITY

/** The index of the closing quote of the string that starts at `start`; the length of the text when the quote is missing. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

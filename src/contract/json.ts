import { isSafeNumber, parse } from 'lossless-json'
import { problems } from '../problem.ts'

/** Deeper bodies are refused; no contract needs them, and what walks a value need not fear for the stack. */
const DEEPEST = 100

/** A number of the body that JavaScript would alter. It stands in the parsed value where the number stood. */
export class InexactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Reads a JSON body (RFC 8259). Malformed text, text that is not UTF-8, keys repeated with another value and deep nesting are a 400 that
 * names the place; integers beyond 2^53 - 1 come back as {@link InexactNumber}.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  if (text.length > DEEPEST && depth(text) > DEEPEST) {
    throw problems.invalidRequest(`body must not be nested more than ${DEEPEST} levels deep`)
  }
  try {
    return (
      parsePlain(text) ?? parse(text, undefined, { parseNumber, onDuplicateKey: refuseDuplicate })
    )
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw problems.invalidRequest(`body must be valid JSON: ${cause.message}`)
  }
}

/** Numbers that may be integers beyond 2^53 - 1, as JavaScript writes them. */
const LONG_NUMBER = /\d{16}|e\+/

/**
 * Reads text that JavaScript would write just so, as most clients do: then no key is there twice and no number altered.
 * It is faster by far; `undefined` for any other text.
 */
function parsePlain(text: string): unknown {
  if (LONG_NUMBER.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw problems.invalidRequest('body must be UTF-8: it holds bytes that are no text')
  }
}

function refuseDuplicate({ key, position }: { key: string; position: number }): never {
  throw new SyntaxError(`Duplicate key '${key.slice(0, 40)}' encountered at position ${position}`)
}

function parseNumber(text: string): number | InexactNumber {
  const value = Number(text)
  const isExact = Number.isInteger(value)
    ? Number.isSafeInteger(value) && isSafeNumber(text)
    : Number.isFinite(value)

  return isExact ? value : new InexactNumber(text)
}

/** Strings, and the brackets outside of them. A string without an end goes to the end: no text is read twice. */
const BRACKETS_AND_STRINGS = /"(?:[^"\\]+|\\.)*"?|[[\]{}]/gs

/** How many brackets are open at once at the most. */
function depth(text: string): number {
  let open = 0
  let most = 0
  for (const [token] of text.matchAll(BRACKETS_AND_STRINGS)) {
    if (token === '[' || token === '{') open += 1
    if (token === ']' || token === '}') open -= 1
    most = Math.max(most, open)
  }
  return most
}

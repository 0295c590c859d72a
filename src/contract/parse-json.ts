import { DEEPEST_BODY, excessOf } from '../http/json-limits.ts'
import { problems } from '../http/problem.ts'

/**
 * Reads a JSON body (RFC 8259). Throws a 400 for malformed text, for bytes that are not UTF-8, for a key that is repeated
 * with another value, and for deep nesting. Integers beyond 2^53 - 1 are returned as {@link InexactNumber}.
 */
export async function parseJson(bytes: Uint8Array): Promise<unknown> {
  const text = decode(bytes)
  if (text.length > DEEPEST_BODY && excessOf(text, { levels: DEEPEST_BODY })) {
    throw problems.invalidRequest(`body must not be nested more than ${DEEPEST_BODY} levels deep`)
  }
  const value = parseCanonical(text)
  if (value !== undefined) return value

  // Loaded for the first body that `JSON.parse` could alter. Most clients never send one, above all pages.
  const { parseExactJson } = await import('./parse-exact-json.ts')
  try {
    return parseExactJson(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw problems.invalidRequest(`body must be valid JSON: ${cause.message}`)
  }
}

/** What a number beyond 2^53 - 1 has in it, as JavaScript writes it. */
const LONG_NUMBER = /\d{16}|e\+/

/**
 * Reads a text that `JSON.stringify` would write exactly like this, as most clients do. Such a text repeats no key and has no
 * number that is altered, so `JSON.parse` is enough, which is much faster. Returns `undefined` for any other text.
 */
function parseCanonical(text: string): unknown {
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

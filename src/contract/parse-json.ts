import { MAX_BODY_DEPTH, sizeOfJson, type ValueLimit } from '../http/body-limits.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { parseExactJson } from './parse-exact-json.ts'

/**
 * The exact parser, loaded for the first body that `JSON.parse` could change. Nearly all pages never send one. It is kept because
 * importing it again for each body would take longer than parsing the body.
 */
let exactParser: Promise<{ readonly parseExactJson: typeof parseExactJson }> | undefined

/**
 * Parses a JSON body (RFC 8259). Throws a 400 for invalid JSON or UTF-8, for a duplicate key with another value, and for deep
 * nesting, and a 413 for too many values. Numbers that JavaScript cannot represent exactly become an `InexactNumber`.
 */
export async function parseJson(bytes: Uint8Array, limit: ValueLimit): Promise<unknown> {
  const text = decode(bytes)
  const { values, excess } = sizeOfJson(text, { levels: MAX_BODY_DEPTH, values: limit.left })
  if (excess === 'levels') {
    throw invalidBody(`must not be nested more than ${MAX_BODY_DEPTH} levels deep`)
  }
  limit.countJson(text, values)
  const value = parseCanonical(text)
  if (value !== undefined) return value

  exactParser ??= import('./parse-exact-json.ts')
  const parser = await exactParser
  try {
    return parser.parseExactJson(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw invalidBody(`must be valid JSON: ${cause.message}`)
  }
}

/** Occurs in every number beyond 2^53 - 1 that JavaScript writes. */
const LONG_NUMBER = /\d{16}|e\+/

/**
 * Parses a text that `JSON.stringify` would write in the same way, as most clients do: it has no duplicate keys and no inexact
 * numbers, so the much faster `JSON.parse` gives the right value. `undefined` for any other text.
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
    throw invalidBody('must be valid UTF-8')
  }
}

function invalidBody(message: string): Problem {
  return problems.invalidInput([{ location: 'body', message }])
}

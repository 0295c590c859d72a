import { isSafeNumber, parse } from 'lossless-json'
import { DEEPEST_BODY, excessOf } from '../http/json-limits.ts'
import { problems } from '../http/problem.ts'

/** A number of the body that JavaScript would alter. It stands in the parsed value where the number stood. */
export class InexactNumber {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * Reads a JSON body (RFC 8259). Throws a 400 for malformed text, for bytes that are not UTF-8, for a key that is repeated
 * with another value, and for deep nesting. Integers beyond 2^53 - 1 come back as {@link InexactNumber}.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decode(bytes)
  if (text.length > DEEPEST_BODY && excessOf(text, { levels: DEEPEST_BODY })) {
    throw problems.invalidRequest(`body must not be nested more than ${DEEPEST_BODY} levels deep`)
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

/** What a number beyond 2^53 - 1 has in it, as JavaScript writes it. */
const LONG_NUMBER = /\d{16}|e\+/

/**
 * Reads a text that `JSON.stringify` would write just so, as that of most clients: then no key is repeated and no number
 * altered, and `JSON.parse`, which is faster by far, will do. `undefined` for any other text.
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

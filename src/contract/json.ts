import { isSafeNumber, parse } from 'lossless-json'
import { MAX_BODY_DEPTH, sizeOfJson, type ValueLimit } from '../http/body-limits.ts'
import { type Problem, problems } from '../http/problem.ts'
import { largeInteger } from '../validation/large-integers.ts'
import { isObject, setOwn } from '../validation/objects.ts'

/**
 * Parses a JSON body (RFC 8259). Throws a 400 for invalid JSON or UTF-8, for a duplicate key with another value, and for deep
 * nesting, and a 413 for too many values. Numbers that JavaScript cannot represent exactly become an `InexactNumber`.
 */
export function parseJson(bytes: Uint8Array, limit: ValueLimit): unknown {
  const text = decode(bytes)
  const { values, excess } = sizeOfJson(text, { levels: MAX_BODY_DEPTH, values: limit.left })
  if (excess === 'levels') {
    throw invalidBody(`must not be nested more than ${MAX_BODY_DEPTH} levels deep`)
  }
  limit.countJson(text, values)
  const value = parseCanonical(text)
  if (value !== undefined) return value

  try {
    return parseExactJson(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw invalidBody(`must be valid JSON: ${cause.message}`)
  }
}

/** Occurs in every number beyond 2^53 - 1 that JavaScript writes. */
const LONG_NUMBER = /\d{16}|e\+/

/** The value of a JSON text; `undefined` for any other text. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Parses a text that `JSON.stringify` would write in the same way, as most clients do: it has no duplicate keys and no inexact
 * numbers, so the much faster `JSON.parse` gives the right value. `undefined` for any other text.
 */
function parseCanonical(text: string): unknown {
  if (LONG_NUMBER.test(text)) return undefined
  const value = parseJsonText(text)
  return JSON.stringify(value) === text ? value : undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidBody('must be valid UTF-8')
  }
}

/** The 400 of a body that cannot be read. */
export function invalidBody(message: string): Problem {
  return problems.invalidInput([{ location: 'body', message }])
}

/**
 * Parses JSON without changing a number: one that JavaScript cannot represent exactly becomes an {@link InexactNumber}. Throws a
 * `SyntaxError` for invalid JSON, and for a duplicate key with another value.
 */
export function parseExactJson(text: string): unknown {
  return parse(text, undefined, { parseNumber, onDuplicateKey: throwDuplicateKey })
}

function throwDuplicateKey({ key, position }: { key: string; position: number }): never {
  throw new SyntaxError(`Duplicate key '${key.slice(0, 40)}' encountered at position ${position}`)
}

function parseNumber(text: string): number | InexactNumber {
  const value = Number(text)
  const isExact = Number.isInteger(value)
    ? Number.isSafeInteger(value) && isSafeNumber(text)
    : Number.isFinite(value)

  return isExact ? value : new InexactNumber(text)
}

/** A number of a JSON body that JavaScript cannot represent exactly. It replaces the number in the parsed value. */
export class InexactNumber {
  /** The number as it was written. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The value of a JSON text of the sandbox itself, in which large integers are carried. Other numbers are as JavaScript holds them. */
export function parseOwnJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return parse(text, undefined, { parseNumber: (number) => largeInteger(number) ?? Number(number) })
}

/** A copy of a value in which each {@link InexactNumber} that is an integer is carried exactly. */
export function carryLargeIntegers(value: unknown): unknown {
  if (value instanceof InexactNumber) return largeInteger(value.text) ?? value
  if (Array.isArray(value)) return value.map(carryLargeIntegers)
  if (!isObject(value)) return value
  const copy = {}
  for (const name of Object.keys(value)) setOwn(copy, name, carryLargeIntegers(value[name]))
  return copy
}

/** An {@link InexactNumber} in a value. */
export interface FoundNumber {
  /** Such as `.a[0]`. */
  readonly location: string
  readonly text: string
}

/** The first {@link InexactNumber} in a value. */
export function findInexactNumber(value: unknown): FoundNumber | undefined {
  if (value instanceof InexactNumber) return { location: '', text: value.text }
  if (Array.isArray(value)) {
    // No pairs of positions and items: a list may have a million of items.
    for (let at = 0; at < value.length; at += 1) {
      const found = findInexactNumber(value[at])
      if (found) return { location: `[${at}]${found.location}`, text: found.text }
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  for (const key of Object.keys(value)) {
    const found = findInexactNumber(value[key])
    if (found) return { location: `.${key}${found.location}`, text: found.text }
  }
  return undefined
}

/** Media types of one JSON text after another. */
const SEQUENCE =
  /^(application\/(jsonl|x-jsonl|jsonlines|x-jsonlines|ndjson|x-ndjson|json-seq|json-lines)|text\/(jsonl|ndjson)|[\w.-]+\/[\w.-]+\+json-seq)$/

export function isSequenceType(mediaType: string): boolean {
  return SEQUENCE.test(mediaType)
}

/** Whether content of a media type is JSON. The media type is in lower case and without parameters. */
export function isJson(mediaType: string): boolean {
  return /^[\w.-]+\/([\w.-]+\+)?json$/.test(mediaType)
}

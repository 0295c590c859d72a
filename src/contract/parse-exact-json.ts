import { isSafeNumber, parse } from 'lossless-json'
import { InexactNumber } from './inexact-number.ts'

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

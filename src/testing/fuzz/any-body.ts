import fc, { type Arbitrary } from 'fast-check'
import { anyText, corrupted, unusualObject, validText } from './any-json.ts'
import type { Schema } from './schema.ts'

const MEBIBYTE = 1024 * 1024

/** JSON with this number of nested levels, closed and unclosed. */
function nested(depth: number): string[] {
  return [
    '['.repeat(depth) + ']'.repeat(depth),
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    `{"name":"x","categoryId":1,"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`,
    '['.repeat(depth),
  ]
}

/** Texts at the limits of size and depth. */
const atLimits = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...nested(100), ...nested(101), ...nested(20_000)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, 1, 1)
      .map((more) => `{"categoryId":1,"name":"${'x'.repeat(MEBIBYTE - 26 + more)}"}`),
  },
)

/** A text with bytes that are not valid UTF-8. */
function notUtf8(text: Arbitrary<string>): Arbitrary<Uint8Array> {
  const bytes = fc.constantFrom(
    [0xff],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xe2, 0x82],
    [0xfe, 0xff],
  )
  return fc.tuple(text, fc.nat(), bytes).map(([whole, position, inserted]) => {
    const sent = Buffer.from(whole)
    const start = position % (sent.length + 1)
    return Buffer.concat([sent.subarray(0, start), Buffer.from(inserted), sent.subarray(start)])
  })
}

/** Bodies for a schema. Most of them are almost valid. */
export function anyBody(schema: Schema): Arbitrary<Uint8Array> {
  const text = fc.oneof(
    { weight: 60, arbitrary: validText(schema) },
    { weight: 60, arbitrary: unusualObject(schema) },
    { weight: 20, arbitrary: corrupted(validText(schema)) },
    { weight: 10, arbitrary: anyText },
    { weight: 4, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 8, arbitrary: atLimits },
  )
  return fc.oneof(
    { weight: 30, arbitrary: text.map((one) => new Uint8Array(Buffer.from(one))) },
    { weight: 1, arbitrary: notUtf8(validText(schema)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  )
}

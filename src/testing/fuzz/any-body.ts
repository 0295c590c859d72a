import fc, { type Arbitrary } from 'fast-check'
import { anyText, corrupted, strangeObject, validText } from './any-json.ts'
import type { Schema } from './schema.ts'

const MEBIBYTE = 1024 * 1024

/** JSON that is nested so deep, and some that never ends. */
function nested(depth: number): string[] {
  return [
    '['.repeat(depth) + ']'.repeat(depth),
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    `{"name":"x","categoryId":1,"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`,
    '['.repeat(depth),
  ]
}

/** Texts whose size or depth is at a bound. */
const bulky = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...nested(100), ...nested(101), ...nested(20_000)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(0, 1, 1)
      .map((more) => `{"categoryId":1,"name":"${'x'.repeat(MEBIBYTE - 26 + more)}"}`),
  },
)

/** Bytes that are no UTF-8 somewhere. */
function notUtf8(text: Arbitrary<string>): Arbitrary<Uint8Array> {
  const bytes = fc.constantFrom(
    [0xff],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xe2, 0x82],
    [0xfe, 0xff],
  )
  return fc.tuple(text, fc.nat(), bytes).map(([whole, at, put]) => {
    const sent = Buffer.from(whole)
    const start = at % (sent.length + 1)
    return Buffer.concat([sent.subarray(0, start), Buffer.from(put), sent.subarray(start)])
  })
}

/** Bodies for a schema: most of them nearly right. */
export function anyBody(schema: Schema): Arbitrary<Uint8Array> {
  const text = fc.oneof(
    { weight: 60, arbitrary: validText(schema) },
    { weight: 60, arbitrary: strangeObject(schema) },
    { weight: 20, arbitrary: corrupted(validText(schema)) },
    { weight: 10, arbitrary: anyText },
    { weight: 4, arbitrary: fc.string({ unit: 'binary' }) },
    { weight: 8, arbitrary: bulky },
  )
  return fc.oneof(
    { weight: 30, arbitrary: text.map((one) => new Uint8Array(Buffer.from(one))) },
    { weight: 1, arbitrary: notUtf8(validText(schema)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  )
}

import { describe, expect, test } from 'vitest'
import { parseExactly } from './messages.ts'

describe('JSON of a target', () => {
  test.each<[string, unknown]>([
    ['{"id":9007199254740993}', { id: '9007199254740993' }],
    ['[-12345678901234567890,1]', ['-12345678901234567890', 1]],
    ['["12345678901234567890\\"1234567890123456"]', ['12345678901234567890"1234567890123456']],
    ['[1234567890123456,1234567890123456.5,1e30]', [1234567890123456, 1234567890123456.5, 1e30]],
    ['{"a":1', undefined],
  ])('keeps integers that JavaScript would round as text: %s', (text, value) => {
    expect(parseExactly(text)).toEqual(value)
  })

  test.each([
    ['a number of two million digits', `[${'1'.repeat(2_000_000)}.`],
    ['a string that does not end', `[1234567890123456,"${'\\"'.repeat(1_000_000)}`],
  ])('reads each character once: %s', (_what, text) => {
    expect(parseExactly(text)).toBeUndefined()
  })
})

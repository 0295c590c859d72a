import { describe, expect, test } from 'vitest'
import { excessOf } from './json-limits.ts'

describe('the excess of JSON text', () => {
  test.each([
    ['[[1]]', undefined],
    ['[[[1]]]', 'levels'],
    ['{"a":{"b":[]}}', 'levels'],
    ['[[],[],[],[]]', 'values'],
    ['["[[[[", "\\"[[[", "\\\\"]', undefined],
    ['"[[[', undefined],
    ['', undefined],
  ])('of %s is %s', (text, excess) => {
    expect(excessOf(text, { levels: 2, values: 5 })).toBe(excess)
  })

  test('is found at the first level too many', () => {
    expect(excessOf('['.repeat(8_000_000), { levels: 100 })).toBe('levels')
  })

  test('counts any number of values where only the levels are limited', () => {
    expect(excessOf(`[${'1,'.repeat(100_000)}1]`, { levels: 1 })).toBeUndefined()
  })
})

import { describe, expect, test } from 'vitest'
import { excessOf, hasLargerObject } from './json-limits.ts'

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

describe('an object of JSON text with more than two members', () => {
  test.each([
    ['{"a":1,"b":2}', false],
    ['{"a":1,"b":2,"c":3}', true],
    ['{"a":[1,2,3,4],"b":{"c":[5,6]}}', false],
    ['[{"a":{"b":[1,2,3]},"c":2,"d":4}]', true],
    ['[{},{},{},{"a":",,,,"}]', false],
    ['', false],
  ])('in %s is found: %s', (text, found) => {
    expect(hasLargerObject(text, 2)).toBe(found)
  })
})

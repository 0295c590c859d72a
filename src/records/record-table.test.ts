import { expect, test } from 'vitest'
import { copyJson } from './record-table.ts'

const VALUES = ['{"a":[1,{"b":null}],"c":{}}', '{"__proto__":{"x":1},"y":2}', '[[],"",0,true]', '7']

test.each(VALUES)('a copy of %s equals it, and shares nothing with it', (text) => {
  const value: unknown = JSON.parse(text)

  const copy = copyJson(value)

  expect(JSON.stringify(copy)).toBe(text)
  expect(partsOf(copy).filter((part) => partsOf(value).includes(part))).toEqual([])
})

test('copies a property called __proto__ like any other', () => {
  const copy = copyJson(JSON.parse('{"__proto__":{"x":1}}'))

  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
})

/** The objects and lists in a value, itself included. */
function partsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(partsOf)]
}

import { expect, test } from 'vitest'
import { appliedExample, preferredExample, prefersGenerated } from './documented-answer.ts'

test.each([
  ['example=cat', 'cat'],
  ['code=200, example=cat', 'cat'],
  ['code=200; example=cat', 'cat'],
  ['example="a cat, a \\"dog\\""', 'a cat, a "dog"'],
  ['Example = cat.one', 'cat.one'],
  ['code=404', undefined],
  [undefined, undefined],
])('the header %s prefers %s', (header, name) => {
  expect(preferredExample(header)).toBe(name)
})

test.each([
  ['cat', 'example=cat'],
  ['a "cat"', 'example="a \\"cat\\""'],
])('the name %s is echoed as %s', (name, text) => {
  expect(appliedExample(name)).toBe(text)
})

test.each([
  ['dynamic', true],
  ['code=200, dynamic=true', true],
  ['dynamic=false', false],
  [undefined, false],
])('the header %s prefers generated values: %s', (header, isPreferred) => {
  expect(prefersGenerated(header)).toBe(isPreferred)
})

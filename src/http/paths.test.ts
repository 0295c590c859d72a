import { expect, test } from 'vitest'
import { encodePart } from './paths.ts'

test.each([
  ['a b/ü?#', 'a%20b%2F%C3%BC%3F%23'],
  ['😀', '%F0%9F%98%80'],
  ['a\uD800b', 'a%EF%BF%BDb'],
  ['\uDE00', '%EF%BF%BD'],
])('%j in a URL is %s', (text, expected) => {
  expect(encodePart(text)).toBe(expected)
})

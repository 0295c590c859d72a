import { expect, test } from 'vitest'
import type { SchemaValidator } from '../contract/contract.ts'
import { firstExample, namedExample } from './documented-value.ts'

const mediaType = 'application/json'
const isObject: SchemaValidator = (value) => typeof value === 'object'
const isString: SchemaValidator = (value) => typeof value === 'string'

test('the first valid example is used', () => {
  const examples = [{ value: 7 }, { value: { id: 1 } }, { value: { id: 2 } }]

  expect(firstExample({ mediaType, validate: isObject, examples }, false)).toEqual({
    value: { id: 1 },
  })
})

test('an invalid example is not used', () => {
  expect(
    firstExample({ mediaType, validate: isObject, examples: [{ value: 7 }] }, false),
  ).toBeUndefined()
})

test('JSON that is written as text is parsed', () => {
  const examples = [{ value: '{ "id": 1 }' }]

  expect(firstExample({ mediaType, validate: isObject, examples }, false)).toEqual({
    value: { id: 1 },
  })
  expect(firstExample({ mediaType, examples: [...examples] }, false)).toEqual({ value: { id: 1 } })
})

test('a text that a schema wants stays a text', () => {
  expect(
    firstExample({ mediaType, validate: isString, examples: [{ value: '7' }] }, false),
  ).toEqual({
    value: '7',
  })
})

test('a text of a media type other than JSON is sent as it is', () => {
  expect(firstExample({ mediaType: 'text/csv', examples: [{ value: 'a,b' }] }, true)).toEqual({
    value: 'a,b',
    isSerialized: true,
  })
})

test('an example is found by its name, if it is valid', () => {
  const examples = [
    { name: 'one', value: { id: 1 } },
    { name: 'two', value: 2 },
  ]
  const media = { mediaType, validate: isObject, examples }

  expect(namedExample('one', media, false)).toEqual({ value: { id: 1 } })
  expect(namedExample('two', media, false)).toBeUndefined()
  expect(namedExample('three', media, false)).toBeUndefined()
})

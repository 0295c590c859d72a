import { expect, test } from 'vitest'
import { toMistakes } from './schema-errors.ts'

test('an error about the allowed values of an absent property reports the property as missing', () => {
  const document = { root: {}, sources: [] }
  const error = {
    keyword: 'enum',
    instancePath: '/a',
    schemaPath: '#/properties/a/enum',
    params: { allowedValues: [1] },
  }

  expect(toMistakes([error], document)).toEqual([
    { reason: '"a" is missing', location: '', help: 'Add "a".' },
  ])
})

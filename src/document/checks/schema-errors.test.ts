import { expect, test } from 'vitest'
import { parseSource } from '../parse-text.ts'
import { toMistakes } from './schema-errors.ts'

test('an error about the allowed values of an absent property reports the property as missing', () => {
  const source = parseSource('a.yaml', new URL('file:///a.yaml'), '{}')
  const document = { root: {}, sources: [source] }
  const error = {
    keyword: 'enum',
    instancePath: '/a',
    schemaPath: '#/properties/a/enum',
    params: { allowedValues: [1] },
  }

  expect(toMistakes([error], document)).toEqual([
    {
      reason: '"a" is missing',
      location: { source, pointer: [] },
      assumed: 'it is empty',
      help: 'Add "a".',
      detail: 'general',
    },
  ])
})

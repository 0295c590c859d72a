import { expect, test } from 'vitest'
import { withIgnoredNames } from './ignored-names.ts'
import { createSchemaCompiler } from './schema-compiler.ts'

const compile = createSchemaCompiler()
const properties = { name: { type: 'string' } }

test.each<[what: string, schema: object, readOnly: string[], value: object, isValid: boolean]>([
  ['a read-only property', { additionalProperties: false }, ['id'], { id: 1 }, true],
  ['each of several', { additionalProperties: false }, ['id', 'at'], { id: [], at: null }, true],
  ['one without unevaluated properties', { unevaluatedProperties: false }, ['id'], { id: 1 }, true],
  [
    'a name with special characters',
    { additionalProperties: false },
    ['$a.b|c'],
    { '$a.b|c': 1 },
    true,
  ],
  ['another property', { additionalProperties: false }, ['id'], { ids: 1 }, false],
  [
    'a name that is a pattern for another',
    { additionalProperties: false },
    ['a.b'],
    { axb: 1 },
    false,
  ],
  ['a wrong value beside it', { additionalProperties: false }, ['id'], { id: 1, name: 2 }, false],
  ['nothing read-only', { additionalProperties: false }, [], { id: 1 }, false],
])('of a closed schema, %s: %j', (_what, schema, readOnly, value, isValid) => {
  const validate = compile(withIgnoredNames({ type: 'object', properties, ...schema }, readOnly))

  expect(validate(value)).toBe(isValid)
})

test('an open schema stays', () => {
  const schema = { type: 'object', properties }

  expect(withIgnoredNames(schema, ['id'])).toBe(schema)
})

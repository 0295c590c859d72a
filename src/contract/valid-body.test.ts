import { expect, it } from 'vitest'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import { validBody } from './body.ts'
import type { SchemaValidator } from './contract.ts'

it('validates a body once when the validation reaches its time limit', () => {
  const schema = { type: 'object', properties: { name: { type: 'string', pattern: '^(a+)+$' } } }
  const compiled = createSchemaCompiler(20)(schema)
  let count = 0
  const validate: SchemaValidator = (value) => {
    count += 1
    const isValid = compiled(value)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  const values = [{ name: `${'a'.repeat(40)}!` }]

  const { errors } = validBody(
    { values },
    { mediaType: 'application/json', schema, validate },
    { useDefaults: true },
  )

  expect(errors.map(({ keyword }) => keyword)).toEqual(['time'])
  expect(count).toBe(1)
})

import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { createSchemaCompiler } from '../document/schemas/schema-compiler.ts'
import { generateDocumentedValue } from './documented-value.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

const book: Schema = {
  type: 'object',
  required: ['title'],
  properties: { id: { type: 'integer' }, title: { type: 'string' }, pages: { type: 'integer' } },
}

describe('a generated value', () => {
  it('has all documented properties and is valid', async () => {
    const validate = createSchemaCompiler()(book)

    const generated = await generateDocumentedValue({ schema: book, validate, seed: 'a', now: NOW })

    expect(generated).toMatchObject({ isValid: true })
    expect(Object.keys(Object(generated.value))).toEqual(['id', 'title', 'pages'])
  })

  it('is the same for the same seed and place', async () => {
    const request = { schema: book, seed: [1, 2], now: NOW, place: 'books' }

    const first = await generateDocumentedValue(request)

    expect(await generateDocumentedValue(request)).toEqual(first)
    expect(await generateDocumentedValue({ ...request, seed: [1, 3] })).not.toEqual(first)
  })

  it('keeps preset properties', async () => {
    const { value } = await generateDocumentedValue({
      schema: book,
      seed: 'a',
      now: NOW,
      preset: { title: 'Emma' },
    })

    expect(value).toMatchObject({ title: 'Emma' })
  })
})

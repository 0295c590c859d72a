import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { exampleResource } from '../testing/example-resource.ts'
import { cachedText, recordFromBody } from './record-values.ts'

const NOW = Date.parse('2027-03-01T12:00:00Z')

describe('a new record', () => {
  it('is what the client sent, except the id', () => {
    const resource = exampleResource({ title: { type: 'string' }, pages: { type: 'integer' } })

    expect(recordFromBody(resource, { id: 9, title: 'Dune', pages: 0 }, NOW)).toEqual({
      title: 'Dune',
      pages: 0,
    })
  })

  it.each<[name: string, schema: Schema, value: unknown]>([
    ['default', { type: 'string', default: 'new' }, 'new'],
    ['const', { const: 7, readOnly: true }, 7],
    ['first of its enum', { enum: ['a', 'b'], readOnly: true }, 'a'],
    [
      'present moment',
      { type: 'string', format: 'date-time', readOnly: true },
      '2027-03-01T12:00:00.000Z',
    ],
    ['present day', { type: 'string', format: 'date', readOnly: true }, '2027-03-01'],
    ['least integer', { type: 'integer', minimum: 3, readOnly: true }, 3],
    ['0', { type: 'number', readOnly: true }, 0],
    ['false', { type: 'boolean', readOnly: true }, false],
    ['empty text', { type: 'string', readOnly: true }, ''],
    ['empty list', { type: 'array', readOnly: true }, []],
    ['empty object', { type: 'object', readOnly: true }, {}],
    ['null', { readOnly: true }, null],
    ['plainest value of its first type', { type: ['integer', 'null'], readOnly: true }, 0],
  ])('gets the %s where the service sets a property', (_name, schema, value) => {
    const resource = exampleResource({ own: schema })

    expect(recordFromBody(resource, {}, NOW)).toEqual({ own: value })
  })

  it('gets the properties that the schema or a branch of it requires', () => {
    const resource = exampleResource(
      { shelf: { type: 'string' }, loans: { type: 'integer' }, note: { type: 'string' } },
      { required: ['shelf'], allOf: [{ required: ['loans'] }] },
    )

    expect(recordFromBody(resource, {}, NOW)).toEqual({ shelf: '', loans: 0 })
  })

  it('keeps a null that the client sent', () => {
    const resource = exampleResource({ note: { type: ['string', 'null'], default: 'none' } })

    expect(recordFromBody(resource, { note: null }, NOW)).toEqual({ note: null })
  })

  it.each([undefined, null, 'text', [1]])('is made of a body %j too', (body) => {
    const resource = exampleResource({ note: { type: 'string', default: 'none' } })

    expect(recordFromBody(resource, body, NOW)).toEqual({ note: 'none' })
  })
})

describe('a shown record', () => {
  it('has no write-only properties', () => {
    const resource = { ...exampleResource({}), hidden: new Set(['password']) }

    expect(cachedText(resource, { id: 1, password: 'x' })).toBe('{"id":1}')
  })
})

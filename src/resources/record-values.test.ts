import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { exampleResource } from '../testing/example-resource.ts'
import { completeRecord } from './record-values.ts'

const NOW = Date.parse('2027-03-01T12:00:00Z')

describe('a given record', () => {
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

    expect(completeRecord(resource, {}, NOW)).toEqual({ own: value })
  })

  it('gets the properties that the schema or a branch of it requires, and that clients do not send', () => {
    const resource = {
      ...exampleResource(
        { shelf: { type: 'string' }, loans: { type: 'integer' }, note: { type: 'string' } },
        { required: ['shelf'], allOf: [{ required: ['loans'] }] },
      ),
      creation: { required: true, mediaTypes: [], schema: {}, validate: () => true },
    }

    expect(completeRecord(resource, {}, NOW)).toEqual({ shelf: '', loans: 0 })
  })

  it('keeps a null that it has', () => {
    const resource = exampleResource({ note: { type: ['string', 'null'], default: 'none' } })

    expect(completeRecord(resource, { note: null }, NOW)).toEqual({ note: null })
  })
})

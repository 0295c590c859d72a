import { describe, expect, it } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { describedValues, propertiesOf } from '../../contract/schema.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { momentFor } from '../../resources/effects.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

/** The values that a property of a response has by its description. */
async function valuesIn(property: Schema): Promise<readonly string[]> {
  return describedValues(await readProperty(property))
}

/** A property of a response as it is read. */
async function readProperty(property: Schema, name = 'status'): Promise<Schema> {
  const content = { 'application/json': { schema: objectOf({ [name]: property }) } }
  const { operations } = await loadDocumentOf({
    '/hooks': { get: { responses: { 200: { description: 'A hook.', content } } } },
  })
  const shown = operations[0]?.responses[0]?.content?.[0]?.schema

  return propertiesOf(shown ?? {}).get(name) ?? {}
}

describe('the values of a text', () => {
  it.each([
    ['The status of the hook. It can be `enabled` or `disabled`.', ['enabled', 'disabled']],
    ['One of "open", "in_progress", or "done".', ['open', 'in_progress', 'done']],
    ['Possible values are `a`, `b` and `c`; the default is `a`.', ['a', 'b', 'c']],
    ['How far the order is: `OPEN`, `DONE`, or `CANCELED`.', ['OPEN', 'DONE', 'CANCELED']],
    ['The state:\n\n- `draft`: not sent\n- `sent`: sent to the customer', ['draft', 'sent']],
    ['The payment is APPROVED, PENDING, or IN_REVIEW.', ['APPROVED', 'PENDING', 'IN_REVIEW']],
  ])('are in its description: %s', async (description, values) => {
    expect(await valuesIn({ type: 'string', description })).toEqual(values)
  })

  it.each<[why: string, property: Schema]>([
    ['only one is named', { description: 'It can be `enabled`.' }],
    ['no list is announced', { description: 'Sorts `name`, `age` before others' }],
    ['they are examples', { description: 'Tags, for example: `a`, `b`.' }],
    ['the schema lists them', { description: 'Either `a` or `b`.', enum: ['a', 'c'] }],
    ['the schema has a format', { description: 'Either `a` or `b`.', format: 'date' }],
    ['it is a number', { description: 'Either `a` or `b`.', type: 'integer' }],
  ])('are not described when %s', async (_why, property) => {
    expect(await valuesIn({ type: 'string', ...property })).toEqual([])
  })
})

describe('a format of ids', () => {
  it.each<[why: string, property: Schema]>([
    ['the example has another', { example: '536e564f316c83104c000020' }],
    ['the length has no place for it', { minLength: 24, maxLength: 24 }],
  ])('is ignored when %s', async (_why, property) => {
    expect(await readProperty({ type: 'string', format: 'uuid', ...property })).not.toHaveProperty(
      'format',
    )
  })

  it('is kept with an example that has it', async () => {
    const example = '0b9ea4ae-5d2b-4b6a-9d2e-7d1b4cf3a0d1'
    const property = await readProperty({ type: 'string', format: 'uuid', example })

    expect(property.format).toBe('uuid')
  })
})

describe('an object of which nothing is described', () => {
  it.each<[why: string, name: string, property: object]>([
    ['the example is a text', 'label', { example: 'Blue' }],
    ['the example is a list', 'label', { example: ['Blue'] }],
    ['its name says so', 'value', {}],
    ['its name says so', 'oldValue', { description: 'The value before.' }],
    ['its name says so', 'default_value', {}],
  ])('has any type when %s', async (_why, name, property) => {
    const schema = await readProperty({ type: 'object', ...(property as Schema) }, name)

    expect(schema.type).toContain('string')
    // A strict client expects what the document says.
    expect(generateValue({ schema, seed: [1], now: 0 }).value).toBeTypeOf('object')
  })

  it.each<[why: string, name: string, property: object]>([
    ['an example', 'label', { example: { color: 'blue' } }],
    ['the text of an example', 'label', { example: '{"color":"blue"}' }],
    ['properties', 'value', { properties: { color: {} } }],
    ['another name', 'values', {}],
  ])('stays one with %s', async (_why, name, property) => {
    expect(await readProperty({ type: 'object', ...(property as Schema) }, name)).toHaveProperty(
      'type',
      'object',
    )
  })
})

describe('a time', () => {
  const AT = Date.parse('2026-03-01T12:00:00Z')

  it.each<[schema: Schema, value: unknown]>([
    [{ type: 'integer', description: 'A Unix timestamp.' }, AT / 1000],
    [{ type: 'integer', description: 'Milliseconds since the Unix epoch.' }, AT],
    [{ type: 'string', description: 'Unix timestamp (seconds since epoch).' }, String(AT / 1000)],
    [{ type: 'string', description: 'Epoch time in milliseconds' }, String(AT)],
    [{ type: 'string', description: 'When it was added.' }, '2026-03-01T12:00:00.000Z'],
    [
      { type: 'string', format: 'date-time', description: 'Not a Unix time.' },
      '2026-03-01T12:00:00.000Z',
    ],
  ])('counts what its description says: %j', async (schema, value) => {
    const read = await readProperty(schema)

    expect(momentFor(read, AT)).toBe(value)
  })

  it('of a first record is in the same form', async () => {
    const texts = await readProperty({ type: 'string', description: 'Unix time' })
    const numbers = await readProperty({
      type: 'integer',
      description: 'Unix time in milliseconds',
    })
    const schema = { type: 'object', properties: { created_at: texts, updated_at: numbers } }

    const { value } = generateValue({ schema, seed: [1], now: AT })

    expect(value).toEqual({
      created_at: expect.stringMatching(/^1\d{9}$/),
      updated_at: expect.closeTo(AT, -11),
    })
  })
})

describe('the order of the values of an enum', () => {
  const statuses = ['canceled', 'processing', 'requires_payment', null]

  it.each([
    [
      'One of `requires_payment`, `processing`, or `canceled`.',
      ['requires_payment', 'processing', 'canceled'],
    ],
    ['One of `canceled`, `processing`, or `requires_payment`.', []],
    ['One of `requires_payment` or `canceled`.', []],
  ])('is that of the description "%s"', async (description, expected) => {
    const property = { type: ['string', 'null'], enum: statuses, description } as const

    expect(await valuesIn(property)).toEqual(expected)
  })
})

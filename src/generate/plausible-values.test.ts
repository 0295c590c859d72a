import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { generateDocumentedValue } from './generate-value.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const text: Schema = { type: 'string' }
const dateTime: Schema = { type: 'string', format: 'date-time' }
const number: Schema = { type: 'number' }

/** The properties of a generated object. */
async function objectWith(
  properties: Readonly<Record<string, Schema>>,
  place = 'things',
): Promise<Readonly<Record<string, unknown>>> {
  const schema = { type: 'object', properties }
  const { value } = await generateDocumentedValue({ schema, seed: 'a', now: NOW, place })
  return Object(value)
}

describe('the name of a property', () => {
  it.each<[name: string, schema: Schema, expected: RegExp]>([
    ['email', text, /^[a-z]+\.[a-z]+@example\.com$/],
    ['contactEmail', text, /@example\.com$/],
    ['first_name', text, /^[A-Z][a-z]+$/],
    ['fullName', text, /^[A-Z][a-z]+ [A-Z][a-z]+$/],
    ['phone-number', text, /^\+\d{8,}$/],
    ['city', text, /^[A-Z][a-z]+$/],
    ['country', { ...text, maxLength: 2 }, /^[A-Z]{2}$/],
    ['currency', { ...text, pattern: '^[A-Z]{3}$' }, /^[A-Z]{3}$/],
    ['zip_code', text, /\d/],
    ['card_last4', text, /^\d{4}$/],
    ['lastFour', text, /^\d{4}$/],
    ['website', text, /^https:\/\/example\.com\//],
    ['avatar_url', { ...text, format: 'uri' }, /^https:.*\.png$/],
    ['price', number, /^\d+(\.\d{1,2})?$/],
    ['age', { type: 'integer' }, /^\d\d$/],
    ['ErrorCode', { type: 'integer' }, /^0$/],
    ['description', text, / .* .*\.$/],
    ['slug', text, /^[a-z]+-[a-z]+$/],
    ['uuid', text, /^[0-9a-f-]{36}$/],
    ['timezone', text, /^[A-Z][a-z]+\/[A-Z]/],
    ['ip', text, /^192\.0\.2\.\d+$/],
    ['created_at', { type: 'integer' }, /^17\d{8}$/],
    ['period_start', { type: 'integer', format: 'unix-time' }, /^17\d{8}$/],
    ['default_branch', text, /^main$/],
  ])('guides the value of %s', async (name, schema, expected) => {
    const object = await objectWith({ [name]: schema })

    expect(String(object[name])).toMatch(expected)
  })

  it('is no person because of a parameter in the path of its collection', async () => {
    const people = await objectWith({ name: text }, 'owners')
    const { name } = await objectWith({ name: text }, 'repos/{owner}')

    expect(people.name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/)
    expect(name).toMatch(/^[A-Z][a-z]+ [a-z]+$/)
  })

  it.each<[name: string, schema: Schema]>([
    ['email', { ...text, maxLength: 4 }],
    ['age', { type: 'integer', minimum: 500 }],
    ['city', { ...text, enum: ['x', 'y'] }],
    ['country', { type: 'boolean' }],
  ])('gives way to the schema of %s', async (name, schema) => {
    const { isValid } = await generateDocumentedValue({
      schema: { type: 'object', required: [name], properties: { [name]: schema } },
      seed: 'a',
      now: NOW,
    })

    expect(isValid).toBe(true)
  })

  it('puts dates and limits in their order', async () => {
    const object = await objectWith({
      updated_at: dateTime,
      created_at: dateTime,
      start_date: dateTime,
      end_date: dateTime,
      expires_at: dateTime,
      max_price: number,
      min_price: number,
    })

    const time = (name: string): number => Date.parse(String(object[name]))
    expect(time('created_at')).toBeLessThan(time('updated_at'))
    expect(time('updated_at')).toBeLessThanOrEqual(NOW)
    expect(time('start_date')).toBeLessThan(time('end_date'))
    expect(time('expires_at')).toBeGreaterThan(NOW)
    expect(object.min_price).toBeLessThanOrEqual(Number(object.max_price))
  })

  it('makes the values of one object fit each other', async () => {
    const object = await objectWith({ firstName: text, lastName: text, email: text })

    expect(object.email).toBe(`${object.firstName}.${object.lastName}@example.com`.toLowerCase())
  })
})

describe('a listed value', () => {
  it('fits the others', async () => {
    const object = await objectWith({
      country: { enum: ['AU', 'CA', 'DE', 'FR', 'GB', 'JP', 'US'] },
      country_code: text,
    })

    expect(object.country).toBe(object.country_code)
  })
})

describe('a described value', () => {
  it('is one of those that the description lists, before others that fit the name', async () => {
    const described = ['enabled', 'paused']

    const object = await objectWith({ status: { ...text, describedValues: described } })

    expect(described).toContain(object.status)
  })
})

describe('an id or the record with it', () => {
  it('is the id', async () => {
    const record = { type: 'object', properties: { id: text, name: text } }

    const object = await objectWith({
      a: { anyOf: [text, record] },
      b: { anyOf: [record, text] },
      c: { oneOf: [record, { type: 'integer' }] },
    })

    expect(object).toEqual({
      a: expect.any(String),
      b: expect.any(String),
      c: expect.any(Number),
    })
  })
})

describe('objects', () => {
  it('describe different things, and their parts the same thing', async () => {
    const person = {
      type: 'object',
      properties: { full_name: text, contact: { type: 'object', properties: { full_name: text } } },
    }

    const { sender, receiver } = await objectWith({ sender: person, receiver: person })

    expect(sender).toHaveProperty('contact.full_name', Object(sender).full_name)
    expect(Object(sender).full_name).not.toBe(Object(receiver).full_name)
  })
})

describe('an example of the document', () => {
  it('is the value where it is valid', async () => {
    const object = await objectWith({
      a: { ...text, example: 'Rex' },
      b: { type: 'integer', examples: [7] },
      c: { type: 'integer', example: 'seven' },
    })

    expect(object).toEqual({ a: 'Rex', b: 7, c: expect.any(Number) })
  })

  it('is the value of the first item only', async () => {
    const item = { type: 'object', properties: { name: { ...text, example: 'Rex' } } }

    const { list } = await objectWith({
      list: { type: 'array', minItems: 2, maxItems: 2, items: item },
    })

    expect(list).toMatchObject([{ name: 'Rex' }, { name: expect.not.stringMatching(/^Rex$/) }])
  })
})

describe('an example of a code', () => {
  it('shows the form of the others', async () => {
    const item = { type: 'object', properties: { id: { ...text, example: 'cus_10234' } } }

    const { list } = await objectWith({
      list: { type: 'array', minItems: 2, maxItems: 2, items: item },
    })

    expect(list).toEqual([{ id: 'cus_10234' }, { id: expect.stringMatching(/^cus_\d{5}$/) }])
    expect(list).not.toEqual([{ id: 'cus_10234' }, { id: 'cus_10234' }])
  })
})

describe('a preset', () => {
  const schema: Schema = {
    type: 'object',
    required: ['code', 'message'],
    additionalProperties: false,
    properties: { code: { enum: ['a', 'b'] }, message: text, id: { type: 'integer' } },
  }

  it('is kept where the schema allows it', async () => {
    const preset = { code: 'c', message: 'It failed.', status: 404, id: 7 }

    const { value, isValid } = await generateDocumentedValue({
      schema,
      seed: 'a',
      now: NOW,
      preset,
    })

    expect(isValid).toBe(true)
    expect(value).toEqual({ code: expect.stringMatching(/^[ab]$/), message: 'It failed.', id: 7 })
  })

  it('decides the branch', async () => {
    const branches = ['a', 'b'].map((kind) => ({
      type: 'object',
      required: ['kind'],
      properties: { kind: { const: kind }, [kind]: text },
    }))

    const { value } = await generateDocumentedValue({
      schema: { oneOf: branches },
      seed: 'a',
      now: NOW,
      preset: { kind: 'b' },
    })

    expect(value).toEqual({ kind: 'b', b: expect.any(String) })
  })
})

describe('presets of one schema', () => {
  const schema: Schema = {
    type: 'object',
    required: ['code', 'message'],
    properties: { code: { type: 'integer' }, message: text },
    examples: [
      { code: 1, message: 'No such book.' },
      { code: 2, message: 'The book is lent.' },
    ],
  }
  const madeOf = async (preset: Readonly<Record<string, unknown>>): Promise<unknown> =>
    (await generateDocumentedValue({ schema, seed: 'a', now: NOW, preset })).value

  it('take the example that has them, and no other', async () => {
    expect(await madeOf({ code: 2 })).toEqual({ code: 2, message: 'The book is lent.' })
    expect(await madeOf({ code: 1 })).toEqual({ code: 1, message: 'No such book.' })
    expect(await madeOf({ code: 3 })).toEqual({ code: 3, message: expect.any(String) })
  })

  it('may have any names, and any number of them', async () => {
    for (let at = 0; at < 60; at += 1)
      expect(await madeOf({ code: at, [`extra${at}`]: at })).toMatchObject({
        [`extra${at}`]: at,
        code: at,
      })
  })

  it('are copied', async () => {
    const preset = { code: 3, tags: ['new'] }
    const value = Object(await madeOf(preset))
    value.tags.push('other')

    expect(preset.tags).toEqual(['new'])
  })
})

describe('a hint', () => {
  it('decides the value', async () => {
    const object = await objectWith({
      email: { ...text, 'x-faker': { 'helpers.arrayElement': [['x']] } },
    })

    expect(object).toEqual({ email: 'x' })
  })

  it('is found in a property with the name of a keyword', async () => {
    const object = await objectWith({
      default: { ...text, 'x-faker': { 'helpers.arrayElement': [['x']] } },
    })

    expect(object).toEqual({ default: 'x' })
  })

  it.each([
    ['fails', 'no.such', 'faker has no no.such'],
    ['makes an invalid value', 'datatype.boolean', 'must be string'],
  ])('that %s is not used, and the reason says so', async (_name, hint, why) => {
    const schema = { type: 'object', properties: { email: { ...text, 'x-faker': hint } } }
    const validate = Object.assign((value: unknown) => typeof Object(value).email === 'string', {
      errors: [{ instancePath: '/email', keyword: 'type', params: { type: 'string' } }],
    })

    const generated = await generateDocumentedValue({ schema, validate, seed: 'a', now: NOW })

    expect(generated).toMatchObject({
      isValid: true,
      value: { email: expect.stringContaining('@') },
      reason: expect.stringContaining(why),
    })
  })
})

describe('a discriminator', () => {
  it('names the branch', async () => {
    const schema: Schema = {
      oneOf: [
        { type: 'object', required: ['kind', 'a'], properties: { kind: text, a: text } },
        { type: 'object', required: ['kind', 'b'], properties: { kind: text, b: text } },
      ],
      discriminator: { propertyName: 'kind', branches: [['Cat'], ['dog']] },
    }

    const { value } = await generateDocumentedValue({ schema, seed: 'a', now: NOW })

    expect(value).toMatchObject({ kind: 'Cat', a: expect.any(String) })
  })

  it('of a base schema has a value of its mapping', async () => {
    const schema: Schema = {
      type: 'object',
      required: ['kind'],
      properties: { kind: text },
      discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } },
    }

    const { value } = await generateDocumentedValue({ schema, seed: 'a', now: NOW })

    expect(value).toEqual({ kind: 'cat' })
  })
})

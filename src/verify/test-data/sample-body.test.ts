import { describe, expect, it } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { sampleBody, withUsualValues } from './sample-body.ts'

const OPTIONS = { model: undefined, text: 'text', isComplete: true }

function sampled(schema: Schema, isValid: (value: unknown) => boolean = () => true): unknown {
  const body = { schema, validate: isValid, required: true, mediaTypes: ['application/json'] }
  return sampleBody(body, OPTIONS)
}

it('has positive numbers, unless an example shows a negative one, or no other is allowed', () => {
  const change = { type: 'integer', minimum: -1000, maximum: 1000 }
  const schema: Schema = {
    type: 'object',
    properties: { change, debt: { ...change, maximum: 0 }, shown: { ...change, example: -5 } },
  }
  const body = { schema, validate: () => true, required: true, mediaTypes: ['application/json'] }
  const value = { change: -814, debt: -7, shown: -5, level: -3 }

  expect(withUsualValues(body, value, 0)).toEqual({ change: 814, debt: -7, shown: -5, level: 3 })
  expect(withUsualValues({ ...body, example: value }, value, 0)).toEqual(value)
})

it('has adults, unless the document shows a child', () => {
  const bornOn = { type: 'string', format: 'date' }
  const schema: Schema = { type: 'object', properties: { bornOn } }
  const body = { schema, validate: () => true, required: true, mediaTypes: ['application/json'] }
  const value = { bornOn: '2020-02-03' }

  expect(withUsualValues(body, value, Date.UTC(2026, 0, 1))).toEqual({ bornOn: '1990-05-17' })
  expect(withUsualValues({ ...body, example: value }, value, Date.UTC(2026, 0, 1))).toEqual(value)
})

describe('a range of dates', () => {
  const date: Schema = { type: 'string', format: 'date' }
  const schema: Schema = { type: 'object', properties: { startsOn: date, dueOn: date } }
  const body = { schema, validate: () => true, required: true, mediaTypes: ['application/json'] }

  it('is as long as before when it is moved to the future', () => {
    const value = { startsOn: '2026-01-02', dueOn: '2026-01-16' }

    expect(withUsualValues(body, value, Date.UTC(2026, 2, 1))).toEqual({
      startsOn: '2026-03-17',
      dueOn: '2026-03-31',
    })
  })

  it('may be called after what is planned', () => {
    const properties = { planned_start: date, planned_end: date }
    const planned = { ...body, schema: { type: 'object', properties } }
    const value = { planned_start: '2026-01-02', planned_end: '2026-01-03' }

    expect(withUsualValues(planned, value, Date.UTC(2026, 2, 1))).toEqual({
      planned_start: '2026-03-30',
      planned_end: '2026-03-31',
    })
  })

  it('is a day when it would be long, unless the example of the document shows that', () => {
    const value = { startsOn: '2031-01-01', dueOn: '2031-04-01' }

    expect(withUsualValues(body, value, 0)).toEqual({ startsOn: '2031-03-31', dueOn: '2031-04-01' })
    expect(withUsualValues({ ...body, example: value }, value, 0)).toEqual(value)
  })
})

it('ends for a schema that requires itself', () => {
  const properties: Record<string, Schema> = { name: { type: 'string' } }
  const node: Schema = { type: 'object', required: ['parent'], properties }
  properties.parent = node

  const value = sampled(node)

  expect(value).toEqual({ name: 'text', parent: { name: 'text' } })
})

it('is missing when the server accepts no value of a schema that requires itself', () => {
  const properties: Record<string, Schema> = {}
  const node: Schema = { type: 'object', required: ['parent'], properties }
  properties.parent = node

  const value = sampled(node, () => false)

  expect(value).toBeUndefined()
})

it('ends for a list that requires lists of itself', () => {
  const list: Record<string, unknown> = { type: 'array', minItems: 2 }
  list.items = list

  const value = sampled(list)

  expect(value).toEqual([[], []])
})

it('ends for required properties that double with each level', () => {
  let schema: Schema = { type: 'integer' }
  for (let level = 0; level < 30; level += 1) {
    schema = { type: 'object', required: ['a', 'b'], properties: { a: schema, b: schema } }
  }

  const value = sampled(schema)

  expect(value).toBeTypeOf('object')
})

it('has at most a hundred items', () => {
  const value = sampled({ type: 'array', minItems: 1e9, items: { type: 'boolean' } })

  expect(value).toHaveLength(100)
})

it.each(['uuid', 'email', 'uri', 'hostname'])('has a new value with the format %s', (format) => {
  const schema: Schema = { type: 'string', format }

  expect(sampled(schema)).not.toBe(sampled(schema))
})

it('has an email address that is short enough', () => {
  expect(sampled({ type: 'string', format: 'email', maxLength: 20 })).toBe('verify@example.com')
})

import { expect, it } from 'vitest'
import type { RequestBody, Schema } from '../../contract/contract.ts'
import { boundaryValues, invalidBodies } from './body-variants.ts'

function bodyOf(schema: Schema): RequestBody {
  return { schema, validate: () => true, required: true, mediaTypes: ['application/json'] }
}

it('tests a hundred values of a long enum', () => {
  const listed = Array.from({ length: 100_000 }, (_, at) => at)
  const body = bodyOf({ type: 'object', properties: { size: { enum: listed } } })

  const values = boundaryValues(body, { size: 0 })

  expect(values).toHaveLength(100)
})

it('tests a hundred of many properties', () => {
  const names = Array.from({ length: 5000 }, (_, at) => `name${at}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
  const body = bodyOf({ type: 'object', required: names, properties })

  const bodies = invalidBodies({ ...body, validate: () => false }, {})

  expect(bodies.filter(({ what }) => what.startsWith('a missing'))).toHaveLength(100)
})

it('sends a number that the schema allows as a text of two digits', () => {
  const seconds = { type: 'integer', minimum: 1, maximum: 36_000 } as const
  const body = bodyOf({ type: 'object', properties: { seconds } })
  const [found] = invalidBodies(
    { ...body, validate: () => false },
    { seconds: 18_000 },
    undefined,
    '',
    (what) => what === 'seconds as a text',
  )

  expect(found?.text).toBe('{"seconds":"12"}')
})

it('validates only the bodies that are wanted', () => {
  const body = bodyOf({ type: 'object', required: ['a', 'b'], properties: { a: {}, b: {} } })
  const validated: unknown[] = []
  const validate = (value: unknown): boolean => {
    validated.push(value)
    return false
  }

  const bodies = invalidBodies(
    { ...body, validate: Object.assign(validate, { within: validate }) },
    { a: 1, b: 2 },
    undefined,
    '',
    (what) => what === 'a missing a',
  )

  expect(bodies).toEqual([{ what: 'a missing a', text: '{"b":2}' }])
  expect(validated).toEqual([{ b: 2 }])
})

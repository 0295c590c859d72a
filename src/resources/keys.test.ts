import { describe, expect, it } from 'vitest'
import { serviceKeys } from './keys.ts'

const schema = {
  type: 'object',
  properties: { number: { type: 'integer' }, ref: { type: 'integer' } },
}

it('gives each record a UUID of its own as a further key', () => {
  const withUuid = {
    type: 'object',
    properties: { code: { type: 'string' }, key: { type: 'string', format: 'uuid' } },
  }
  const keysOf = (id: string) => serviceKeys({ keys: ['key'], schema: withUuid }, 'plans', id)

  expect(keysOf('basic').key).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(keysOf('basic')).toEqual(keysOf('basic'))
  expect(keysOf('basic')).not.toEqual(keysOf('large'))
})

describe('numbers by which paths name records besides their ids', () => {
  it('count with the ids where they number the records', () => {
    const numbersOf = (id: unknown) => serviceKeys({ keys: ['number'], schema }, 'issues', id)

    expect([1, 2, 3].map(numbersOf)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  })

  it('are others for each record elsewhere', () => {
    const numbers = ['a', 'b', 3].map((id) => serviceKeys({ keys: ['ref'], schema }, 'issues', id))

    expect(new Set(numbers.map(({ ref }) => ref)).size).toBe(3)
  })
})

it.each([
  ['cus_1', /^cus_\d+$/],
  ['cus_NffrFe2X', /^cus_[A-Z][a-z]{3}[A-Z][a-z]\d[A-Z]$/],
  ['507f1f77bcf86cd799439011', /^[\da-f]{24}$/],
])('gives each record an id like %s of its own besides what paths call it', (example, form) => {
  const text = { type: 'object', properties: { id: { type: 'string', example } } }
  const ids = ['ann@example.com', 'bob@example.com'].map(
    (email) => serviceKeys({ keys: ['id'], schema: text }, 'members', email).id,
  )

  expect(ids).toEqual([expect.stringMatching(form), expect.stringMatching(form)])
  expect(new Set(ids).size).toBe(2)
})

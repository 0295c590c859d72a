import { describe, expect, it } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import type { Id } from '../records/record-table.ts'
import { createIdGenerator, type IdGenerator } from './id-generator.ts'

function makerFor(schema: Schema, seed = 1): IdGenerator {
  const maker = createIdGenerator(schema, seed)
  if (!maker) throw new Error('No ids can be made')
  return maker
}

function idsFrom(maker: IdGenerator, count: number, start: number = maker.start): Id[] {
  let state = start
  return Array.from({ length: count }, () => {
    const made = maker.next(state)
    state = made.state
    return made.id
  })
}

describe('ids', () => {
  it.each<[name: string, schema: Schema, ids: readonly Id[]]>([
    ['integers', { type: 'integer', format: 'int64' }, [1, 2, 3]],
    ['numbers', { type: 'number' }, [1, 2, 3]],
    ['integers or null', { type: ['integer', 'null'] }, [1, 2, 3]],
    ['texts', { type: 'string' }, ['000001', '000002', '000003']],
    ['long texts', { type: 'string', minLength: 9 }, ['000000001', '000000002', '000000003']],
    [
      'email addresses',
      { type: 'string', format: 'email' },
      ['000001@example.com', '000002@example.com', '000003@example.com'],
    ],
    ['short texts', { type: 'string', maxLength: 3 }, ['001', '002', '003']],
  ])('that are %s are counted from 1', (_name, schema, ids) => {
    expect(idsFrom(makerFor(schema), 3)).toEqual(ids)
  })

  it('that are UUIDs have version 4 and are unique', () => {
    const ids = idsFrom(makerFor({ type: 'string', format: 'uuid' }), 2000)

    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    expect(new Set(ids).size).toBe(2000)
  })

  it.each<[name: string, schema: Schema]>([
    ['counted', { type: 'integer' }],
    ['UUIDs', { type: 'string', format: 'uuid' }],
    ['email addresses', { type: 'string', format: 'email' }],
  ])('that are %s go on from where they were', (_name, schema) => {
    const maker = makerFor(schema)
    const { state } = maker.next(maker.start)

    expect(idsFrom(maker, 3, state)).toEqual(idsFrom(maker, 4).slice(1))
  })

  it('that are UUIDs are the same for a seed on every machine', () => {
    const ids = idsFrom(makerFor({ type: 'string', format: 'uuid' }), 2)

    expect(ids).toEqual([
      'a08ff49b-6f77-4263-8271-6c43069c43a8',
      'c3b7cf3c-2563-42b9-8240-9d3fb64afebe',
    ])
  })

  it('that are UUIDs come from the seed', () => {
    const schema: Schema = { type: 'string', format: 'uuid' }

    const [one, same, other] = [1, 1, 2].map((seed) => idsFrom(makerFor(schema, seed), 3))

    expect(same).toEqual(one)
    expect(other).not.toEqual(one)
  })

  it.each<[name: string, schema: Schema]>([
    ['no schema', {}],
    ['a pattern', { type: 'string', pattern: '^x-' }],
    ['a format that is no UUID', { type: 'string', format: 'date' }],
    ['an object', { type: 'object' }],
    ['short email addresses', { type: 'string', format: 'email', maxLength: 20 }],
    ['a boolean', { type: 'boolean' }],
  ])('cannot be made for %s', (_name, schema) => {
    expect(createIdGenerator(schema, 1)).toBeUndefined()
  })

  it.each<[taken: Id, next: Id]>([
    [41, 42],
    [-3, 1],
    [0, 1],
    [2.5, 1],
    ['12', 13],
    ['banana', 1],
    ['Infinity', 1],
    [1e300, 1],
    ['', 1],
  ])('go on after %j was taken with %j', (taken, next) => {
    const maker = makerFor({ type: 'integer' })

    const state = maker.stateAfter(maker.start, taken)

    expect(maker.next(state).id).toBe(next)
  })

  it('do not go back when a lower id is in use', () => {
    const maker = makerFor({ type: 'integer' })

    const state = maker.stateAfter(5, 2)

    expect(maker.next(state).id).toBe(6)
  })
})

import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import type { ResourceHints } from '../contract/hints.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { byCatalogue, byDescription, byIdName, byIdSchema } from './id-references.ts'
import { inferHints } from './infer-hints.ts'

const NUMBER = { type: 'integer' } as const
const TEXT = { type: 'string' } as const
const UUID = { type: 'string', format: 'uuid' } as const

function collection(path: string, id: Schema): ReturnType<typeof operationOn>[] {
  const shown = objectOf({ id, name: TEXT })
  return [
    operationOn(`GET ${path}`, { shown: listOf(shown) }),
    operationOn(`GET ${path}/{id}`, { shown }),
  ]
}

function idReferencesOf(
  properties: Readonly<Record<string, Schema>>,
  path = '/trips',
): ResourceHints['idReferences'] {
  const shown = objectOf({ id: NUMBER, ...properties })
  const hints = inferHints([
    ...collection('/boats', NUMBER),
    ...collection('/users', UUID),
    ...collection('/boats/{id}/crews', NUMBER),
    ...collection('/ports', TEXT),
    operationOn('GET /ports/find/berth', { shown: listOf(objectOf({ id: TEXT })) }),
    operationOn('GET /ports/find', { shown: listOf(objectOf({ id: TEXT })) }),
    ...collection('/key', TEXT),
    operationOn('POST /tags', {
      sent: objectOf(['name']),
      shown: objectOf({ id: TEXT, name: TEXT }),
    }),
    ...collection('/tags', TEXT),
    operationOn(`GET ${path}`, { shown: listOf(shown) }),
    operationOn(`GET ${path}/{id}`, { shown }),
  ])
  const name = [...hints.paths].find(([, one]) => one === path)?.[0] ?? ''
  return hints.resource(name)?.idReferences
}

describe('a value is the id of a record', () => {
  test.each<[name: string, schema: Schema, target: string]>([
    ['boat_id', NUMBER, 'boats'],
    ['spareBoatId', NUMBER, 'boats'],
    ['boat_ids', listOf(NUMBER), 'boats'],
    ['boats', listOf(NUMBER), 'boats'],
    ['owner_id', UUID, 'users'],
    ['createdBy', UUID, 'users'],
    ['parentId', NUMBER, 'trips'],
    ['port', TEXT, 'ports'],
    ['parent_trip_id', NUMBER, 'trips'],
    ['vessel', { ...NUMBER, describedReference: 'boat' }, 'boats'],
    ['skipper', { ...UUID, describedReference: 'User' }, 'users'],
  ])('%s', (name, schema, target) => {
    expect(idReferencesOf({ [name]: schema })).toEqual({ [name]: target })
  })

  test.each<[relation: string, type: Schema, target: string | undefined]>([
    ['owner', TEXT, 'users'],
    ['vessel', { const: 'boats' }, 'boats'],
    ['vessel', { ...TEXT, example: 'boat' }, 'boats'],
    ['vessel', TEXT, undefined],
    ['vessel', { enum: ['boats', 'users'] }, undefined],
  ])('in a relationship of JSON:API (%s, %j)', (relation, type, target) => {
    const id = target === 'users' ? UUID : TEXT
    const relationships = objectOf({ [relation]: objectOf({ data: objectOf({ type, id }) }) })
    const place = `/relationships/${relation}/data/id`

    expect(idReferencesOf({ relationships })).toEqual(target && { [place]: target })
  })

  test('in objects and in lists of objects', () => {
    const legs = listOf(objectOf({ boat_id: NUMBER, port: objectOf({ owner_id: UUID }) }))
    expect(idReferencesOf({ legs })).toEqual({
      '/legs/boat_id': 'boats',
      '/legs/port/owner_id': 'users',
    })
  })

  test('below the same parents', () => {
    const path = '/boats/{id}/shifts'
    expect(idReferencesOf({ crew_id: NUMBER }, path)).toEqual({ crew_id: 'crews' })
    expect(idReferencesOf({ crew_id: NUMBER })).toBeUndefined()
  })
})

test.each<[why: string, name: string, schema: Schema]>([
  ['it may be a name', 'boat', TEXT],
  ['it is the id of another service', 'external_boat_id', NUMBER],
  ['it is a number, and the ids are texts', 'owner_id', NUMBER],
  ['it is one of few values', 'boat_id', { type: 'string', enum: ['a', 'b'] }],
  ['no collection has its name', 'quay_id', NUMBER],
  ['it is as many as a collection has', 'ports', TEXT],
  ['people add to what it is called as', 'tag', TEXT],
  ['that is part of another collection', 'berth', TEXT],
  ['it is a key of its own', 'key', TEXT],
  ['it is a moment', 'boat_id', { type: 'string', format: 'date-time' }],
  ['it is a further id of its own', 'uuid', { ...UUID, describedReference: 'user' }],
  ['it is an object', 'boat_id', objectOf({ name: TEXT })],
])('a value is no id of a record when %s', (_, name, schema) => {
  expect(idReferencesOf({ [name]: schema })).toBeUndefined()
})

test('rules say what a value refers to', () => {
  const value = { name: 'billing_address_id', schema: NUMBER, isList: false, isKey: true }
  expect(byIdName(value)).toContain('address')
  expect(byIdName({ ...value, name: 'address' })).toEqual([])
  expect(byIdSchema({ name: 'address', schema: UUID, isList: false, isKey: true })).toContain(
    'address',
  )
  expect(byIdSchema({ name: 'address', schema: TEXT, isList: false, isKey: true })).toEqual([])
  const described = { ...TEXT, describedReference: 'billing address' }
  expect(byDescription({ name: 'to', schema: described, isList: false, isKey: true })).toContain(
    'address',
  )
  expect(byCatalogue({ ...value, name: 'region', schema: TEXT })).toContain('region')
  expect(byCatalogue({ ...value, name: 'address', schema: TEXT })).toEqual([])
})

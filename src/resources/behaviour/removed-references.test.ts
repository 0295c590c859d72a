import { describe, expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const [NUMBER, TEXT] = [{ type: 'integer' }, { type: 'string' }] as const
const NULLABLE = { type: ['integer', 'null'] } as const
const path = { id: NUMBER }
const BOAT = objectOf({ id: NUMBER, name: TEXT })
const NEW_TRIP = objectOf({
  ...{ boat_id: NULLABLE, spare_boat_id: NUMBER, towed_by_boat_id: NUMBER },
  ...{ boat_ids: listOf(NUMBER), fixed_boat_ids: { ...listOf(NUMBER), minItems: 1 } },
  legs: listOf(objectOf({ boat_id: NULLABLE })),
})
const TRIP = {
  ...objectOf({ id: NUMBER, ...NEW_TRIP.properties }),
  required: ['id', 'boat_id', 'towed_by_boat_id', 'boat_ids', 'fixed_boat_ids', 'legs'],
}
const STAY = { ...objectOf({ id: NUMBER, boat_id: NULLABLE }), required: ['id', 'boat_id'] }
const API = {
  'GET /boats': { shown: listOf(BOAT) },
  'POST /boats': { sent: objectOf({ name: TEXT }), shown: BOAT, status: [201] },
  'GET /boats/{id}': { shown: BOAT, path },
  'DELETE /boats/{id}': { status: [204], path },
  'GET /trips': { shown: listOf(TRIP) },
  'POST /trips': { sent: NEW_TRIP, shown: TRIP, status: [201] },
  'GET /trips/{id}': { shown: TRIP, path },
  'GET /marinas/{marina}/stays': { shown: listOf(STAY) },
  'GET /marinas/{marina}/stays/{id}': { shown: STAY, path },
}
const SENT = {
  ...{ boat_id: 1, spare_boat_id: 1, towed_by_boat_id: 1 },
  ...{ boat_ids: [2, 1], fixed_boat_ids: [1], legs: [{ boat_id: 1 }, { boat_id: 2 }] },
}

describe('references to a removed record', () => {
  test('go as the schema allows', async () => {
    const { ask } = await openApi(API)
    const { body: trip } = await ask('POST /trips', SENT)

    await ask('DELETE /boats/1')

    const { body } = await ask(`GET /trips/${trip.id}`)
    expect(body).toEqual({
      ...{ id: trip.id, boat_id: null, towed_by_boat_id: 1 },
      ...{ boat_ids: [2], fixed_boat_ids: [1], legs: [{ boat_id: null }, { boat_id: 2 }] },
    })
  })

  test.each(['/trips', '/marinas/7/stays'])('are in no first record of %s', async (list) => {
    type Trip = { readonly boat_id: number | null; readonly legs: { readonly boat_id: number }[] }
    const { ask } = await openApi(API)
    const before = (await ask<Trip[]>(`GET ${list}`)).body
    const fresh = await openApi(API)
    const first = before.find((one) => typeof one.boat_id === 'number')?.boat_id
    await ask(`DELETE /boats/${first}`)
    await fresh.ask(`DELETE /boats/${first}`)

    const after = (await ask<Trip[]>(`GET ${list}`)).body
    const opened = (await fresh.ask<Trip[]>(`GET ${list}`)).body

    expect(after.filter(({ boat_id }) => boat_id === first)).toEqual([])
    expect(after).toHaveLength(before.length)
    expect(opened).toEqual(after)
  })

  test('stay where they are those of another collection', async () => {
    const { ask } = await openApi({
      ...API,
      'GET /crews': { shown: listOf(BOAT) },
      'GET /crews/{id}': { shown: BOAT, path },
      'DELETE /crews/{id}': { status: [204], path },
    })
    const { body: trip } = await ask('POST /trips', SENT)

    await ask('DELETE /crews/1')

    expect((await ask(`GET /trips/${trip.id}`)).body.boat_id).toBe(1)
  })
})

test('a relationship to a removed record has no data, and a list of them has one less', async () => {
  const boat = objectOf({ type: { const: 'boats' }, id: TEXT })
  const relationships = objectOf({
    boat: objectOf({ data: { ...boat, type: ['object', 'null'] } }),
    spare: objectOf({ data: boat }),
    towed: objectOf({ data: listOf(boat) }),
  })
  const shown = objectOf({ id: TEXT, type: TEXT, relationships })
  const { ask } = await openApi({
    'GET /boats': { shown: listOf(objectOf({ id: TEXT, type: TEXT })) },
    'GET /boats/{id}': { shown: objectOf({ id: TEXT, type: TEXT }), status: [200, 404] },
    'DELETE /boats/{id}': { status: [204, 404] },
    'GET /trips': { shown: listOf(shown) },
    'POST /trips': { sent: objectOf({ type: TEXT, relationships }), shown, status: [201] },
    'GET /trips/{id}': { shown, status: [200, 404] },
  })
  const { body: boats } = await ask<{ id: string }[]>('GET /boats')
  const [one, other] = boats.map(({ id }) => ({ type: 'boats', id }))
  const sent = { boat: { data: one }, spare: { data: one }, towed: { data: [one, other] } }
  const { body: trip } = await ask('POST /trips', { type: 'trips', relationships: sent })

  await ask(`DELETE /boats/${one?.id}`)

  expect((await ask(`GET /trips/${trip.id}`)).body.relationships).toEqual({
    ...{ boat: { data: null }, spare: {}, towed: { data: [other] } },
  })
})

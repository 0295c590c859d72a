import { expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'
import { withDatesInOrder } from './ordered-dates.ts'

test.each([
  [
    { created_at: '2027-05-01T10:00:00Z', closed_at: '2025-05-01T10:00:00Z' },
    { closed_at: '2027-05-01T11:00:00Z' },
  ],
  [
    { starts_at: '2027-05-01T10:00:00.000Z', ends_at: '2025-05-01T10:00:00.000Z' },
    { ends_at: '2027-05-01T11:00:00.000Z' },
  ],
  [{ valid_from: '2027-12-31', valid_to: '2025-01-01' }, { valid_to: '2028-01-01' }],
  [{ opens: '09:30', closes: '08:15' }, { closes: '17:30' }],
  [{ start_time: '20:00:00', end_time: '08:00:00' }, { end_time: '23:59:00' }],
  [{ check_in: '2026-01-02', check_out: '2026-01-02' }, {}],
  [{ trial_start: '2026-01-02', subscription_end: '2025-01-02' }, {}],
  [{ created_at: '2026-01-02', closed_at: null }, {}],
])('dates in order: %j', (record, changed) => {
  expect(withDatesInOrder(record)).toEqual({ ...record, ...changed })
})

test('first records with examples of some dates have the others after them, and real times of a day', async () => {
  const moment = { type: 'string', format: 'date-time' }
  const shop = objectOf({
    id: { type: 'integer' },
    opens: { type: 'string', example: '09:30' },
    closes: { type: 'string', example: '18:00' },
    created_at: { ...moment, example: '2027-05-01T10:00:00Z' },
    closed_at: moment,
  })
  const required = ['id', 'opens', 'closes', 'created_at', 'closed_at']
  const { ask } = await openApi({
    'GET /shops': { shown: listOf({ ...shop, required }) },
    'GET /shops/{id}': { shown: { ...shop, required }, path: { id: { type: 'integer' } } },
  })
  type Shop = Readonly<Record<'opens' | 'closes' | 'created_at' | 'closed_at', string>>
  const { body } = await ask<Shop[]>('GET /shops')

  expect(body.length).toBeGreaterThan(5)
  expect(body[0]?.created_at).toBe('2027-05-01T10:00:00Z')
  for (const { opens, closes, created_at, closed_at } of body) {
    expect([opens, closes].join(' ')).toMatch(/^([01]\d|2[0-3]):[0-5]\d ([01]\d|2[0-3]):[0-5]\d$/)
    expect(closes > opens).toBe(true)
    expect(closed_at >= created_at).toBe(true)
  }
})

test('first records have ended as their state or a flag says, and else few of them', async () => {
  const time = { type: 'string', format: 'date-time' }
  const ticket = objectOf({
    ...{ id: { type: 'integer' }, state: { type: 'string', enum: ['open', 'closed'] } },
    ...{ closed_at: { ...time, type: ['string', 'null'] }, locked: { type: 'boolean' } },
    ...{ closed_by: { type: 'string' }, cancellation_reason: { type: 'string' } },
    ...{ locked_at: time, cancelled_at: time, deleted_at: time, published_at: time },
  })
  const { ask } = await openApi({
    'GET /tickets': { shown: listOf(ticket), query: { include_cancelled: { type: 'boolean' } } },
    'POST /tickets': { sent: objectOf({ state: {} }), shown: ticket, status: [201] },
    'GET /tickets/{id}': { shown: ticket, path: { id: { type: 'integer' } } },
  })

  const all = await ask<Readonly<Record<string, unknown>>[]>('GET /tickets?include_cancelled=true')
  const usual = await ask<unknown[]>('GET /tickets')

  const cancelled = all.body.filter(({ cancelled_at }) => cancelled_at !== undefined)
  expect(cancelled.length).toBeGreaterThan(0)
  expect(usual.body).toHaveLength(all.body.length - cancelled.length)
  expect(usual.body.length).toBeGreaterThan(cancelled.length)
  for (const one of all.body) {
    expect(one.closed_at !== null).toBe(one.state === 'closed')
    expect(one.closed_by !== undefined).toBe(one.state === 'closed')
    expect(one.cancellation_reason !== undefined).toBe(one.cancelled_at !== undefined)
    expect(one.locked_at !== undefined).toBe(one.locked)
    expect(one).not.toHaveProperty('deleted_at')
    expect(one).toHaveProperty('published_at')
  }
})

test('a first record keeps the time of an end without which it would not be valid', async () => {
  const shelf = {
    ...objectOf({ id: { type: 'integer' }, archived_at: { type: 'string', format: 'date-time' } }),
    minProperties: 2,
  }
  const { ask } = await openApi({
    'GET /shelves': { shown: listOf(shelf) },
    'GET /shelves/{id}': { shown: shelf, path: { id: { type: 'integer' } } },
  })

  const { body } = await ask<unknown[]>('GET /shelves')

  expect(body.length).toBeGreaterThan(5)
})

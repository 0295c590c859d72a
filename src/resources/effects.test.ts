import { describe, expect, test } from 'vitest'
import { applyEffect, describeTransition, hasEffect, refusedTransition } from './effects.ts'
import { DUE, PENDING } from './hidden-properties.ts'
import { settle } from './store/settle.ts'

const NOW = Date.parse('2030-12-05T12:00:00Z')
const SCHEMA = {
  properties: {
    cancelledAt: { type: 'string', format: 'date-time' },
    cancelledOn: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] },
    cancelled: { type: 'integer' },
  },
}

describe('an effect', () => {
  test.each<[fact: string, set: object, expected: object]>([
    ['sets values', { status: 'cancelled' }, { id: 1, status: 'cancelled', seat: { row: 7 } }],
    ['sets null', { status: null }, { id: 1, status: null, seat: { row: 7 } }],
    [
      'merges objects',
      { seat: { gate: 'B' } },
      { id: 1, status: 'open', seat: { row: 7, gate: 'B' } },
    ],
    [
      'has the time in the form of each property',
      { cancelledAt: '{now}', cancelledOn: '{now}', cancelled: '{now}' },
      {
        id: 1,
        status: 'open',
        seat: { row: 7 },
        cancelledAt: '2030-12-05T12:00:00.000Z',
        cancelledOn: '2030-12-05',
        cancelled: NOW / 1000,
      },
    ],
  ])('%s', (_fact, set, expected) => {
    const record = { id: 1, status: 'open', seat: { row: 7 } }

    expect(applyEffect(record, { set: { ...set } }, NOW, SCHEMA)).toEqual(expected)
  })
})

test('an effect takes values back', () => {
  const record = { id: 1, cancelledAt: 'then', cancelledOn: 'then' }
  const set = { cancelledAt: '{absent}', cancelledOn: '{absent}' }

  expect(applyEffect(record, { set }, NOW, SCHEMA)).toEqual({ id: 1, cancelledOn: null })
})

test.each<[isThere: boolean, set: object]>([
  [true, { status: 'open', openedAt: '{now}' }],
  [true, { status: 'open', closedAt: '{absent}' }],
  [true, { seat: { row: 7 } }],
  [false, { status: 'open', openedAt: '{absent}' }],
  [false, { status: 'closed' }],
  [false, { seat: { row: 8 } }],
  [false, { openedAt: '{now}' }],
])('whether a record has an effect: %s for %j', (isThere, set) => {
  const record = { status: 'open', openedAt: 'then', seat: { row: 7, gate: 'B' } }

  expect(hasEffect(record, { ...set })).toBe(isThere)
})

describe('a transition', () => {
  test.each<[fact: string, from: object | undefined, isAllowed: boolean]>([
    ['without a start is allowed', undefined, true],
    ['from the value is allowed', { status: 'open' }, true],
    ['from one of the values is allowed', { status: ['new', 'open'] }, true],
    ['from another value is refused', { status: 'paid' }, false],
    ['needs each property', { status: 'open', isLocked: false }, false],
    ['from null is allowed when the property is absent', { cancelledAt: null }, true],
  ])('%s', (_fact, from, isAllowed) => {
    const record = { status: 'open', isLocked: true }

    expect(refusedTransition(record, from && { ...from }) === undefined).toBe(isAllowed)
  })

  test('that is refused says why', () => {
    const refused = refusedTransition({ status: 'paid' }, { status: ['new', 'open'] })

    expect(refused && describeTransition(refused)).toBe(
      'status is "paid", and must be "new" or "open".',
    )
  })
})

describe('a change after a time', () => {
  const after = [
    { delay: '60s', set: { status: 'done', doneAt: '{now}' }, from: { status: 'running' } },
    { delay: 'PT30S', set: { status: 'running' }, from: { status: 'pending' } },
  ]
  const record = applyEffect({ id: 1 }, { set: { status: 'pending' }, after }, NOW)

  test.each<[fact: string, seconds: number, status: string, next: number | undefined]>([
    ['has not happened before its time', 29.999, 'pending', 30],
    ['has happened at its time', 30, 'running', 60],
    ['has happened with those before it', 61, 'done', undefined],
  ])('%s', (_fact, seconds, status, next) => {
    const settled = settle(record, NOW + seconds * 1000).at(-1)?.record ?? record

    expect(settled).toMatchObject({ id: 1, status })
    expect(settled[DUE]).toBe(next === undefined ? undefined : NOW + next * 1000)
  })

  test('has its own time, not that of the read', () => {
    expect(settle(record, NOW + 3_600_000).at(-1)?.record).toEqual({
      id: 1,
      status: 'done',
      doneAt: '2030-12-05T12:01:00.000Z',
    })
  })

  test('does not happen when the record has changed in between', () => {
    const cancelled = { ...record, status: 'cancelled' }

    expect(settle(cancelled, NOW + 3_600_000).at(-1)?.record).toEqual({
      id: 1,
      status: 'cancelled',
    })
  })

  test('stays to come when another one is added', () => {
    const again = applyEffect(record, { after: [{ delay: '45s', set: { seen: true } }] }, NOW)

    expect(again[PENDING]).toHaveLength(3)
    expect(settle(again, NOW + 50_000).at(-1)?.record).toMatchObject({
      status: 'running',
      seen: true,
    })
  })

  test('leaves a record without changes as it is', () => {
    const plain = { id: 1 }

    expect(settle(plain, NOW)).toEqual([])
    expect(settle(record, NOW)).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { exampleResource } from '../../testing/example-resource.ts'
import { applyEffect } from '../effects.ts'
import { DUE } from '../hidden-properties.ts'
import type { RecordChange } from './record-change.ts'
import { createRecords, type Records } from './records.ts'
import { settleDue } from './settle.ts'
import { createStore } from './store.ts'

const NOW = Date.parse('2030-12-05T12:00:00Z')
const store = await createStore([], new Map(), 1)
const AFTER = [{ delay: '30s', set: { status: 'done' }, from: { status: 'pending' } }]

async function recordsWith(count: number): Promise<Records> {
  const records = createRecords(
    { ...exampleResource({ status: { type: 'string' } }), filters: ['status'], sorts: [DUE] },
    1,
  )
  for (let at = 0; at < count; at += 1) {
    const effect = { set: { status: 'pending' }, after: AFTER }
    await records.create(applyEffect({}, effect, NOW + at * 1000))
  }
  await records.create({ status: 'other' })
  return records
}

test.each([
  [29, 0],
  [30, 1],
  [149, 120],
  [1000, 250],
])('after %i seconds, a filter finds %i of 250 changed records', async (seconds, count) => {
  const records = await recordsWith(250)

  await settleDue(records, store, NOW + seconds * 1000, undefined)

  expect(await records.count({ where: { status: 'done' } })).toBe(count)
  expect(await records.count({ where: { status: 'other' } })).toBe(1)
})

test('a collection without later changes is not read', () => {
  const records = createRecords(exampleResource({}), 1)

  expect(settleDue(records, store, NOW, undefined)).toBeUndefined()
})

test('of changes that have happened, each is told once, in the order of their times', async () => {
  const records = await recordsWith(250)
  const told: (number | undefined)[] = []
  const tell = (changes: readonly RecordChange[]): void => {
    told.push(...changes.map(({ at }) => at))
  }

  await settleDue(records, store, NOW + 149_000, tell)
  await settleDue(records, store, NOW + 149_000, tell)

  expect(told).toEqual(Array.from({ length: 120 }, (_, at) => NOW + 30_000 + at * 1000))
})

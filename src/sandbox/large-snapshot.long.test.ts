import { expect, test } from 'vitest'
import { createSandbox } from './sandbox.ts'

function many<Value>(count: number, make: (at: number) => Value): Value[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

// Each would take more than the time of a test if work grew with the square of its size.

test('a snapshot with 60,000 accounts is restored', async () => {
  const sandbox = createSandbox({ records: 1 })
  const snapshot = await sandbox.snapshot()
  const used = { window: 1, used: 1 }
  const limits = many(60_000, (at) => [`account_${at}`, { minute: used, day: used }] as const)

  await sandbox.restore({ ...snapshot, state: { ...snapshot.state, limits } })

  expect((await sandbox.snapshot()).state.limits).toHaveLength(60_000)
})

test('a snapshot with 40,000 keys, each on a plan of its own, is restored', async () => {
  const sandbox = createSandbox({ records: 1 })
  const snapshot = await sandbox.snapshot()
  const { plans } = snapshot.state.keys
  const keys = {
    plans: [...plans, ...many(40_000, (at) => ({ name: `plan_${at}`, minute: 1, day: 1 }))],
    keys: many(40_000, (at) => [`key_${at}`, { plan: `plan_${at}` }] as const),
  }

  await sandbox.restore({ ...snapshot, state: { ...snapshot.state, keys } })

  expect(sandbox.keys).toHaveLength(40_000)
})

test('a snapshot with 40,000 keys on unknown plans is rejected', async () => {
  const sandbox = createSandbox({ records: 1 })
  const snapshot = await sandbox.snapshot()
  const { plans } = snapshot.state.keys
  const keys = {
    plans: [...plans, ...many(2000, (at) => ({ name: `plan_${at}`, minute: 1, day: 1 }))],
    keys: many(40_000, (at) => [`key_${at}`, { plan: `missing_${at}` }] as const),
  }

  await expect(
    sandbox.restore({ ...snapshot, state: { ...snapshot.state, keys } }),
  ).rejects.toThrow(
    'Cannot restore the snapshot: unknown plan "missing_0" in state.keys.keys[0][1].plan',
  )
})

test('a snapshot of a thousand worlds keeps the order of 200,000 names', async () => {
  const sandbox = createSandbox({ records: 1 })
  const { state, ...snapshot } = await sandbox.snapshot()
  const worlds = Object.fromEntries(many(900, (at) => [`world-${at}`, state]))
  const order = many(200_000, (at) => `world-${200_000 - at}`)

  await sandbox.restore({ ...snapshot, state, worlds, order })

  expect(sandbox.worlds.list().at(-1)?.name).toBe('world-1')
})

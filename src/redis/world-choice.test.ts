import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dropUnused } from './world-choice.ts'
import type { WorldRegistry } from './world-store.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

interface Search {
  readonly asked: unknown[]
  readonly ended: (readonly string[])[]
  readonly stop: () => void
}

function start(worldTtl: number, isAway = false): Search {
  const asked: unknown[] = []
  const ended: (readonly string[])[] = []
  const registry: Pick<WorldRegistry, 'dropUnused'> = {
    dropUnused: async (...given) => {
      asked.push(given)
      if (isAway) throw new Error('away')
      return ['key:1']
    },
  }
  const worlds = {
    end: async (names: readonly string[]) => {
      ended.push(names)
    },
  }
  const stop = dropUnused(worlds, registry, worldTtl)
  return { asked, ended, stop }
}

test('the unused worlds of API keys are looked for four times in the time after which they are dropped', async () => {
  const { asked, ended, stop } = start(40_000)

  await vi.advanceTimersByTimeAsync(40_000)
  stop()
  await vi.advanceTimersByTimeAsync(40_000)

  expect(asked).toEqual(Array.from({ length: 4 }, () => ['key:', 40_000]))
  expect(ended).toEqual(Array.from({ length: 4 }, () => ['key:1']))
})

test.each([
  [1, 100],
  [86_400_000, 60_000],
])(
  'with a time of %d milliseconds, unused worlds are looked for every %d',
  async (ttl, interval) => {
    const { asked, stop } = start(ttl)

    await vi.advanceTimersByTimeAsync(interval * 3)
    stop()

    expect(asked).toHaveLength(3)
  },
)

test('the search for unused worlds goes on after the store was away', async () => {
  const { asked, ended, stop } = start(4000, true)

  await vi.advanceTimersByTimeAsync(3000)
  stop()

  expect(asked).toHaveLength(3)
  expect(ended).toEqual([])
})

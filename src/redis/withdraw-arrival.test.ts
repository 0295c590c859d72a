import { describe, expect, test } from 'vitest'
import { withoutArrival } from './shared-world.ts'
import type { StoredAccount } from './world-store.ts'

const ROW = { row: 2, retryAt: 60_000, bans: 0, until: 0 }
const BANNED = { row: 0, retryAt: 60_000, bans: 1, until: 300_000 }

describe('withoutArrival', () => {
  test.each<[string, StoredAccount, StoredAccount, StoredAccount, StoredAccount]>([
    ['restores an account that nobody else has changed', {}, used(1, 1, 1), used(1, 1, 1), {}],
    ['keeps what others have counted', {}, used(1, 1, 1), used(1, 4, 4), used(1, 3, 3)],
    [
      'keeps what was counted in a later minute',
      used(1, 5, 5),
      used(1, 6, 6),
      used(2, 1, 7),
      used(2, 1, 6),
    ],
    [
      'takes back a count in a new minute',
      used(1, 5, 5),
      used(2, 1, 6),
      used(2, 3, 8),
      used(2, 2, 7),
    ],
    [
      'takes back a ban that nobody else has prolonged',
      { ...used(1, 1, 1), history: ROW },
      { ...used(1, 1, 1), history: BANNED },
      { ...used(1, 2, 2), history: BANNED },
      { ...used(1, 2, 2), history: ROW },
    ],
    [
      'keeps the refusals of others',
      used(1, 1, 1),
      { ...used(1, 1, 1), history: ROW },
      { ...used(1, 1, 1), history: BANNED },
      { ...used(1, 1, 1), history: BANNED },
    ],
    ['keeps an account that was removed', {}, used(1, 1, 1), {}, {}],
  ])('%s', (_, before, after, present, expected) => {
    expect(withoutArrival(present, { before, after })).toEqual(expected)
  })
})

function used(minute: number, inMinute: number, inDay: number): StoredAccount {
  return { usage: { minute: { window: minute, used: inMinute }, day: { window: 0, used: inDay } } }
}

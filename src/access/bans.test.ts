import { expect, test } from 'vitest'
import { BAN_RULES } from './ban.ts'
import { Bans } from './bans.ts'
import type { Caller } from './caller.ts'
import type { Quota } from './quota.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const CALLER: Caller = {
  account: 'sk_free',
  plan: { name: 'free', minute: 60, day: 1000 },
  key: 'valid',
}
const SPENT: Quota = {
  limit: 60,
  remaining: 0,
  reset: NOON + 60_000,
  before: { minute: 0, day: 900 },
  after: { minute: 0, day: 900 },
  refusal: { by: 'minute', until: NOON + 60_000 },
}

test('each account has a history of its own', () => {
  const bans = new Bans(BAN_RULES)

  for (let request = 0; request < 10; request += 1) {
    bans.admit({ caller: CALLER, quota: SPENT, now: NOON })
  }

  expect(bans.until(CALLER, NOON)).toBe(NOON + 300_000)
  expect(bans.until({ ...CALLER, account: 'sk_other' }, NOON)).toBeUndefined()
})

test('a history that was read is not changed by later requests', () => {
  const bans = new Bans(BAN_RULES)
  const refuse = (): unknown => bans.admit({ caller: CALLER, quota: SPENT, now: NOON })
  refuse()
  const before = bans.read()

  refuse()

  expect(before.get('sk_free')?.row).toBe(1)
  expect(bans.read().get('sk_free')?.row).toBe(2)
})

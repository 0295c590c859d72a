import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decideAdmission } from '../../access/admission.ts'
import { type BanRules, bannedUntil } from '../../access/ban.ts'
import type { MagicOutcome, MeteredCaller } from '../../access/caller.ts'
import { decideQuota, UNUSED } from '../../access/quota.ts'
import { findRedis } from '../../testing/redis/find-redis.ts'
import { startRedis, stopRedis } from '../../testing/redis/start-redis.ts'
import { MAX_TIME } from '../../time/clock.ts'
import type { StoredArrival } from '../stored-arrival.ts'
import type { StoredAccount } from '../stored-state.ts'
import type { StoredWorld, WorldStore } from '../world-store.ts'
import { openRedisStore } from './open-redis-store.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const ACCOUNTS = ['sk_free', 'sk_pro', '(anonymous)']

interface Step {
  readonly account: string
  readonly now: number
  readonly plan: { readonly minute: number; readonly day: number }
  readonly always: MagicOutcome | undefined
  readonly cost: 0 | 1
  readonly isEnforced: boolean
  readonly isAdmitted: boolean
  readonly ban: BanRules | undefined
}

const times = fc.oneof(
  fc.integer({ min: 0, max: 90_000 }).map((later) => NOON + later),
  fc.integer({ min: 0, max: 40 }).map((minutes) => NOON + minutes * 20_000),
  fc.integer({ min: -2, max: 3 }).map((days) => NOON + days * 43_200_000),
  fc.constantFrom(0, MAX_TIME, MAX_TIME - 1000),
)

const steps: fc.Arbitrary<Step> = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  now: times,
  plan: fc.constantFrom({ minute: 2, day: 5 }, { minute: 3, day: 3 }, { minute: 1, day: 0 }),
  always: fc.option(fc.constantFrom('rate-limited', 'day-exhausted', 'banned'), {
    nil: undefined,
    freq: 6,
  }),
  cost: fc.constantFrom(1, 1, 1, 0),
  isEnforced: fc.constantFrom(true, true, false),
  isAdmitted: fc.constantFrom(true, true, true, false),
  ban: fc.constantFrom(
    { refusals: 2, seconds: 30, factor: 2, maxSeconds: 3600 },
    { refusals: 1, seconds: 7, factor: 10, maxSeconds: Number.MAX_SAFE_INTEGER },
    undefined,
  ),
})

/** What the pure functions decide. */
function decide(before: StoredAccount, step: Step): StoredAccount {
  const caller: MeteredCaller = {
    account: step.account,
    key: 'valid',
    plan: { name: 'plan', ...step.plan },
    ...(step.always && { always: step.always }),
  }
  const { now, cost, isEnforced } = step
  const until = bannedUntil(before.history, caller, step.ban, now)
  const request = { caller, now, cost, isEnforced, bannedUntil: until }
  const { usage, quota } = decideQuota(before.usage ?? UNUSED, request)
  const history = step.isAdmitted
    ? decideAdmission(before.history, { caller, quota, now }, step.ban).history
    : before.history

  return { usage, ...(history && { history }) }
}

function arrivalOf(step: Step, epoch: string): StoredArrival {
  const { account, now: _, always, ban, ...count } = step
  return {
    epoch,
    version: 1,
    account,
    rules: [],
    count: {
      ...count,
      account,
      isUnlisted: false,
      ...(always && { always }),
      ...(ban && { ban }),
    },
  }
}

describe.skipIf(!findRedis())('arrive', () => {
  let store: WorldStore
  let epochs = 0
  beforeAll(async () => {
    const { address } = await startRedis()
    store = await openRedisStore(address)
  })
  afterAll(async () => {
    await store.close()
    await stopRedis()
  })

  async function begin(world: StoredWorld, frozenAt?: number): Promise<string> {
    const present = await world.load()
    epochs += 1
    const epoch = `epoch-${epochs}`
    await world.begin(
      {
        epoch,
        text: '{}',
        clock: { offset: 0, ...(frozenAt !== undefined && { frozenAt }) },
        random: 1,
        accounts: new Map(),
        rules: new Map([[7, { matched: 1, forced: 2, random: -3 }]]),
      },
      present?.epoch,
    )
    return epoch
  }

  it('counts and bans as the pure functions do', async () => {
    const world = store.world('counts')
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 40 }), async (list) => {
        const epoch = await begin(world)
        const accounts = new Map<string, StoredAccount>()
        for (const step of list) {
          await world.commit({ epoch, clock: { offset: 0, frozenAt: step.now } })
          const before = accounts.get(step.account) ?? {}
          const after = decide(before, step)
          accounts.set(step.account, after)

          const result = await world.arrive(arrivalOf(step, epoch))

          expect(result).toMatchObject({ kind: 'arrived', arrived: { now: step.now } })
          if (result.kind === 'arrived') expect(result.arrived).toMatchObject({ before, after })
          if (result.kind === 'arrived') expect(result.arrived.after).toEqual(after)
        }
      }),
      { numRuns: 100 },
    )
  })
})

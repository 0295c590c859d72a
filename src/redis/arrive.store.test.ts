import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BanRules, bannedUntil, decideAdmission } from '../access/ban.ts'
import type { MagicOutcome, MeteredCaller } from '../access/callers.ts'
import { decideQuota, UNUSED } from '../access/quota.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { startRedis, stopRedis } from '../testing/redis/start-redis.ts'
import { MAX_TIME } from '../time/clock.ts'
import { openRedisStore } from './open-redis-store.ts'
import type { StoredAccount, StoredArrival, StoredWorld, WorldStore } from './world-store.ts'

const NOON = Date.parse('2027-03-01T12:00:00Z')
const ACCOUNTS = ['sk_free', '(anonymous)']

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
  { weight: 40, arbitrary: fc.integer({ min: 0, max: 5 }).map((thirds) => NOON + thirds * 20_000) },
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 90_000 }).map((later) => NOON + later) },
  {
    weight: 10,
    arbitrary: fc.integer({ min: -2, max: 3 }).map((days) => NOON + days * 43_200_000),
  },
  { weight: 1, arbitrary: fc.constantFrom(0, MAX_TIME, MAX_TIME - 1000) },
)

const steps: fc.Arbitrary<Step> = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  now: times,
  plan: fc.constantFrom(
    { minute: 2, day: 5 },
    { minute: 3, day: 3 },
    { minute: 1, day: 0 },
    { minute: 0, day: 9 },
  ),
  always: fc.option(fc.constantFrom('rate-limited', 'day-exhausted', 'banned'), {
    nil: undefined,
    freq: 6,
  }),
  cost: fc.constantFrom(1, 1, 1, 0),
  isEnforced: fc.constantFrom(true, true, false),
  isAdmitted: fc.constantFrom(true, true, true, false),
  ban: fc.constantFrom(
    { refusals: 2, seconds: 30, factor: 2, maxSeconds: 3600 },
    { refusals: 2, seconds: 1, factor: 1, maxSeconds: 5 },
    { refusals: 3, seconds: 1, factor: 3, maxSeconds: 5 },
    { refusals: 1, seconds: 7, factor: 10, maxSeconds: 60 },
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

  it('does not hold a request against its sender that waited exactly as long as it was told', async () => {
    const world = store.world('waits')
    const epoch = await begin(world, NOON)
    const step: Step = {
      account: 'sk_free',
      now: NOON,
      plan: { minute: 0, day: 9 },
      always: undefined,
      cost: 1,
      isEnforced: true,
      isAdmitted: true,
      ban: { refusals: 2, seconds: 30, factor: 2, maxSeconds: 3600 },
    }
    const first = decide({}, step)

    await world.arrive(arrivalOf(step, epoch))
    await world.commit({ epoch, clock: { offset: 0, frozenAt: NOON + 60_000 } })
    const result = await world.arrive(arrivalOf(step, epoch))

    const after = decide(first, { ...step, now: NOON + 60_000 })
    expect(after.history).toMatchObject({ row: 1, bans: 0 })
    expect(result).toMatchObject({ arrived: { before: first, after } })
  })
})

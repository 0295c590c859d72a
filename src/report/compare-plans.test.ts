import { describe, expect, it } from 'vitest'
import { BAN_RULES } from '../access/ban.ts'
import {
  createEntry,
  createFrozenSandbox,
  entriesOf,
  reportOn,
  sendRequest,
} from '../testing/report-inputs.ts'
import { comparePlans } from './compare-plans.ts'

const PLANS = [
  { name: 'pro', minute: 300, day: 10_000 },
  { name: 'free', minute: 60, day: 1000 },
]
const NOON = Date.parse('2027-03-01T12:00:00Z')

/** So many requests, evenly distributed over so many seconds. */
function traffic(count: number, seconds: number): ReturnType<typeof createEntry>[] {
  return Array.from({ length: count }, (_, at) =>
    createEntry({ time: NOON + Math.floor((at * seconds * 1000) / count) }),
  )
}

describe('the comparison of plans', () => {
  it('finds the sufficient plan, and the refused requests on the others', () => {
    const fit = comparePlans(traffic(74, 23.4), PLANS, undefined)

    expect(fit).toEqual({
      requests: 74,
      needs: 'pro',
      plans: [
        {
          plan: 'free',
          minute: 60,
          day: 1000,
          enough: false,
          refused: 14,
          longestWait: 41_028,
          bans: 0,
        },
        {
          plan: 'pro',
          minute: 300,
          day: 10_000,
          enough: true,
          refused: 0,
          longestWait: 0,
          bans: 0,
        },
      ],
    })
  })

  it('counts the bans of a client that does not wait', () => {
    const [free] = comparePlans(traffic(74, 23), PLANS, BAN_RULES).plans

    expect(free).toMatchObject({ refused: 14, bans: 1 })
  })

  it('finds the smallest sufficient plan, or none', () => {
    expect(comparePlans(traffic(60, 30), PLANS, BAN_RULES).needs).toBe('free')
    expect(comparePlans(traffic(400, 30), PLANS, BAN_RULES).needs).toBeUndefined()
  })

  it('applies the quota per day, too', () => {
    const day = Array.from({ length: 1001 }, (_, at) => createEntry({ time: NOON + at * 2000 }))

    const [free] = comparePlans(day, PLANS, undefined).plans

    expect(free).toMatchObject({ refused: 1, longestWait: 43_200_000 - 2_000_000 })
  })

  it('ignores retries after a 429, and requests without a valid key', async () => {
    const sandbox = createFrozenSandbox({ plans: { free: { minute: 2, day: 100 } } })
    for (let request = 1; request <= 3; request += 1) await sendRequest(sandbox, '/pets')
    sandbox.clock.advance('30s')
    await sendRequest(sandbox, '/pets')
    await sendRequest(sandbox, '/pets', { key: null })

    const fit = comparePlans(
      entriesOf(sandbox),
      [{ name: 'three', minute: 3, day: 100 }],
      undefined,
    )

    expect(fit).toMatchObject({ requests: 3, needs: 'three' })
  })

  it('has a quota of its own for each key and each recording', () => {
    const two = [
      ...traffic(60, 30),
      ...traffic(60, 30).map((one) => ({ ...one, key: '…_two' })),
      ...traffic(60, 30).map((one) => ({ ...one, recording: 2 })),
    ]

    expect(comparePlans(two, PLANS, undefined)).toMatchObject({ requests: 180, needs: 'free' })
  })

  it('is part of a report with plans', () => {
    expect(reportOn(createFrozenSandbox()).fit).toBeUndefined()
    expect(reportOn(createFrozenSandbox(), { plans: PLANS }).fit).toMatchObject({ needs: 'free' })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { createEntry } from '../testing/report-inputs.ts'
import { report } from './report.ts'
import type { ReportEntry } from './report-entry.ts'

/** A request as a client sends it. Times are milliseconds since the start. */
interface Sent {
  readonly connection: number
  /** When the connection was opened, for the first request on it. */
  readonly opened?: number
  readonly at: number
  readonly target: string
}

interface Answered extends Sent {
  readonly end: number
  readonly isRefused: boolean
}

const RETRY_AT = 30_000
const RULES_OF_WAITS = ['early-retry', 'during-ban', 'no-back-off', 'retry-storm']

/** The findings about waits that a sandbox on a frozen or running clock has on these exchanges. */
function findWaits(exchanges: readonly Answered[], isFrozen: boolean): readonly string[] {
  const byEnd = exchanges.toSorted((one, other) => one.end - other.end)
  const entries = byEnd.map((one, index): ReportEntry => {
    const time = isFrozen ? 0 : one.at
    const { connection, opened } = one
    return createEntry({
      number: index + 1,
      follows: byEnd.filter(({ end }) => end <= one.at).length,
      time,
      end: time + (one.end - one.at),
      target: one.target,
      delivery: {
        received: 1e12 + one.at,
        connection,
        ...(opened !== undefined && { opened: 1e12 + opened }),
      },
      ...(one.isRefused && { status: 429, retryAt: RETRY_AT }),
    })
  })
  const { findings } = report([entries], contract)

  return findings.flatMap(({ rule }) => (RULES_OF_WAITS.includes(rule) ? [rule] : []))
}

/** A service that refuses all requests after the first `limit`. */
function createService(limit: number): (sent: Sent, duration: number) => Answered {
  let served = 0
  return (sent, duration) => {
    served += 1
    return { ...sent, end: sent.at + duration, isRefused: served > limit }
  }
}

const durations = fc.integer({ min: 1, max: 60 }).map((tenths) => tenths / 10)
const targets = fc.constantFrom('/pets', '/pets?limit=1', '/pets?limit=2')

describe('a burst', () => {
  const request = fc.record({
    isNew: fc.boolean(),
    opened: fc.integer({ min: 0, max: 30 }),
    sent: fc.integer({ min: 0, max: 60 }),
    duration: durations,
    target: targets,
  })

  it('whose requests were sent before a refusal was known has no findings', () => {
    fc.assert(
      fc.property(
        fc.array(request, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 0, max: 10 }),
        fc.boolean(),
        (burst, limit, isFrozen) => {
          const serve = createService(limit)
          const sent = burst.map(({ isNew, opened, sent: after, duration, target }, index) => ({
            duration,
            target,
            connection: index,
            // New connections are opened at once, and used when the client finds time for them.
            at: isNew ? 30 + after * 5 : after,
            ...(isNew && { opened }),
          }))
          const answered = sent
            .toSorted((one, other) => one.at - other.at)
            .map(({ duration, ...one }) => serve(one, duration))

          expect(findWaits(answered, isFrozen)).toEqual([])
        },
      ),
      { numRuns: 500, seed: 1 },
    )
  })
})

describe('a client with several connections', () => {
  const client = fc.record({
    workers: fc.integer({ min: 1, max: 8 }),
    requests: fc.integer({ min: 4, max: 40 }),
    limit: fc.integer({ min: 0, max: 20 }),
    isFrozen: fc.boolean(),
    durations: fc.infiniteStream(durations),
    delays: fc.infiniteStream(fc.integer({ min: 0, max: 40 }).map((halves) => halves / 2)),
    targets: fc.infiniteStream(targets),
  })

  /** Each worker sends its next request when it has read its response. `isPatient`: all wait when one has read a refusal. */
  function run(
    {
      workers,
      requests,
      limit,
      ...random
    }: typeof client extends fc.Arbitrary<infer One> ? One : never,
    isPatient: boolean,
  ): readonly Answered[] {
    const serve = createService(limit)
    const next = Array.from({ length: workers }, () => take(random.delays))
    const answered: Answered[] = []
    let knownAt = Number.POSITIVE_INFINITY
    for (let count = 0; count < requests; count += 1) {
      const at = Math.min(...next)
      const connection = next.indexOf(at)
      // The rest is sent after the wait, when nobody is refused.
      if (isPatient && at >= knownAt) break
      const isFirst = !answered.some((one) => one.connection === connection)
      const one = serve(
        {
          connection,
          at,
          target: take(random.targets),
          ...(isFirst && { opened: 0 }),
        },
        take(random.durations),
      )
      answered.push(one)
      // It reads the response later than others that came after it, when it is busy.
      const readAt = one.end + take(random.delays)
      if (one.isRefused) knownAt = Math.min(knownAt, readAt)
      next[connection] = readAt + take(random.delays)
    }
    return answered
  }

  function take<Value>(stream: Iterator<Value>): Value {
    const { value, done } = stream.next()
    if (done) throw new Error('The stream has ended')
    return value
  }

  it('that waits when it has read a refusal has no findings', () => {
    fc.assert(
      fc.property(client, (one) => {
        expect(findWaits(run(one, true), one.isFrozen)).toEqual([])
      }),
      { numRuns: 500, seed: 2 },
    )
  })

  it('that goes on when it has read a refusal is found', () => {
    fc.assert(
      fc.property(client, (one) => {
        const answered = run(one, false)
        const hasGoneOn = answered.some((earlier) =>
          answered.some(
            (later) =>
              earlier.isRefused && later.connection === earlier.connection && later.at > earlier.at,
          ),
        )

        expect(findWaits(answered, one.isFrozen).includes('early-retry')).toBe(hasGoneOn)
      }),
      { numRuns: 500, seed: 3 },
    )
  })
})

import fc, { type Arbitrary } from 'fast-check'
import { anyFreePlanRequest, anyRequest } from './any-request.ts'
import type { Api } from './api.ts'
import type { FuzzRequest } from './request.ts'

/** One step of a sequence. */
export type Step =
  | { readonly kind: 'request'; readonly request: FuzzRequest; readonly times: number }
  | { readonly kind: 'advance'; readonly milliseconds: number }
  | { readonly kind: 'set'; readonly time: number }
  | { readonly kind: 'save' | 'restore' | 'reset' }

const DURATIONS = [
  1, 999, 1000, 5000, 10_000, 59_999, 60_000, 299_999, 300_000, 3_600_000, 86_400_000, -60_000,
]

/** Times at the end of quota windows and at the removal of the deprecated operation. */
const TIMES = [
  '2027-03-01T23:59:59.999Z',
  '2028-02-29T12:00:59.001Z',
  '2030-12-04T23:59:59.999Z',
  '2030-12-05T00:00:00.000Z',
].map(Date.parse)

const REQUEST = fc.constant('request' as const)

const MINUTE: Step = { kind: 'advance', milliseconds: 60_000 }
const BAN: Step = { kind: 'advance', milliseconds: 300_000 }

/** The steps between two bursts of a client that does not wait. */
const PAUSES: Step[][] = [
  [MINUTE],
  [BAN],
  [{ kind: 'save' }, { kind: 'reset' }, { kind: 'restore' }],
]

function burst(api: Api, times: Arbitrary<number>): Arbitrary<Step> {
  return fc.record({ kind: REQUEST, request: anyFreePlanRequest(api), times })
}

/** A client that is banned, continues to send requests, and is banned again. */
function repeatedBans(api: Api): Arbitrary<Step[]> {
  const requests = burst(api, fc.integer({ min: 15, max: 18 }))
  const pause = fc.constantFrom(...PAUSES)
  return fc.tuple(requests, pause, requests, pause, requests).map((steps) => steps.flat())
}

/** A client that spends the quota of each minute until the quota of the day is spent. */
function spentDay(api: Api): Arbitrary<Step[]> {
  const requests = burst(api, fc.constant(5)).map((one) => [one, MINUTE])
  return fc.array(requests, { minLength: 6, maxLength: 6 }).map((minutes) => minutes.flat())
}

/** A sequence of steps. About one in seven is not a request. */
export function anySequence(api: Api, length: number): Arbitrary<Step[]> {
  const once = fc.record({ kind: REQUEST, request: anyRequest(api), times: fc.constant(1) })
  const advance = fc
    .constantFrom(...DURATIONS)
    .map((milliseconds): Step => ({ kind: 'advance', milliseconds }))
  const set = fc.constantFrom(...TIMES).map((time): Step => ({ kind: 'set', time }))
  const rare = fc.constantFrom<Step[]>({ kind: 'save' }, { kind: 'restore' }, { kind: 'reset' })
  const step = fc.oneof(
    { weight: 60, arbitrary: once },
    { weight: 2, arbitrary: burst(api, fc.integer({ min: 2, max: 18 })) },
    { weight: 6, arbitrary: advance },
    { weight: 1, arbitrary: set },
    { weight: 3, arbitrary: rare },
  )
  const group = fc.oneof(
    { weight: 300, arbitrary: step.map((one) => [one]) },
    { weight: 1, arbitrary: repeatedBans(api) },
    { weight: 1, arbitrary: spentDay(api) },
  )
  return fc
    .array(group, { minLength: 1, maxLength: length, size: 'max' })
    .map((groups) => groups.flat())
}

import fc, { type Arbitrary } from 'fast-check'
import { anyFreePlanRequest, anyRequest } from './any-request.ts'
import type { Api } from './api.ts'
import type { FuzzRequest } from './request.ts'

/** One deed in a story. */
export type Step =
  | { readonly deed: 'ask'; readonly request: FuzzRequest; readonly times: number }
  | { readonly deed: 'advance'; readonly milliseconds: number }
  | { readonly deed: 'set'; readonly moment: number }
  | { readonly deed: 'save' | 'restore' | 'reset' }

const SPANS = [
  1, 999, 1000, 5000, 10_000, 59_999, 60_000, 299_999, 300_000, 3_600_000, 86_400_000, -60_000,
]

/** Where windows end, and where what is deprecated goes away. */
const MOMENTS = [
  '2027-03-01T23:59:59.999Z',
  '2028-02-29T12:00:59.001Z',
  '2030-12-04T23:59:59.999Z',
  '2030-12-05T00:00:00.000Z',
].map(Date.parse)

const ASK = fc.constant('ask' as const)

const MINUTE: Step = { deed: 'advance', milliseconds: 60_000 }
const BAN: Step = { deed: 'advance', milliseconds: 300_000 }

/** What happens between two runs of a client that does not wait. */
const PAUSES: Step[][] = [
  [MINUTE],
  [BAN],
  [{ deed: 'save' }, { deed: 'reset' }, { deed: 'restore' }],
]

function hammer(api: Api, times: Arbitrary<number>): Arbitrary<Step> {
  return fc.record({ deed: ASK, request: anyFreePlanRequest(api), times })
}

/** A client that is banned, goes on all the same, and is banned again. */
function persistent(api: Api): Arbitrary<Step[]> {
  const run = hammer(api, fc.integer({ min: 15, max: 18 }))
  const pause = fc.constantFrom(...PAUSES)
  return fc.tuple(run, pause, run, pause, run).map((parts) => parts.flat())
}

/** A client that spends every minute's requests until the day's are spent. */
function diligent(api: Api): Arbitrary<Step[]> {
  const run = hammer(api, fc.constant(5)).map((one) => [one, MINUTE])
  return fc.array(run, { minLength: 6, maxLength: 6 }).map((runs) => runs.flat())
}

/** Deeds to be done one after the other; about one in seven is no request. */
export function anySequence(api: Api, length: number): Arbitrary<Step[]> {
  const once = fc.record({ deed: ASK, request: anyRequest(api), times: fc.constant(1) })
  const advance = fc
    .constantFrom(...SPANS)
    .map((milliseconds): Step => ({ deed: 'advance', milliseconds }))
  const set = fc.constantFrom(...MOMENTS).map((moment): Step => ({ deed: 'set', moment }))
  const rare = fc.constantFrom<Step[]>({ deed: 'save' }, { deed: 'restore' }, { deed: 'reset' })
  const step = fc.oneof(
    { weight: 60, arbitrary: once },
    { weight: 2, arbitrary: hammer(api, fc.integer({ min: 2, max: 18 })) },
    { weight: 6, arbitrary: advance },
    { weight: 1, arbitrary: set },
    { weight: 3, arbitrary: rare },
  )
  const habit = fc.oneof(
    { weight: 300, arbitrary: step.map((one) => [one]) },
    { weight: 1, arbitrary: persistent(api) },
    { weight: 1, arbitrary: diligent(api) },
  )
  return fc
    .array(habit, { minLength: 1, maxLength: length, size: 'max' })
    .map((habits) => habits.flat())
}

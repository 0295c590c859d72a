import fc, { type Arbitrary } from 'fast-check'
import { anyHammering, anyRequest } from './any-request.ts'
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

/** Deeds to be done one after the other; about one in seven is no request. */
export function anyStory(api: Api, length: number): Arbitrary<Step[]> {
  const once = fc.record({ deed: ASK, request: anyRequest(api), times: fc.constant(1) })
  const hammer = { request: anyHammering(api), times: fc.integer({ min: 2, max: 18 }) }
  const advance = fc
    .constantFrom(...SPANS)
    .map((milliseconds): Step => ({ deed: 'advance', milliseconds }))
  const set = fc.constantFrom(...MOMENTS).map((moment): Step => ({ deed: 'set', moment }))
  const rare = fc.constantFrom<Step[]>({ deed: 'save' }, { deed: 'restore' }, { deed: 'reset' })
  const step = fc.oneof(
    { weight: 60, arbitrary: once },
    { weight: 2, arbitrary: fc.record({ deed: ASK, ...hammer }) },
    { weight: 6, arbitrary: advance },
    { weight: 1, arbitrary: set },
    { weight: 3, arbitrary: rare },
  )
  return fc.array(step, { minLength: 1, maxLength: length, size: 'max' })
}

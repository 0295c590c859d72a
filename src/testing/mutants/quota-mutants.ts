import { alternatingLimit, changeRemaining, changeReset, isAny } from './defects.ts'
import type { Mutant } from './mutant.ts'
import { changeResponse, numericHeader, withHeaders } from './mutation.ts'

/** Defects of the quota headers. */
export const QUOTA_HEADER_MUTANTS: readonly Mutant[] = [
  [
    'X-RateLimit-Limit is missing',
    'quota/X-RateLimit-Limit',
    changeResponse(isAny, (one) => withHeaders(one, { 'X-RateLimit-Limit': undefined })),
  ],
  [
    'X-RateLimit-Remaining is missing in errors',
    'quota/X-RateLimit-Remaining',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withHeaders(one, { 'X-RateLimit-Remaining': undefined }),
    ),
  ],
  [
    'X-RateLimit-Reset is missing',
    'quota/X-RateLimit-Reset',
    changeResponse(isAny, (one) => withHeaders(one, { 'X-RateLimit-Reset': undefined })),
  ],
  [
    'the reset is a date',
    'quota/X-RateLimit-Reset',
    changeResponse(isAny, (one) =>
      withHeaders(one, { 'X-RateLimit-Reset': new Date().toUTCString() }),
    ),
  ],
  [
    'the reset has passed',
    'quota/future',
    changeResponse(isAny, (one) => changeReset(one, (at) => at - 120)),
  ],
  [
    'the reset is in milliseconds',
    'quota/future',
    changeResponse(isAny, (one) => changeReset(one, (at) => at * 1000)),
  ],
  [
    'the reset is in seconds from now',
    'quota/future',
    changeResponse(isAny, (one) => changeReset(one, (at) => at % 60)),
  ],
  [
    'requests are not counted',
    'quota/falls',
    changeResponse(isAny, (one) => withHeaders(one, { 'X-RateLimit-Remaining': '299' })),
  ],
  [
    'requests are counted twice',
    'quota/by-one',
    changeResponse(isAny, (one) => {
      const limit = numericHeader(one, 'X-RateLimit-Limit')
      return changeRemaining(one, (left) => limit - (limit - left) * 2)
    }),
  ],
  [
    'X-RateLimit-Remaining increases',
    'quota/rises',
    changeResponse(isAny, (one) => changeRemaining(one, (left) => 500 - left)),
  ],
  [
    'X-RateLimit-Remaining is greater than the limit',
    'quota/range',
    changeResponse(isAny, (one) => changeRemaining(one, (left) => left + 300)),
  ],
  ['the limit changes', 'quota/constant', alternatingLimit()],
]

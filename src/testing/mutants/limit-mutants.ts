import { isAny, refuseForEver, refuseLate } from './defects.ts'
import type { Mutant } from './mutant.ts'
import { changeResponse, changeStatus, numericHeader, withHeaders, withStatus } from './mutation.ts'

/** Defects that are visible only when the quota is used up. */
export const LIMIT_MUTANTS: readonly Mutant[] = [
  ['the limit is not enforced', 'limits/refused', changeStatus(429, 200)],
  ['a request over the limit gets a 503', 'limits/refused', changeStatus(429, 503)],
  [
    'a request is refused too soon',
    'limits/exact',
    changeResponse(
      (_, one) => numericHeader(one, 'X-RateLimit-Remaining') === 2,
      (one) => withHeaders(withStatus(one, 429), { 'Retry-After': '60' }),
    ),
  ],
  ['a request is refused too late', 'limits/exact', refuseLate()],
  [
    'Retry-After is missing',
    'limits/retry-after',
    changeResponse(isAny, (one) => withHeaders(one, { 'Retry-After': undefined })),
  ],
  [
    'Retry-After is not a number',
    'limits/retry-after',
    changeResponse(
      (_, { status }) => status === 429,
      (one) => withHeaders(one, { 'Retry-After': 'soon' }),
    ),
  ],
  [
    'Retry-After is before the reset',
    'limits/agrees',
    changeResponse(
      (_, { status }) => status === 429,
      (one) => withHeaders(one, { 'Retry-After': '1' }),
    ),
  ],
  [
    'Retry-After is in milliseconds',
    'limits/agrees',
    changeResponse(
      (_, { status }) => status === 429,
      (one) =>
        withHeaders(one, { 'Retry-After': `${Number(one.headers.get('Retry-After')) * 1000}` }),
    ),
  ],
  ['after Retry-After, requests are still refused', 'limits/over', refuseForEver()],
  [
    'a 429 has no Error body',
    'listPets/429/body',
    changeResponse(
      (_, { status }) => status === 429,
      ({ headers }) => new Response('slow down', { status: 429, headers }),
    ),
  ],
]

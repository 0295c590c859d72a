import type { Pet } from '../responses.ts'
import {
  changeLink,
  clampLimit,
  isAny,
  isFiltered,
  isLaterPage,
  isListed,
  keepFirstParameter,
  overlappingPages,
  replaceParameter,
  tooMany,
  withDefaultLimit,
  withLargerLimit,
} from './defects.ts'
import type { Mutant } from './mutant.ts'
import {
  changeResponse,
  changeUrl,
  queryOf,
  withHeaders,
  withJson,
  withStatus,
} from './mutation.ts'

/** Defects of lists and pages. */
export const LIST_MUTANTS: readonly Mutant[] = [
  [
    'a list is returned with a 206',
    'listPets/served',
    changeResponse(isListed, (one) => withStatus(one, 206)),
  ],
  [
    'a list is longer than its limit',
    'listPets/limit=1/obeyed',
    changeUrl((url) => withLargerLimit(url, 1)),
  ],
  [
    'a list without a limit is too long',
    'listPets/limit/default',
    changeUrl((url) => withDefaultLimit(url, '21')),
  ],
  [
    'more than 100 records are listed',
    'listPets/limit=101/most',
    changeResponse(
      (one) => queryOf(one).get('limit') === '101',
      (one) => tooMany(one),
    ),
  ],
  [
    'a limit above the maximum is accepted',
    'listPets/limit=101/400',
    changeUrl((url) => clampLimit(url)),
  ],
  [
    'a limit of 0 is accepted',
    'listPets/limit=0/400',
    changeUrl((url) => replaceParameter(url, 'limit', '0', '1')),
  ],
  [
    'a limit that is not a number is accepted',
    'listPets/limit=abc/400',
    changeUrl((url) => replaceParameter(url, 'limit', 'abc', '1')),
  ],
  [
    'a limit beyond int64 is accepted',
    'listPets/limit=9223372036854775808/400',
    changeUrl((url) => replaceParameter(url, 'limit', '9223372036854775808', '1')),
  ],
  [
    'the largest limit is rejected',
    'listPets/limit=100',
    changeUrl((url) => replaceParameter(url, 'limit', '100', '101')),
  ],
  [
    'an unknown status lists everything',
    'listPets/status=no-such-value/400',
    changeUrl((url) => replaceParameter(url, 'status', 'no-such-value', undefined)),
  ],
  [
    'an empty limit is accepted',
    'listPets/an-empty-limit/400',
    changeUrl((url) => replaceParameter(url, 'limit', '', undefined)),
  ],
  [
    'a limit given twice is accepted',
    'listPets/limit-given-twice/400',
    changeUrl((url) => keepFirstParameter(url, 'limit')),
  ],
  [
    'the filter is ignored',
    'listPets/status=sold/fits',
    changeUrl((url) => url.searchParams.delete('status')),
  ],
  [
    'the filter omits a record',
    'listPets/status=sold/all',
    changeResponse(isFiltered, (one) => withJson(one, (rows: Pet[]) => rows.slice(1))),
  ],
  [
    'the order is wrong',
    'listPets/order',
    changeResponse(isListed, (one) => withJson(one, (rows: Pet[]) => rows.reverse())),
  ],
  [
    'a record is listed twice',
    'listPets/ids',
    changeResponse(isListed, (one) =>
      withJson(one, (rows: Pet[]) => [...rows.slice(0, -1), rows[0]]),
    ),
  ],
  [
    'ids are strings',
    'listPets/200/body',
    changeResponse(isListed, (one) =>
      withJson(one, (rows: Pet[]) => rows.map((row) => ({ ...row, id: 'one' }))),
    ),
  ],
  [
    'names are missing',
    'listPets/200/body',
    changeResponse(isListed, (one) =>
      withJson(one, (rows: Pet[]) => rows.map(({ name: _, ...row }) => row)),
    ),
  ],
  [
    'HEAD is rejected',
    'listPets/head',
    changeResponse(
      ({ method }) => method === 'HEAD',
      (one) => withStatus(one, 405),
    ),
  ],
  ['pages overlap', 'listPets/pages/disjoint', overlappingPages()],
  [
    'a record is on no page',
    'listPets/pages/complete',
    changeResponse(isLaterPage, (one) => withJson(one, (rows: Pet[]) => rows.slice(1))),
  ],
  [
    'a page is too short',
    'listPets/pages/full',
    changeResponse(isLaterPage, (one) => withJson(one, (rows: Pet[]) => rows.slice(1))),
  ],
  [
    'there is no link to the next page',
    'listPets/pages/disjoint',
    changeResponse(isAny, (one) => withHeaders(one, { Link: undefined })),
  ],
  [
    'the next page loses the filter',
    'listPets/pages/filter',
    changeResponse(isListed, (one) => changeLink(one, /[?&]status=\w+/, '?')),
  ],
  [
    'the next page loses the limit',
    'listPets/pages/limit',
    changeResponse(isListed, (one) => changeLink(one, /limit=\d+/, 'x=1')),
  ],
  [
    'a forged cursor is accepted',
    'listPets/cursor/400',
    changeUrl((url) => replaceParameter(url, 'cursor', 'verify', undefined)),
  ],
]

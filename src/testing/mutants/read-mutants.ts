import type { Pet } from '../responses.ts'
import { isReadAndServed, replacePath } from './defects.ts'
import type { Mutant } from './mutant.ts'
import { changeResponse, changeUrl, isRead, withHeaders, withJson, withStatus } from './mutation.ts'

/** Defects of reading a record, and of deprecation headers. */
export const READ_MUTANTS: readonly Mutant[] = [
  [
    'a listed record is not found',
    'getPet/listed',
    changeResponse(
      (one) => isRead(one) && one.url.endsWith('/1'),
      (one) => withStatus(one, 404),
    ),
  ],
  [
    'another record is returned',
    'getPet/listed/same',
    changeUrl((url) => replacePath(url, /\/pets\/1$/, '/pets/2')),
  ],
  [
    'a value differs from the list',
    'getPet/listed/same',
    changeResponse(isReadAndServed, (one) =>
      withJson(one, (row: Pet) => ({ ...row, categoryId: row.categoryId + 1 })),
    ),
  ],
  [
    'an id is mistaken for another',
    'getPet/absent=9007199254740991',
    changeUrl((url) => replacePath(url, /\/pets\/9007199254740991$/, '/pets/1')),
  ],
  [
    'an id beyond what is exact is rounded',
    'getPet/absent=9223372036854775807',
    changeUrl((url) => replacePath(url, /\/pets\/9223372036854775807$/, '/pets/1')),
  ],
  [
    'an invalid id finds a record',
    'getPet/id=abc',
    changeUrl((url) => replacePath(url, /\/pets\/abc$/, '/pets/1')),
  ],
  [
    'an unknown record gets a 410',
    'getPet/absent=0',
    changeResponse(
      (one) => one.url.endsWith('/pets/0'),
      (one) => withStatus(one, 410),
    ),
  ],
  [
    'Deprecation is missing',
    'getPet/deprecation/Deprecation',
    changeResponse(isRead, (one) => withHeaders(one, { Deprecation: undefined })),
  ],
  [
    'Sunset is missing',
    'getPet/deprecation/Sunset',
    changeResponse(isRead, (one) => withHeaders(one, { Sunset: undefined })),
  ],
  [
    'Sunset is another day',
    'getPet/deprecation/Sunset',
    changeResponse(isRead, (one) => withHeaders(one, { Sunset: 'Fri, 06 Dec 2030 00:00:00 GMT' })),
  ],
  [
    'the successor is not linked',
    'getPet/deprecation/Link',
    changeResponse(isRead, (one) => withHeaders(one, { Link: undefined })),
  ],
]

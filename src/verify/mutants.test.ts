import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type SandboxOptions } from '../index.ts'
import { isLongRun } from '../testing/long-run.ts'
import {
  changeRequest,
  changeResponse,
  changeUrl,
  isCreate,
  isList,
  isRead,
  type Mutation,
  numericHeader,
  queryOf,
  withHeaders,
  withJson,
  withStatus,
} from '../testing/mutants.ts'
import type { VerifyOptions } from './options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract
let library: Contract

beforeAll(async () => {
  contract = await loadContract('openapi.yaml')
  library = await loadContract('src/testing/library.yaml')
})

const KEY = 'sk_sandbox_pro'
const EVERYTHING = { writes: true, budget: 150 } as const

/** Verifies a sandbox in process; its clock advances only while `verify` waits. */
function run(
  options: VerifyOptions,
  {
    mutation = (request, answer) => answer(request),
    ...given
  }: SandboxOptions & { readonly mutation?: Mutation; readonly at?: string } = {},
): Promise<Verification> {
  // Not at the end of a minute, where one second would be the rest of the window.
  const { at = '2026-11-21T10:00:15Z', ...settings } = given
  const sandbox = createSandbox(settings)
  sandbox.clock.freeze()
  sandbox.clock.set(at)
  const document = settings.contract ?? contract

  return verify(`http://target.test${document.basePath}`, document, {
    key: KEY,
    fetch: (request) => mutation(request, (one) => sandbox.fetch(one), sandbox),
    now: () => sandbox.clock.now(),
    sleep: async (length) => {
      sandbox.clock.advance(length)
    },
    ...options,
  })
}

function idsOf({ checks }: Verification, status: string): string[] {
  return checks.filter((check) => check.status === status).map(({ id }) => id)
}

/** The ids of checks of decisions. */
const DECISIONS =
  /\/400$|listPets\/(order|head|pages|cursor)|default\/|Location|WWW-|body\/4|^unknown|^wrong-m|deprecation|Sunset/

/** Checks that evaluate the responses of other probes: alone, they have no responses. */
const JUDGES_ALL = /\/[1-5]\d\d\/|^errors\/|\/deprecation\/|-Remaining$|full\/id$/

/** Runs a check alone if possible. `npm run fuzz` runs all checks for each mutant. */
function onlyFor(id: string): VerifyOptions {
  return isLongRun || JUDGES_ALL.test(id) ? {} : { only: id }
}

/** A defect, and the id of the check that finds it. */
const MUTANTS: readonly [what: string, id: string, mutation: Mutation][] = [
  // Lists
  [
    'a list is answered with a 206',
    'listPets/served',
    changeResponse(isListed, (one) => withStatus(one, 206)),
  ],
  [
    'a list is a page longer than asked',
    'listPets/limit=1/obeyed',
    changeUrl((url) => longer(url, 1)),
  ],
  [
    'a list without a limit is one too long',
    'listPets/limit/default',
    changeUrl((url) => preset(url, '21')),
  ],
  [
    'more than 100 are listed',
    'listPets/limit=101/most',
    changeResponse(
      (one) => queryOf(one).get('limit') === '101',
      (one) => tooMany(one),
    ),
  ],
  ['a limit beyond the range is served', 'listPets/limit=101/400', changeUrl((url) => clamp(url))],
  [
    'a limit of 0 is served',
    'listPets/limit=0/400',
    changeUrl((url) => ifIs(url, 'limit', '0', '1')),
  ],
  [
    'a limit that is no number is served',
    'listPets/limit=abc/400',
    changeUrl((url) => ifIs(url, 'limit', 'abc', '1')),
  ],
  [
    'a limit beyond int64 is served',
    'listPets/limit=9223372036854775808/400',
    changeUrl((url) => ifIs(url, 'limit', '9223372036854775808', '1')),
  ],
  [
    'the largest limit is refused',
    'listPets/limit=100',
    changeUrl((url) => ifIs(url, 'limit', '100', '101')),
  ],
  [
    'an unknown status lists everything',
    'listPets/status=no-such-value/400',
    changeUrl((url) => ifIs(url, 'status', 'no-such-value', undefined)),
  ],
  [
    'an empty limit is served',
    'listPets/an-empty-limit/400',
    changeUrl((url) => ifIs(url, 'limit', '', undefined)),
  ],
  [
    'a limit given twice is served',
    'listPets/limit-given-twice/400',
    changeUrl((url) => once(url, 'limit')),
  ],
  [
    'the filter is ignored',
    'listPets/status=sold/fits',
    changeUrl((url) => url.searchParams.delete('status')),
  ],
  [
    'the filter loses a record',
    'listPets/status=sold/all',
    changeResponse(isFiltered, (one) => withJson(one, (rows) => rows.slice(1))),
  ],
  [
    'the order is wrong',
    'listPets/order',
    changeResponse(isListed, (one) => withJson(one, (rows) => rows.reverse())),
  ],
  [
    'a record is listed twice',
    'listPets/ids',
    changeResponse(isListed, (one) => withJson(one, (rows) => [...rows.slice(0, -1), rows[0]])),
  ],
  [
    'ids are text',
    'listPets/200/body',
    changeResponse(isListed, (one) =>
      withJson(one, (rows) => rows.map((row: object) => ({ ...row, id: 'one' }))),
    ),
  ],
  [
    'names are missing',
    'listPets/200/body',
    changeResponse(isListed, (one) =>
      withJson(one, (rows) => rows.map(({ name: _, ...row }: { name: string }) => row)),
    ),
  ],
  [
    'HEAD is refused',
    'listPets/head',
    changeResponse(
      ({ method }) => method === 'HEAD',
      (one) => withStatus(one, 405),
    ),
  ],
  // Pages
  ['pages overlap', 'listPets/pages/disjoint', overlapping()],
  [
    'a record is on no page',
    'listPets/pages/complete',
    changeResponse(isLaterPage, (one) => withJson(one, (rows) => rows.slice(1))),
  ],
  [
    'a page is too short',
    'listPets/pages/full',
    changeResponse(isLaterPage, (one) => withJson(one, (rows) => rows.slice(1))),
  ],
  [
    'there is no link to the next page',
    'listPets/pages/disjoint',
    changeResponse(isAny, (one) => withHeaders(one, { Link: undefined })),
  ],
  [
    'the next page loses the filter',
    'listPets/pages/filter',
    changeResponse(isListed, (one) => relink(one, /[?&]status=\w+/, '?')),
  ],
  [
    'the next page loses the limit',
    'listPets/pages/limit',
    changeResponse(isListed, (one) => relink(one, /limit=\d+/, 'x=1')),
  ],
  [
    'a cursor that is forged is served',
    'listPets/cursor/400',
    changeUrl((url) => ifIs(url, 'cursor', 'verify', undefined)),
  ],
  // Reading
  [
    'a listed record is not found',
    'getPet/listed',
    changeResponse(
      (one) => isRead(one) && one.url.endsWith('/1'),
      (one) => withStatus(one, 404),
    ),
  ],
  [
    'another record is given',
    'getPet/listed/same',
    changeUrl((url) => moved(url, /\/pets\/1$/, '/pets/2')),
  ],
  [
    'a value differs from the list',
    'getPet/listed/same',
    changeResponse(isReadAndServed, (one) =>
      withJson(one, (row) => ({ ...row, categoryId: row.categoryId + 1 })),
    ),
  ],
  [
    'an id is taken for another',
    'getPet/absent=9007199254740991',
    changeUrl((url) => moved(url, /\/pets\/9007199254740991$/, '/pets/1')),
  ],
  [
    'an id beyond what is exact is rounded',
    'getPet/absent=9223372036854775807',
    changeUrl((url) => moved(url, /\/pets\/9223372036854775807$/, '/pets/1')),
  ],
  [
    'an id that is none finds a record',
    'getPet/id=abc',
    changeUrl((url) => moved(url, /\/pets\/abc$/, '/pets/1')),
  ],
  [
    'a record that is not there is a 410',
    'getPet/absent=0',
    changeResponse(
      (one) => one.url.endsWith('/pets/0'),
      (one) => withStatus(one, 410),
    ),
  ],
  // Creating
  [
    'a creation is answered with a 200',
    'createPet/required',
    changeResponse(isCreated, (one) => withStatus(one, 200)),
  ],
  [
    'an id is used again',
    'createPet/required/id',
    changeResponse(isCreated, (one) => withJson(one, (row) => ({ ...row, id: 1 }))),
  ],
  [
    'the same id is given twice',
    'createPet/full/id',
    changeResponse(isCreated, (one) => withJson(one, (row) => ({ ...row, id: 77 }))),
  ],
  [
    'no id is given',
    'createPet/201/body',
    changeResponse(isCreated, (one) => withJson(one, ({ id: _, ...row }) => row)),
  ],
  [
    'a name is changed',
    'createPet/required/values',
    changeResponse(isCreated, (one) =>
      withJson(one, (row) => ({ ...row, name: row.name.toUpperCase() })),
    ),
  ],
  [
    'a name loses its accents',
    'createPet/full/values',
    changeResponse(isCreated, (one) =>
      withJson(one, (row) => ({ ...row, name: row.name.replace(/[^ -~]/g, '?') })),
    ),
  ],
  [
    'a status that was sent is lost',
    'createPet/status="sold"/values',
    changeResponse(isCreated, (one) => withJson(one, (row) => ({ ...row, status: 'available' }))),
  ],
  [
    'a status left out stays out',
    'createPet/default/status',
    changeResponse(isCreated, async (one, request) =>
      (await request.text()).includes('status')
        ? one
        : withJson(one, ({ status: _, ...row }) => row),
    ),
  ],
  [
    'what was created is not listed',
    'listPets/created',
    changeResponse(isListed, (one) =>
      withJson(one, (rows) => rows.filter(({ id }: { id: number }) => id <= 50)),
    ),
  ],
  [
    'what was created is not found',
    'getPet/created/required',
    changeResponse(
      (one) => isRead(one) && /\/pets\/5\d$/.test(one.url),
      (one) => withStatus(one, 404),
    ),
  ],
  [
    'Location is missing',
    'createPet/201/Location',
    changeResponse(isCreated, (one) => withHeaders(one, { Location: undefined })),
  ],
  ['a missing name is taken', 'createPet/a-missing-name', accepting((body) => !('name' in body))],
  [
    'a missing category is taken',
    'createPet/a-missing-categoryId',
    accepting((body) => !('categoryId' in body)),
  ],
  [
    'a status that there is not is taken',
    'createPet/status="no-such-value"',
    accepting(({ status }) => status === 'no-such-value'),
  ],
  ['a name that is a number is taken', 'createPet/name=12', accepting(({ name }) => name === 12)],
  ['a name that is null is taken', 'createPet/name=null', accepting(({ name }) => name === null)],
  [
    'a category that is text is taken',
    'createPet/categoryId="abc"',
    accepting(({ categoryId }) => categoryId === 'abc'),
  ],
  [
    'a category that is a fraction is taken',
    'createPet/categoryId=1.5',
    accepting(({ categoryId }) => categoryId === 1.5),
  ],
  [
    'a body that is wrong is a 422',
    'createPet/a-missing-name',
    changeResponse(
      (_, { status }) => status === 400,
      (one) => withStatus(one, 422),
    ),
  ],
  [
    'half a JSON text is a 500',
    'createPet/half-a-JSON-text',
    changeResponse(
      (one, { status }) => isCreate(one) && status === 400,
      (one) => withStatus(one, 500),
    ),
  ],
  [
    'a status is refused',
    'createPet/status="pending"',
    changeRequest(
      (_, body) => body.includes('pending'),
      (one, body) => withBody(one, body.replace('pending', 'pendant')),
    ),
  ],
  ['a category of 64 bits is rounded', 'createPet/categoryId=9223372036854775807', rounding()],
  ['a client chooses an id', 'createPet/chosen-id', choosing()],
  [
    'plain text is taken',
    'createPet/body/415',
    changeResponse(
      (_, { status }) => status === 415,
      (one) => withStatus(one, 400),
    ),
  ],
  [
    'a large body is a 500',
    'createPet/body/413',
    changeResponse(
      (_, { status }) => status === 413,
      (one) => withStatus(one, 500),
    ),
  ],
  // Authentication
  ['no key is taken', 'listPets/no-key', changeRequest((one) => !hasKey(one), keyed)],
  [
    'no key is taken where one is read',
    'getPet/no-key',
    changeRequest((one) => isRead(one) && !hasKey(one), keyed),
  ],
  [
    'no key is taken where one is created',
    'createPet/no-key',
    changeRequest(
      (one) => isCreate(one) && !hasKey(one),
      (one, body) => withBody(keyed(one), body),
    ),
  ],
  [
    'a wrong key is taken',
    'listPets/wrong-key',
    changeRequest((one) => one.headers.get('Authorization') === `Bearer ${KEY}x`, keyed),
  ],
  [
    'another scheme is taken',
    'listPets/wrong-scheme',
    changeRequest((one) => /^Basic/.test(one.headers.get('Authorization') ?? ''), keyed),
  ],
  [
    'no key is a 403',
    'listPets/no-key',
    changeResponse(
      (_, { status }) => status === 401,
      (one) => withStatus(one, 403),
    ),
  ],
  [
    'a 401 has no challenge',
    'listPets/401/WWW-Authenticate',
    changeResponse(isAny, (one) => withHeaders(one, { 'WWW-Authenticate': undefined })),
  ],
  [
    'a 401 has another challenge',
    'getPet/401/WWW-Authenticate',
    changeResponse(
      (_, { status }) => status === 401,
      (one) => withHeaders(one, { 'WWW-Authenticate': 'Basic realm="x"' }),
    ),
  ],
  // Errors
  [
    'a 401 has no body',
    'listPets/401/body',
    changeResponse(
      (_, { status }) => status === 401,
      ({ headers }) => new Response('', { status: 401, headers }),
    ),
  ],
  [
    'a 404 is a page',
    'getPet/404/body',
    changeResponse(
      (_, { status }) => status === 404,
      ({ headers }) => new Response('<h1>Not found</h1>', { status: 404, headers }),
    ),
  ],
  [
    'an error has no code',
    'createPet/400/body',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withJson(one, ({ code: _, ...body }) => body),
    ),
  ],
  [
    'an error repeats another status',
    'createPet/400/status',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withJson(one, (body) => ({ ...body, status: 500 })),
    ),
  ],
  [
    'an error is sent as text',
    'getPet/404/type',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withHeaders(one, { 'Content-Type': 'text/plain' }),
    ),
  ],
  [
    'a list is sent as text',
    'listPets/200/type',
    changeResponse(isServed, (one) => withHeaders(one, { 'Content-Type': 'text/html' })),
  ],
  [
    'an id that is none is a 500',
    'errors/server',
    changeResponse(
      (one) => one.url.endsWith('/pets/abc'),
      (one) => withStatus(one, 500),
    ),
  ],
  [
    'a path that there is not is served',
    'unknown-path',
    changeResponse(
      (one) => one.url.includes('no-such'),
      (one) => withStatus(one, 200),
    ),
  ],
  [
    'a method that there is not is a 404',
    'wrong-method/DELETE /pets',
    changeResponse(
      (_, { status }) => status === 405,
      (one) => withStatus(one, 404),
    ),
  ],
  [
    'a 405 does not tell what is allowed',
    'wrong-method/DELETE /pets/allow',
    changeResponse(isAny, (one) => withHeaders(one, { Allow: undefined })),
  ],
  // Quota
  [
    'the limit is not told',
    'quota/X-RateLimit-Limit',
    changeResponse(isAny, (one) => withHeaders(one, { 'X-RateLimit-Limit': undefined })),
  ],
  [
    'the rest is not told on errors',
    'quota/X-RateLimit-Remaining',
    changeResponse(
      (_, { ok }) => !ok,
      (one) => withHeaders(one, { 'X-RateLimit-Remaining': undefined }),
    ),
  ],
  [
    'the reset is not told',
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
    changeResponse(isAny, (one) => reset(one, (at) => at - 120)),
  ],
  [
    'the reset is in milliseconds',
    'quota/future',
    changeResponse(isAny, (one) => reset(one, (at) => at * 1000)),
  ],
  [
    'the reset is in seconds from now',
    'quota/future',
    changeResponse(isAny, (one) => reset(one, (at) => at % 60)),
  ],
  [
    'requests are not counted',
    'quota/falls',
    changeResponse(isAny, (one) => withHeaders(one, { 'X-RateLimit-Remaining': '299' })),
  ],
  [
    'requests count twice',
    'quota/by-one',
    changeResponse(isAny, (one) => remaining(one, (left) => 300 - (300 - left) * 2)),
  ],
  [
    'the rest rises',
    'quota/rises',
    changeResponse(isAny, (one) => remaining(one, (left) => 500 - left)),
  ],
  [
    'the rest is larger than the limit',
    'quota/range',
    changeResponse(isAny, (one) => remaining(one, (left) => left + 300)),
  ],
  ['the limit changes', 'quota/constant', wavering()],
  // Deprecation
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

/** Defects that are visible only when the quota is used up. */
const QUOTA_MUTANTS: readonly [what: string, id: string, mutation: Mutation][] = [
  [
    'the limit is not enforced',
    'limits/refused',
    changeResponse(
      (_, { status }) => status === 429,
      (one) => withStatus(one, 200),
    ),
  ],
  [
    'a request over the limit is a 503',
    'limits/refused',
    changeResponse(
      (_, { status }) => status === 429,
      (one) => withStatus(one, 503),
    ),
  ],
  [
    'a request is refused too soon',
    'limits/exact',
    changeResponse(
      (_, one) => numericHeader(one, 'X-RateLimit-Remaining') === 2,
      (one) => withHeaders(withStatus(one, 429), { 'Retry-After': '60' }),
    ),
  ],
  ['a request is refused too late', 'limits/exact', late()],
  [
    'Retry-After is missing',
    'limits/retry-after',
    changeResponse(isAny, (one) => withHeaders(one, { 'Retry-After': undefined })),
  ],
  [
    'Retry-After is no number',
    'limits/retry-after',
    changeResponse(
      (_, { status }) => status === 429,
      (one) => withHeaders(one, { 'Retry-After': 'soon' }),
    ),
  ],
  [
    'Retry-After is sooner than the reset',
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
  ['after Retry-After, requests are still refused', 'limits/over', withoutEnd()],
  [
    'a 429 has no Error body',
    'listPets/429/body',
    changeResponse(
      (_, { status }) => status === 429,
      ({ headers }) => new Response('slow down', { status: 429, headers }),
    ),
  ],
]

function isAny(): boolean {
  return true
}

function isServed(_: Request, { ok }: Response): boolean {
  return ok
}

function hasKey({ headers }: Request): boolean {
  return headers.has('Authorization')
}

function keyed(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('Authorization', `Bearer ${KEY}`)
  return new Request(request, { headers })
}

function withBody(request: Request, body: string): Request {
  return new Request(request, { method: 'POST', headers: request.headers, body })
}

/** States two limits in turn. */
function wavering(): Mutation {
  let count = 0
  return changeResponse(isAny, (one) => {
    count += 1
    return withHeaders(one, { 'X-RateLimit-Limit': String(300 + (count % 2)) })
  })
}

function isListed(request: Request, response: Response): boolean {
  return isList(request) && response.status === 200 && request.method === 'GET'
}

function isFiltered(request: Request, response: Response): boolean {
  return isListed(request, response) && queryOf(request).has('status')
}

function isLaterPage(request: Request, response: Response): boolean {
  return isListed(request, response) && queryOf(request).has('cursor')
}

function isCreated(request: Request, { status }: Response): boolean {
  return isCreate(request) && status === 201
}

function isReadAndServed(request: Request, { status }: Response): boolean {
  return isRead(request) && status === 200
}

function longer(url: URL, by: number): void {
  const limit = url.searchParams.get('limit')
  if (limit === '1') url.searchParams.set('limit', String(Number(limit) + by))
}

function preset(url: URL, limit: string): void {
  if (!url.searchParams.has('limit')) url.searchParams.set('limit', limit)
}

function clamp(url: URL): void {
  if (Number(url.searchParams.get('limit')) > 100) url.searchParams.set('limit', '100')
}

function ifIs(url: URL, name: string, value: string, other: string | undefined): void {
  if (url.searchParams.get(name) !== value) return
  if (other === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, other)
}

function once(url: URL, name: string): void {
  const [first] = url.searchParams.getAll(name)
  if (first !== undefined) url.searchParams.set(name, first)
}

function moved(url: URL, path: RegExp, other: string): void {
  url.pathname = url.pathname.replace(path, other)
}

function tooMany({ headers }: Response): Response {
  const rows = Array.from({ length: 101 }, (_, at) => ({ id: at + 1, name: 'Rex', categoryId: 1 }))
  return Response.json(rows, { status: 200, headers })
}

function relink(response: Response, part: RegExp, other: string): Response {
  const link = response.headers.get('Link')?.replace(part, other).replace('?&', '?')
  return link === undefined ? response : withHeaders(response, { Link: link })
}

function reset(response: Response, change: (at: number) => number): Response {
  return withHeaders(response, {
    'X-RateLimit-Reset': `${change(numericHeader(response, 'X-RateLimit-Reset'))}`,
  })
}

function remaining(response: Response, change: (left: number) => number): Response {
  const left = change(numericHeader(response, 'X-RateLimit-Remaining'))
  return withHeaders(response, { 'X-RateLimit-Remaining': `${left}` })
}

function overlapping(): Mutation {
  let end: unknown
  return changeResponse(
    (request, response) => isListed(request, response) && queryOf(request).has('limit'),
    (response, request) =>
      withJson(response, (rows) => {
        const shown = queryOf(request).has('cursor') ? [end, ...rows.slice(1)] : rows
        end = rows.at(-1)
        return shown
      }),
  )
}

/** Both mutations. */
function combine(inner: Mutation, outer: Mutation): Mutation {
  return (request, answer, sandbox) => outer(request, (one) => inner(one, answer, sandbox), sandbox)
}

/** `Retry-After` as a date (RFC 9110, section 10.2.3). */
function inDays({ headers }: Response): string | undefined {
  const wait = headers.get('Retry-After')
  const now = Date.parse(headers.get('Date') ?? '')
  return wait === null ? undefined : new Date(now + Number(wait) * 1000).toUTCString()
}

/** Accepts an invalid body. */
function accepting(when: (body: Record<string, unknown>) => boolean): Mutation {
  return changeRequest(
    (request, body) => isCreate(request) && hasKey(request) && when(objectOf(body)),
    (request) => withBody(request, JSON.stringify({ name: 'Rex', categoryId: 1 })),
  )
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ...value } : { name: '', categoryId: 1 }
  } catch {
    return { name: '', categoryId: 1 }
  }
}

function rounding(): Mutation {
  return async (request, answer) => {
    const text = await request.clone().text()
    if (!text.includes('9223372036854775807')) return answer(request)
    const response = await answer(withBody(request, text.replace('9223372036854775807', '1')))
    return withJson(response, (row) => ({ ...row, categoryId: 9223372036854776000 }))
  }
}

/** Returns 429 for ever after the first 429. */
function withoutEnd(): Mutation {
  let isRefused = false
  return async (request, answer) => {
    const response = await answer(request)
    isRefused ||= response.status === 429
    return isRefused ? withStatus(response, 429) : response
  }
}

/** Accepts three requests more than the limit. */
function late(): Mutation {
  let spare = 3
  return async (request, answer) => {
    const response = await answer(request)
    if (response.status !== 429 || spare-- <= 0) return response
    return withHeaders(Response.json([], { headers: response.headers }), {
      'Retry-After': undefined,
    })
  }
}

function choosing(): Mutation {
  return async (request, answer) => {
    const { id } = objectOf(await request.clone().text())
    const response = await answer(request)
    return id === undefined ? response : withJson(response, (row) => ({ ...row, id }))
  }
}

describe('verify finds this defect:', () => {
  test.each(MUTANTS)('%s (%s)', async (_what, id, mutation) => {
    const verification = await run({ ...EVERYTHING, ...onlyFor(id) }, { mutation })

    expect(verification.unusable).toBeUndefined()
    expect(idsOf(verification, 'failed')).toContain(id)
  })

  test.each(QUOTA_MUTANTS)('%s (%s)', async (_what, id, mutation) => {
    const verification = await run(
      { ...EVERYTHING, exhaust: true, budget: 500, ...onlyFor(id) },
      { mutation },
    )

    expect(idsOf(verification, 'failed')).toContain(id)
  })
})

describe('a check of a decision', () => {
  const decided = MUTANTS.filter(([, id]) => DECISIONS.test(id))

  test('covers many of the defects', () => {
    expect(decided.length).toBeGreaterThan(20)
  })

  test.each(decided)(
    'does not count as failed with decisions: false: %s (%s)',
    async (_what, id, mutation) => {
      const verification = await run({ ...EVERYTHING, decisions: false }, { mutation })

      expect(idsOf(verification, 'failed')).toEqual([])
      expect([...idsOf(verification, 'differs'), ...idsOf(verification, 'left-out')]).toContain(id)
    },
  )
})

describe('verify finds no failure in', () => {
  const correct = [
    ['reading', {}, {}],
    ['everything', { ...EVERYTHING, exhaust: true, budget: 500 }, {}],
    ['writes', { writes: true }, {}],
    ['an empty store', EVERYTHING, { records: 0 }],
    ['a single record', EVERYTHING, { records: 1 }],
    ['more records than a page holds', EVERYTHING, { records: 250 }],
    ['a plan that is spent at once', EVERYTHING, { plans: { pro: { minute: 7, day: 1000 } } }],
    ['a plan of one request a minute', {}, { plans: { pro: { minute: 1, day: 1000 } } }],
    ['the day in place of the minute', EVERYTHING, { plans: { pro: { minute: 500, day: 400 } } }],
    [
      'a spent quota of another plan',
      { ...EVERYTHING, exhaust: true, budget: 200 },
      { plans: { pro: { minute: 20, day: 1000 } } },
    ],
    ['another seed', EVERYTHING, { seed: 7 }],
  ] as const satisfies readonly [string, VerifyOptions, SandboxOptions][]

  test.each(correct)('the sandbox: %s', async (_what, options, sandbox) => {
    const verification = await run(options, sandbox)

    expect(verification.unusable).toBeUndefined()
    expect(idsOf(verification, 'failed')).toEqual([])
    expect(idsOf(verification, 'differs')).toEqual([])
    expect(idsOf(verification, 'passed').length).toBeGreaterThan(30)
  })

  test.each([0, 50])('a sandbox of another document, with %d records', async (records) => {
    const verification = await run(EVERYTHING, { contract: library, records })

    expect(idsOf(verification, 'failed')).toEqual([])
    expect(verification.totals.passed).toBeGreaterThan(80)
  })

  test('a server that makes other decisions than the document', async () => {
    const otherwise = [
      changeResponse(isAny, (one) =>
        withHeaders(one, {
          Link: undefined,
          Location: undefined,
          Deprecation: undefined,
          Sunset: undefined,
          Allow: undefined,
          'WWW-Authenticate': undefined,
          'Retry-After': inDays(one),
        }),
      ),
      changeResponse(
        (_, { status }) => status === 429,
        ({ headers }) => new Response('slow down', { status: 429, headers }),
      ),
      changeResponse(
        (_, { status }) => status === 405,
        (one) => withStatus(one, 404),
      ),
      changeResponse(isListed, (one) => withJson(one, (rows) => rows.reverse())),
      changeUrl((url) => clamp(url)),
      changeUrl((url) => ifIs(url, 'status', 'no-such-value', undefined)),
      changeUrl((url) => ifIs(url, 'limit', '0', '1')),
      changeUrl((url) => ifIs(url, 'limit', 'abc', undefined)),
    ].reduce(combine)

    const verification = await run(
      { writes: true, exhaust: true, decisions: false, budget: 500 },
      { mutation: otherwise },
    )

    expect(idsOf(verification, 'failed')).toEqual([])
    expect(idsOf(verification, 'differs').length).toBeGreaterThan(8)
    expect(idsOf(verification, 'passed')).toContain('limits/agrees')
  })

  test('an operation after its removal', async () => {
    const verification = await run(EVERYTHING, { at: '2031-01-01T00:00:00Z' })

    expect(idsOf(verification, 'failed')).toEqual([])
    expect(idsOf(verification, 'passed')).toContain('getPet/removal')
  })
})

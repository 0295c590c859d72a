import fc, { type Arbitrary } from 'fast-check'
import { anyBody } from './any-body.ts'
import { anyTarget } from './any-target.ts'
import type { Api, ApiOperation } from './api.ts'
import { PREFERENCES } from './preferences.ts'
import type { FuzzRequest } from './request.ts'

type Header = FuzzRequest['headers'][number]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']

const CREDENTIALS = [
  'Bearer sk_sandbox_free',
  'Bearer sk_sandbox_rate_limited',
  'Bearer sk_sandbox_day_exhausted',
  'Bearer sk_sandbox_banned',
  'bearer sk_sandbox_pro',
  'BEARER   sk_sandbox_free',
  'Bearer sk_wrong',
  'Bearer \u00a0sk_sandbox_free',
  'Bearer SK_SANDBOX_FREE',
  'Bearer sk_sandbox_free extra',
  'Bearer sk_sandbox_free, Bearer sk_sandbox_free',
  'Bearer',
  'Bearer=sk_sandbox_free',
  'Bearersk_sandbox_free',
  'Basic c2tfc2FuZGJveF9mcmVl',
  'sk_sandbox_free',
  'Bearer __proto__',
  'Bearer \u00fc',
  '',
]

const TYPES = [
  'application/json;charset=utf-8',
  'Application/JSON ; charset="UTF-8"',
  'application/json;',
  'application/json; profile=x',
  'application/json; charset=utf-16',
  'application/json; charset=',
  'application/merge-patch+json',
  'application/problem+json',
  'application/jsonx',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '*/*',
  'application',
  ';',
  '',
]

const OTHERS: readonly Header[] = [
  ['accept', 'text/html'],
  ['accept', 'application/json;q=0'],
  ['accept-encoding', 'gzip'],
  ['prefer', ',,;;=='],
  ['prefer', 'respond-async'],
  ['prefer', 'code=600'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'IDENTITY'],
  ['content-encoding', 'identity, identity'],
  ['if-none-match', '*'],
  ['range', 'bytes=0-1'],
  ['x-http-method-override', 'DELETE'],
  ['origin', 'null'],
  ['access-control-request-method', 'DELETE'],
  ['cookie', '=;=;'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['x-odd', '\u00ff\u0080'],
]

/** A header, usually with a usual value; seldom with an unusual value, repeated, or missing. */
function headerOf(
  name: string,
  usual: Arbitrary<string>,
  unusual: readonly string[],
): Arbitrary<Header[]> {
  const once = usual.map((value): Header[] => [[name, value]])
  const other = fc.constantFrom(...unusual).map((value): Header[] => [[name, value]])

  return fc.oneof(
    { weight: 30, arbitrary: once },
    { weight: 5, arbitrary: other },
    { weight: 1, arbitrary: fc.constant<Header[]>([]) },
    { weight: 1, arbitrary: fc.tuple(once, fc.oneof(once, other)).map((lists) => lists.flat()) },
  )
}

const credentials = headerOf(
  'authorization',
  fc.constantFrom(...Array<string>(6).fill('Bearer sk_sandbox_pro'), 'Bearer sk_sandbox_free'),
  CREDENTIALS,
)
const contentType = headerOf('content-type', fc.constant('application/json'), TYPES)
const preferences = fc
  .constantFrom(...PREFERENCES.keys())
  .map((value): Header[] => [['prefer', value]])
const others = fc.oneof(
  { weight: 20, arbitrary: fc.constant<Header[]>([]) },
  { weight: 1, arbitrary: preferences },
  {
    weight: 1,
    arbitrary: fc.uniqueArray(fc.constantFrom(...OTHERS), {
      maxLength: 3,
      selector: ([name]) => name,
    }),
  },
)

function requestOf(api: Api, operation: ApiOperation): Arbitrary<FuzzRequest> {
  const { method, body } = operation
  const known = api.operations.find((one) => one.body)?.body
  const any = known ? anyBody((body ?? known).schema) : fc.uint8Array()
  const content = fc.oneof(
    { weight: body ? 30 : 1, arbitrary: any },
    { weight: body ? 1 : 10, arbitrary: fc.constant(undefined) },
  )

  return fc
    .record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      target: anyTarget(api, operation),
      headers: fc
        .tuple(credentials, body ? contentType : fc.constant<Header[]>([]), others)
        .map((lists) => lists.flat()),
      content,
    })
    .map(({ content: sent, ...rest }) => ({ ...rest, ...(sent && { body: sent }) }))
}

/** A request with the key of the smallest plan, whose quota is spent soon. */
export function anyFreePlanRequest(api: Api): Arbitrary<FuzzRequest> {
  const headers: readonly Header[] = [['authorization', 'Bearer sk_sandbox_free']]
  return anyRequest(api).map((request) => ({ ...request, headers }))
}

/** A request to one of the operations, invalid in about half of all cases. Its target may contain placeholders. */
export function anyRequest(api: Api): Arbitrary<FuzzRequest> {
  return fc.oneof(...api.operations.map((operation) => requestOf(api, operation)))
}

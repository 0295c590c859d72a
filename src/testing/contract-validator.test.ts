import { describe, expect, it } from 'vitest'
import {
  ContractValidator,
  type ExchangeToCheck,
  expectValidExchange,
} from './contract-validator.ts'

const PET = { id: 1, name: 'Biscuit', categoryId: 2, status: 'available' }
const QUOTA = {
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': '1795255260',
}

interface Override extends Partial<Omit<ExchangeToCheck, 'headers' | 'body'>> {
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
}

/** A valid response to `GET /pets` with some parts overridden. `null` removes a header. */
function exchangeWith({ headers = {}, body = [PET], ...rest }: Override = {}): ExchangeToCheck {
  const all = { 'Content-Type': 'application/json', ...QUOTA, ...headers }
  const present = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  )
  const text = typeof body === 'string' ? body : JSON.stringify(body)

  return {
    method: 'GET',
    path: '/pets',
    status: 200,
    ...rest,
    headers: new Headers(present),
    body: text,
  }
}

function errorBody(status: number): object {
  return { code: 'some_code', message: 'Some message.', status }
}

describe('the contract validator', () => {
  it.each<[string, Override]>([
    ['a list', {}],
    ['an empty list', { body: [] }],
    ['a list with a Link', { headers: { Link: '<http://localhost/v1/pets>; rel="next"' } }],
    ['HEAD without a body', { method: 'HEAD', body: '' }],
    [
      'a created animal',
      { method: 'POST', status: 201, headers: { Location: '/v1/pets/1' }, body: PET },
    ],
    ['a documented error status', { status: 400, body: errorBody(400) }],
    ['an error status that a range documents', { status: 500, body: errorBody(500) }],
    ['404 for a path without operations', { path: '/dogs', status: 404, body: errorBody(404) }],
    [
      '405 for a method without an operation',
      { method: 'DELETE', status: 405, body: errorBody(405) },
    ],
    ['OPTIONS', { method: 'OPTIONS', status: 204, body: '', headers: { 'Content-Type': null } }],
  ])('accepts %s', (_, override) => {
    const validate = (): void => expectValidExchange(exchangeWith(override))

    expect(validate).not.toThrow()
  })

  it.each<[string, Override, RegExp]>([
    ['an undocumented success', { status: 202 }, /status is not documented/],
    [
      'the success status of another operation',
      { method: 'POST', body: PET },
      /status is not documented/,
    ],
    ['a success for a path without operations', { path: '/dogs' }, /has no such operation/],
    ['a missing property', { body: [{ id: 1, name: 'B' }] }, /body\/0 .*'categoryId'/],
    [
      'a property of the wrong type',
      { body: [{ ...PET, id: '1' }] },
      /body\/0\/id must be integer/,
    ],
    [
      'a fraction instead of an integer',
      { body: [{ ...PET, categoryId: 1.5 }] },
      /categoryId must be integer/,
    ],
    [
      'a value that is not in the enum',
      { body: [{ ...PET, status: 'lost' }] },
      /status must be equal/,
    ],
    ['an object instead of an array', { body: PET }, /body must be array/],
    ['a body that is not JSON', { body: '[' }, /the body is not JSON/],
    ['HEAD with a body', { method: 'HEAD' }, /HEAD has a body/],
    ['an Error without a code', { status: 400, body: { message: '', status: 400 } }, /'code'/],
    ['an Error with another status', { status: 400, body: errorBody(404) }, /body.status is 404/],
    ['the wrong content type', { headers: { 'Content-Type': 'text/html' } }, /is text\/html/],
    ['no content type', { headers: { 'Content-Type': null } }, /content type is none/],
    [
      'a missing quota header',
      { headers: { 'X-RateLimit-Reset': null } },
      /header X-RateLimit-Reset is missing/,
    ],
    ['a negative quota', { headers: { 'X-RateLimit-Remaining': '-1' } }, /must be >= 0/],
    [
      'a quota that is not a number',
      { headers: { 'X-RateLimit-Limit': 'many' } },
      /must be integer/,
    ],
    [
      'a reset time with a fraction',
      { headers: { 'X-RateLimit-Reset': '1.5' } },
      /must be integer/,
    ],
    ['a created animal without Location', { method: 'POST', status: 201, body: PET }, /Location/],
    [
      'a 401 without a challenge',
      { status: 401, body: errorBody(401) },
      /WWW-Authenticate is missing/,
    ],
    [
      'a challenge of another scheme',
      { status: 401, body: errorBody(401), headers: { 'WWW-Authenticate': 'Basic' } },
      /must match pattern/,
    ],
    ['a 429 without Retry-After', { status: 429, body: errorBody(429) }, /Retry-After is missing/],
    ['a deprecated operation without Sunset', { path: '/pets/1', body: PET }, /Sunset is missing/],
    [
      '404 for an unknown path without a quota header',
      { path: '/dogs', status: 404, body: errorBody(404), headers: { 'X-RateLimit-Limit': null } },
      /X-RateLimit-Limit is missing/,
    ],
    [
      '404 for an unknown path without an Error',
      { path: '/dogs', status: 404, body: {} },
      /'code'/,
    ],
  ])('rejects %s', (_, override, error) => {
    const validate = (): void => expectValidExchange(exchangeWith(override))

    expect(validate).toThrow(error)
  })

  it('names the operation, the status and the error', () => {
    const validate = (): void => expectValidExchange(exchangeWith({ path: '/pets/1', body: {} }))

    expect(validate).toThrow(
      /^getPet \(GET \/pets\/1\): the response 200 .*body must have .*'name'/,
    )
  })
})

describe('the contract validator of the control interface', () => {
  const control = new ContractValidator('src/control/openapi.yaml', {
    commonHeaders: [],
    statuses: [404],
  })
  const clock = {
    method: 'GET',
    path: '/clock',
    body: '{"now":"2030-12-05T00:00:00Z","frozen":true}',
  }
  const json = new Headers({ 'Content-Type': 'application/json' })

  it('checks responses against its document and returns the operation', () => {
    expect(control.expectValid({ ...clock, status: 200, headers: json })).toBe('getClock')
    expect(() => control.expectValid({ ...clock, status: 200, headers: json, body: '{}' })).toThrow(
      /^getClock \(GET \/clock\): the response 200 violates src\/control\/openapi.yaml: .*'now'/,
    )
  })

  it('rejects a status that is not allowed for requests without an operation', () => {
    const body = '{"code":"a","message":"b","status":403}'
    const response = { method: 'GET', path: '/nothing', status: 403, headers: json, body }

    expect(() => control.expectValid(response)).toThrow('has no such operation')
  })

  it('accepts a text body with the documented content type only', () => {
    const stream = { method: 'GET', path: '/journal/events', status: 200, body: 'id: 1' }
    const headers = new Headers({ 'Content-Type': 'text/event-stream' })

    expect(control.expectValid({ ...stream, headers })).toBe('streamExchanges')
    expect(() => control.expectValid({ ...stream, headers: json })).toThrow(
      /not text\/event-stream/,
    )
  })

  it('lists the operations of the document', () => {
    expect(control.operations).toContain('restoreSnapshot')
    expect(control.operations).toHaveLength(56)
  })
})

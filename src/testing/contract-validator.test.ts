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

interface Change extends Partial<Omit<ExchangeToCheck, 'headers' | 'body'>> {
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
}

/** A right answer to `GET /pets`, with something changed; a header that is `null` is left out. */
function answered({ headers = {}, body = [PET], ...rest }: Change = {}): ExchangeToCheck {
  const all = { 'Content-Type': 'application/json', ...QUOTA, ...headers }
  const given = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  )
  const text = typeof body === 'string' ? body : JSON.stringify(body)

  return {
    method: 'GET',
    path: '/pets',
    status: 200,
    ...rest,
    headers: new Headers(given),
    body: text,
  }
}

function error(status: number, told: number = status): object {
  return { code: 'some_code', message: 'Some message.', status: told }
}

describe('The contract validator', () => {
  it.each<[string, Change]>([
    ['a list', {}],
    ['an empty list', { body: [] }],
    ['a list with a Link', { headers: { Link: '<http://localhost/v1/pets>; rel="next"' } }],
    ['HEAD without a body', { method: 'HEAD', body: '' }],
    [
      'a created animal',
      { method: 'POST', status: 201, headers: { Location: '/v1/pets/1' }, body: PET },
    ],
    ['a documented refusal', { status: 400, body: error(400) }],
    ['a refusal by its range', { status: 500, body: error(500) }],
    ['a path there is not', { path: '/dogs', status: 404, body: error(404) }],
    ['a method there is not', { method: 'DELETE', status: 405, body: error(405) }],
    ['OPTIONS', { method: 'OPTIONS', status: 204, body: '', headers: { 'Content-Type': null } }],
  ])('lets pass %s', (_, change) => {
    const validate = (): void => expectValidExchange(answered(change))

    expect(validate).not.toThrow()
  })

  it.each<[string, Change, RegExp]>([
    ['a success that is not documented', { status: 202 }, /status is not documented/],
    ['a success in place of another', { method: 'POST', body: PET }, /status is not documented/],
    ['a success where no operation is', { path: '/dogs' }, /no operation is documented here/],
    ['a property that is missing', { body: [{ id: 1, name: 'B' }] }, /body\/0 .*'categoryId'/],
    ['a property of another type', { body: [{ ...PET, id: '1' }] }, /body\/0\/id must be integer/],
    ['a fraction', { body: [{ ...PET, categoryId: 1.5 }] }, /categoryId must be integer/],
    ['a value outside of an enum', { body: [{ ...PET, status: 'lost' }] }, /status must be equal/],
    ['another shape', { body: PET }, /body must be array/],
    ['a body that is no JSON', { body: '[' }, /the body is no JSON/],
    ['a body of HEAD', { method: 'HEAD' }, /HEAD has a body/],
    ['an Error without its code', { status: 400, body: { message: '', status: 400 } }, /'code'/],
    ['an Error with another status', { status: 400, body: error(404) }, /body.status is 404/],
    ['another content type', { headers: { 'Content-Type': 'text/html' } }, /is text\/html/],
    ['no content type', { headers: { 'Content-Type': null } }, /content type is none/],
    ['no quota', { headers: { 'X-RateLimit-Reset': null } }, /header X-RateLimit-Reset is missing/],
    ['a negative quota', { headers: { 'X-RateLimit-Remaining': '-1' } }, /must be >= 0/],
    ['a quota that is no number', { headers: { 'X-RateLimit-Limit': 'many' } }, /must be integer/],
    ['a reset in fractions', { headers: { 'X-RateLimit-Reset': '1.5' } }, /must be integer/],
    [
      'a created animal without its address',
      { method: 'POST', status: 201, body: PET },
      /Location/,
    ],
    ['a 401 without a challenge', { status: 401, body: error(401) }, /WWW-Authenticate is missing/],
    [
      'another challenge',
      { status: 401, body: error(401), headers: { 'WWW-Authenticate': 'Basic' } },
      /must match pattern/,
    ],
    ['a 429 without a wait', { status: 429, body: error(429) }, /Retry-After is missing/],
    ['an old animal without a Sunset', { path: '/pets/1', body: PET }, /Sunset is missing/],
    [
      'no quota where no operation is',
      { path: '/dogs', status: 404, body: error(404), headers: { 'X-RateLimit-Limit': null } },
      /X-RateLimit-Limit is missing/,
    ],
    ['no Error where no operation is', { path: '/dogs', status: 404, body: {} }, /'code'/],
  ])('refuses %s', (_, change, fault) => {
    const validate = (): void => expectValidExchange(answered(change))

    expect(validate).toThrow(fault)
  })

  it('names operation, status and fault', () => {
    const validate = (): void => expectValidExchange(answered({ path: '/pets/1', body: {} }))

    expect(validate).toThrow(/^getPet \(GET \/pets\/1\) answered 200 .*body must have .*'name'/)
  })
})

describe('The validator of another document', () => {
  const control = new ContractValidator('src/control/openapi.yaml', {
    commonHeaders: [],
    refusals: [404],
  })
  const plain = {
    method: 'GET',
    path: '/clock',
    body: '{"now":"2030-12-05T00:00:00Z","frozen":true}',
  }
  const json = new Headers({ 'Content-Type': 'application/json' })

  it('holds answers against that, and names the operation', () => {
    expect(control.expectValid({ ...plain, status: 200, headers: json })).toBe('getClock')
    expect(() => control.expectValid({ ...plain, status: 200, headers: json, body: '{}' })).toThrow(
      /^getClock \(GET \/clock\) answered 200 against src\/control\/openapi.yaml: .*'now'/,
    )
  })

  it('takes only the refusals that it is told of where no operation is', () => {
    const body = '{"code":"a","message":"b","status":403}'
    const refusal = { method: 'GET', path: '/nothing', status: 403, headers: json, body }

    expect(() => control.expectValid(refusal)).toThrow('no operation is documented here')
  })

  it('takes text for what is documented as text, and by its own type', () => {
    const stream = { method: 'GET', path: '/journal/events', status: 200, body: 'id: 1' }
    const headers = new Headers({ 'Content-Type': 'text/event-stream' })

    expect(control.expectValid({ ...stream, headers })).toBe('streamExchanges')
    expect(() => control.expectValid({ ...stream, headers: json })).toThrow(
      /not text\/event-stream/,
    )
  })

  it('lists its operations', () => {
    expect(control.operations).toContain('restoreSnapshot')
    expect(control.operations).toHaveLength(34)
  })
})

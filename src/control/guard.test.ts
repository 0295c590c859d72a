import { describe, expect, test } from 'vitest'
import { Problem } from '../http/problem.ts'
import { guard, isAllowedOrigin, type RequestSource, toPermission } from './guard.ts'

const LOCAL = '127.0.0.1'
const REMOTE = '192.168.1.20'
const TOKEN = 'sesame'
const SECRET = 'secret-of-the-page'
const SHOP = 'http://shop.test:3000'

/** Where a request comes from. Default: this machine. */
interface SentRequest {
  readonly url?: string
  readonly address?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

function sourceOf({
  url = 'http://localhost:4010/__sandbox/reset',
  headers = {},
  ...rest
}: SentRequest): RequestSource {
  const sent = new Headers(headers)
  const address = 'address' in rest ? rest.address : LOCAL
  return { url: new URL(url), header: (name) => sent.get(name) ?? undefined, address }
}

/** `passed`, or the status of the refusal. */
function guardResult(
  sent: SentRequest,
  token: string | undefined = TOKEN,
  origins: string[] = [],
  secret: string | undefined = SECRET,
): unknown {
  try {
    guard(sourceOf(sent), toPermission(token, origins, secret))
    return 'passed'
  } catch (error) {
    return error instanceof Problem ? error.status : error
  }
}

function bearer(token: string): { readonly Authorization: string } {
  return { Authorization: `Bearer ${token}` }
}

describe('a request without the token', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.53',
    '127.255.255.254',
    '::1',
    '::ffff:127.0.0.1',
    '::FFFF:127.0.0.1',
  ])('passes from %s', (address) => {
    expect(guardResult({ address })).toBe('passed')
  })

  test.each([
    undefined,
    '',
    '10.0.0.1',
    '128.0.0.1',
    '0.0.0.0',
    '::',
    '::2',
    'fe80::1',
    '::ffff:10.0.0.1',
    '127.0.0.1.test',
    '1270.0.0.1',
  ])('is refused from %s', (address) => {
    expect(guardResult({ address })).toBe(401)
  })

  test.each([
    { Forwarded: 'for=203.0.113.7' },
    { 'X-Forwarded-For': '203.0.113.7' },
    { 'X-Forwarded-Host': 'sandbox.test' },
    { 'X-Real-IP': '203.0.113.7' },
    { Via: '1.1 proxy' },
  ])('is refused from a proxy on this machine that sends %o', (headers) => {
    expect(guardResult({ headers })).toBe(401)
  })
})

describe('a request from another machine', () => {
  test('passes with the token', () => {
    expect(guardResult({ address: REMOTE, headers: bearer(TOKEN) })).toBe('passed')
  })

  test.each(['sesam', 'sesame1', 'Sesame', 'semase', 'x', 'sesamesesame'])(
    'is refused with the wrong token %s',
    (wrong) => {
      expect(guardResult({ address: REMOTE, headers: bearer(wrong) })).toBe(401)
    },
  )

  test.each(['Basic sesame', 'sesame', 'Bearer', 'Bearer sesame, Bearer sesame'])(
    'is refused with the header Authorization: %s',
    (Authorization) => {
      expect(guardResult({ address: REMOTE, headers: { Authorization } })).toBe(401)
    },
  )

  test('is refused with any token when the sandbox has none', () => {
    const permission = toPermission(undefined, [])

    expect(() =>
      guard(sourceOf({ address: REMOTE, headers: bearer('undefined') }), permission),
    ).toThrow('Start the sandbox with --control-token')
  })

  test('gets a WWW-Authenticate header that names an invalid token as the error', () => {
    const challenge = (headers: Record<string, string>): unknown => {
      try {
        return guard(sourceOf({ address: REMOTE, headers }), toPermission(TOKEN, []))
      } catch (error) {
        return error instanceof Problem ? error.headers['WWW-Authenticate'] : error
      }
    }

    expect(challenge({})).toBe('Bearer realm="pet-sandbox control"')
    expect(challenge(bearer('wrong'))).toBe(
      'Bearer realm="pet-sandbox control", error="invalid_token"',
    )
  })
})

describe('the host of a request', () => {
  test.each([
    'localhost:4010',
    'LOCALHOST',
    'api.localhost:4010',
    '127.0.0.1:4010',
    '127.0.0.2',
    '[::1]:4010',
  ])('can be the local name %s', (Host) => {
    expect(guardResult({ url: `http://${Host}/__sandbox`, headers: { Host } })).toBe('passed')
  })

  test.each([
    'evil.test',
    'evil.test:4010',
    'localhost.evil.test',
    'notlocalhost',
    '127.0.0.1.evil.test',
    '192.168.1.20:4010',
    '[::2]:4010',
    '0.0.0.0:4010',
  ])('cannot be %s, which is not a name of this machine', (Host) => {
    expect(guardResult({ url: `http://${Host}/__sandbox`, headers: { Host } })).toBe(403)
  })

  test('must be local both in the URL and in the Host header', () => {
    expect(guardResult({ url: 'http://evil.test/__sandbox', headers: { Host: 'localhost' } })).toBe(
      403,
    )
    expect(guardResult({ url: 'http://localhost/__sandbox', headers: { Host: 'evil.test' } })).toBe(
      403,
    )
  })

  test('can be any name with the token', () => {
    const headers = { Host: 'sandbox.test', ...bearer(TOKEN) }

    expect(guardResult({ url: 'http://sandbox.test/__sandbox', headers })).toBe('passed')
  })

  test('cannot be a foreign name with a wrong token', () => {
    const headers = { Host: 'sandbox.test', ...bearer('wrong') }

    expect(guardResult({ url: 'http://sandbox.test/__sandbox', headers })).toBe(403)
  })
})

describe('a request of a page', () => {
  const OWN = 'http://localhost:4010'
  const ownPages = [
    { Origin: OWN },
    { 'Sec-Fetch-Site': 'same-origin' },
    { Origin: OWN, 'Sec-Fetch-Site': 'same-origin' },
    { Referer: `${OWN}/v1/pets`, 'Sec-Fetch-Site': 'same-origin' },
  ]

  test.each(ownPages)(
    'that the sandbox serves is refused without the secret of the dashboard: %j',
    (page) => {
      const message = `Of the pages of ${OWN}, only the dashboard may use the control interface. Send the control token, or allow them with --control-origin ${OWN}.`

      expect(guardResult({ headers: page })).toBe(403)
      expect(() => guard(sourceOf({ headers: page }), toPermission(TOKEN, [], SECRET))).toThrow(
        expect.objectContaining({ code: 'forbidden', message }),
      )
      expect(guardResult({ headers: page }, TOKEN, [], undefined)).toBe(403)
    },
  )

  test.each(ownPages)(
    'that the sandbox serves passes with the secret of the dashboard: %j',
    (page) => {
      expect(guardResult({ headers: { ...page, 'X-Sandbox-Page': SECRET } })).toBe('passed')
    },
  )

  test.each(ownPages)('that the sandbox serves passes with the token: %j', (page) => {
    expect(guardResult({ headers: { ...page, ...bearer(TOKEN) } })).toBe('passed')
    expect(guardResult({ headers: { ...page, ...bearer('wrong') } })).toBe(403)
  })

  test.each(ownPages)('that the sandbox serves passes when its origin is allowed: %j', (page) => {
    expect(guardResult({ headers: page }, TOKEN, [OWN])).toBe('passed')
  })

  test.each(['', 'secret-of-the-pag', 'secret-of-the-page1', 'undefined'])(
    'with the secret %j of another start is told to load again',
    (sent) => {
      const headers = { Origin: OWN, 'X-Sandbox-Page': sent }

      expect(() => guard(sourceOf({ headers }), toPermission(TOKEN, [], SECRET))).toThrow(
        expect.objectContaining({ code: 'outdated_page', status: 403 }),
      )
    },
  )

  test('with the secret of the dashboard needs the token from another machine and from another origin', () => {
    const page = { 'X-Sandbox-Page': SECRET }

    expect(guardResult({ address: REMOTE, headers: page })).toBe(401)
    expect(guardResult({ headers: { ...page, Origin: SHOP } })).toBe(403)
  })

  test('of an allowed origin passes through a proxy of that origin, which replaces the host', () => {
    const headers = { Referer: `${SHOP}/basket`, 'Sec-Fetch-Site': 'same-origin' }

    expect(guardResult({ headers }, TOKEN, [SHOP])).toBe('passed')
    expect(guardResult({ headers }, TOKEN, ['http://other.test'])).toBe(403)
  })

  test.each([
    'null',
    SHOP,
    'http://localhost',
    'http://localhost:4011',
    'https://localhost:4010',
    'http://127.0.0.1:4010',
    'http://localhost:4010.evil.test',
    'http://LOCALHOST:4010',
  ])('of the origin %s is refused', (Origin) => {
    expect(guardResult({ headers: { Origin } })).toBe(403)
  })

  test('of another origin is refused even with the token', () => {
    expect(guardResult({ headers: { Origin: SHOP, ...bearer(TOKEN) } })).toBe(403)
  })

  test.each(['cross-site', 'same-site', 'anything'])(
    'without Origin and with Sec-Fetch-Site: %s is refused',
    (site) => {
      expect(guardResult({ headers: { 'Sec-Fetch-Site': site } })).toBe(403)
    },
  )

  test('that a user opens by typing its address passes', () => {
    expect(guardResult({ headers: { 'Sec-Fetch-Site': 'none' } })).toBe('passed')
  })

  test('of an allowed origin passes, also from another site', () => {
    const headers = { Origin: SHOP, 'Sec-Fetch-Site': 'cross-site' }

    expect(guardResult({ headers }, TOKEN, [SHOP])).toBe('passed')
  })

  test('of an allowed origin needs the token from another machine', () => {
    expect(guardResult({ address: REMOTE, headers: { Origin: SHOP } }, TOKEN, [SHOP])).toBe(401)
  })

  test('is allowed by its own origin only', () => {
    const permission = toPermission(undefined, [SHOP])

    expect(isAllowedOrigin(sourceOf({}), permission)).toBe(false)
    expect(isAllowedOrigin(sourceOf({ headers: { Origin: 'null' } }), permission)).toBe(false)
    expect(isAllowedOrigin(sourceOf({ headers: { Origin: SHOP } }), permission)).toBe(true)
  })
})

describe('an invalid option throws a UsageError:', () => {
  test.each(['', 'two words', 'süß', 'a"b', 'line\nbreak'])('the token %j', (token) => {
    expect(() => toPermission(token, [])).toThrow('no HTTP header can carry it')
  })

  test.each(['null', '*', 'localhost:3000', 'http://localhost:3000/', 'http://a.test/page', ''])(
    'the origin %j',
    (origin) => {
      expect(() => toPermission(undefined, [origin])).toThrow('it is not an origin')
    },
  )
})

import { describe, expect, test } from 'vitest'
import { Problem } from '../http/problem.ts'
import { guard, isAllowedOrigin, type RequestSource, toPermission } from './guard.ts'

const NEAR = '127.0.0.1'
const FAR = '192.168.1.20'
const TOKEN = 'sesame'
const SHOP = 'http://shop.test:3000'

interface Sent {
  readonly url?: string
  readonly address?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

function visit({
  url = 'http://localhost:4010/__sandbox/reset',
  headers = {},
  ...rest
}: Sent): RequestSource {
  const sent = new Headers(headers)
  const address = 'address' in rest ? rest.address : NEAR
  return { url: new URL(url), header: (name) => sent.get(name) ?? undefined, address }
}

/** The status of the refusal, or `passed`. */
function judge(sent: Sent, token: string | undefined = TOKEN, origins: string[] = []): unknown {
  try {
    guard(visit(sent), toPermission(token, origins))
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
    expect(judge({ address })).toBe('passed')
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
    expect(judge({ address })).toBe(401)
  })

  test.each([
    { Forwarded: 'for=203.0.113.7' },
    { 'X-Forwarded-For': '203.0.113.7' },
    { 'X-Forwarded-Host': 'sandbox.test' },
    { 'X-Real-IP': '203.0.113.7' },
    { Via: '1.1 proxy' },
  ])('is refused from a proxy of this machine, which tells %o', (headers) => {
    expect(judge({ headers })).toBe(401)
  })
})

describe('a request from another machine', () => {
  test('passes with the token', () => {
    expect(judge({ address: FAR, headers: bearer(TOKEN) })).toBe('passed')
  })

  test.each(['sesam', 'sesame1', 'Sesame', 'semase', 'x', 'sesamesesame'])(
    'is refused with %s for a token',
    (wrong) => {
      expect(judge({ address: FAR, headers: bearer(wrong) })).toBe(401)
    },
  )

  test.each(['Basic sesame', 'sesame', 'Bearer', 'Bearer sesame, Bearer sesame'])(
    'is refused with "%s"',
    (Authorization) => {
      expect(judge({ address: FAR, headers: { Authorization } })).toBe(401)
    },
  )

  test('is refused with any token where none was set', () => {
    const permission = toPermission(undefined, [])

    expect(() => guard(visit({ address: FAR, headers: bearer('undefined') }), permission)).toThrow(
      'Start the sandbox with --control-token',
    )
  })

  test('is told how to authenticate, and whether what it sent was wrong', () => {
    const challenge = (headers: Record<string, string>): unknown => {
      try {
        return guard(visit({ address: FAR, headers }), toPermission(TOKEN, []))
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

describe('a name of the sandbox', () => {
  test.each([
    'localhost:4010',
    'LOCALHOST',
    'api.localhost:4010',
    '127.0.0.1:4010',
    '127.0.0.2',
    '[::1]:4010',
  ])('may be %s', (Host) => {
    expect(judge({ url: `http://${Host}/__sandbox`, headers: { Host } })).toBe('passed')
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
  ])('may not be %s, which a page can have point here', (Host) => {
    expect(judge({ url: `http://${Host}/__sandbox`, headers: { Host } })).toBe(403)
  })

  test('is looked for in the address and in the Host alike', () => {
    expect(judge({ url: 'http://evil.test/__sandbox', headers: { Host: 'localhost' } })).toBe(403)
    expect(judge({ url: 'http://localhost/__sandbox', headers: { Host: 'evil.test' } })).toBe(403)
  })

  test('may be any with the token', () => {
    const headers = { Host: 'sandbox.test', ...bearer(TOKEN) }

    expect(judge({ url: 'http://sandbox.test/__sandbox', headers })).toBe('passed')
  })

  test('may not be any with a wrong token', () => {
    const headers = { Host: 'sandbox.test', ...bearer('wrong') }

    expect(judge({ url: 'http://sandbox.test/__sandbox', headers })).toBe(403)
  })
})

describe('a page', () => {
  test('of the sandbox itself passes', () => {
    const headers = { Origin: 'http://localhost:4010', 'Sec-Fetch-Site': 'same-origin' }

    expect(judge({ headers })).toBe('passed')
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
  ])('of %s is refused', (Origin) => {
    expect(judge({ headers: { Origin } })).toBe(403)
  })

  test('of another origin is refused even with the token', () => {
    expect(judge({ headers: { Origin: SHOP, ...bearer(TOKEN) } })).toBe(403)
  })

  test.each(['cross-site', 'same-site', 'anything'])(
    'that tells no origin, and is %s, is refused',
    (site) => {
      expect(judge({ headers: { 'Sec-Fetch-Site': site } })).toBe(403)
    },
  )

  test.each(['same-origin', 'none'])('that tells no origin, and is %s, passes', (site) => {
    expect(judge({ headers: { 'Sec-Fetch-Site': site } })).toBe('passed')
  })

  test('of an origin that was let in passes, from another site too', () => {
    const headers = { Origin: SHOP, 'Sec-Fetch-Site': 'cross-site' }

    expect(judge({ headers }, TOKEN, [SHOP])).toBe('passed')
  })

  test('of an origin that was let in still needs the token from another machine', () => {
    expect(judge({ address: FAR, headers: { Origin: SHOP } }, TOKEN, [SHOP])).toBe(401)
  })

  test('of no origin is not let in by another', () => {
    const permission = toPermission(undefined, [SHOP])

    expect(isAllowedOrigin(visit({}), permission)).toBe(false)
    expect(isAllowedOrigin(visit({ headers: { Origin: 'null' } }), permission)).toBe(false)
    expect(isAllowedOrigin(visit({ headers: { Origin: SHOP } }), permission)).toBe(true)
  })
})

describe('what cannot guard is refused:', () => {
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

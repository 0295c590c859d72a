import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox } from '../index.ts'
import {
  call,
  codeFor,
  errorOf,
  exchange,
  get,
  openNotes,
  post,
  ROOT,
  refresh,
  tokensFor,
} from '../testing/sign-in.ts'

describe('an access token', () => {
  it('is that of its user: /me and new records follow it', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox, '3', { scope: 'notes:read notes:write' })

    const me = await (await call(sandbox, access_token, '/v1/me')).json()

    expect(me.id).toBe(3)
  })

  it('ends on the clock of the sandbox, with the documented 401 and its challenge', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox)

    sandbox.clock.advance('59m')
    const before = await call(sandbox, access_token)
    sandbox.clock.advance('1m')
    const after = await call(sandbox, access_token)

    expect(before.status).toBe(200)
    expect(after.status).toBe(401)
    expect(after.headers.get('www-authenticate')).toBe(
      'Bearer realm="Notes", error="invalid_token", error_description="The access token has expired"',
    )
    expect(await after.json()).toMatchObject({ error: expect.any(String) })
  })

  it('with too few scopes gets the documented 403', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox)

    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const request = new Request(`${ROOT}/v1/notes`, {
      method: 'POST',
      headers,
      body: '{"text":"x"}',
    })
    const response = await sandbox.fetch(request)

    expect(response.status).toBe(403)
    expect(response.headers.get('www-authenticate')).toContain(
      'error="insufficient_scope", error_description="The access token lacks a scope", scope="notes:write"',
    )
  })

  it.each(['opaque', 'jwt'] as const)(
    'that was altered, revoked or forgotten is refused: %s',
    async (tokens) => {
      const sandbox = await openNotes({ signIn: { tokens } })
      const { access_token, refresh_token } = await tokensFor(sandbox)

      const altered = await call(
        sandbox,
        `${access_token.slice(0, -1)}${access_token.endsWith('A') ? 'B' : 'A'}`,
      )
      await post(sandbox, '/oauth/revoke', { client_id: 'web', token: refresh_token })
      const revoked = await call(sandbox, access_token)
      sandbox.reset()
      const forgotten = await call(sandbox, access_token)

      expect([altered.status, revoked.status, forgotten.status]).toEqual([401, 401, 401])
      expect(revoked.headers.get('www-authenticate')).toContain('is revoked')
      expect(forgotten.headers.get('www-authenticate')).toContain('was forgotten at a reset')
    },
  )

  it('as a JWT is signed by the key of the sandbox, and names user, client and scopes', async () => {
    const sandbox = await openNotes({ signIn: { tokens: 'jwt' } })
    const { access_token } = await tokensFor(sandbox)
    const keys = await (await get(sandbox, '/oauth/jwks')).json()

    const { payload, protectedHeader } = await jwtVerify(access_token, createLocalJWKSet(keys), {
      issuer: ROOT,
    })

    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
    expect(payload).toMatchObject({
      sub: '1',
      client_id: 'web',
      scope: 'openid profile notes:read',
    })
    expect((await call(sandbox, access_token)).status).toBe(200)
  })

  it('has a quota of its user and client, which a refresh continues', async () => {
    const sandbox = await openNotes({ plans: { free: { minute: 3, day: 50 } } })
    const first = await tokensFor(sandbox)
    await call(sandbox, first.access_token)
    const second = await (await refresh(sandbox, first.refresh_token)).json()

    const response = await call(sandbox, second.access_token)

    expect(response.headers.get('x-ratelimit-remaining')).toBe('1')
  })

  it('beside other credentials, which stay accepted with all scopes', async () => {
    const sandbox = await openNotes()

    expect((await call(sandbox, 'anything')).status).toBe(200)
    // Another issuer's token is no token of the sandbox.
    expect((await call(sandbox, 'eyJhbGciOiJub25lIn0.e30.x')).status).toBe(200)
  })

  it('is the only credential with auth: issued', async () => {
    const sandbox = await openNotes({ auth: 'issued' })
    const { access_token } = await tokensFor(sandbox)

    const other = await call(sandbox, 'anything')

    expect((await call(sandbox, access_token)).status).toBe(200)
    expect(other.status).toBe(401)
    expect(other.headers.get('www-authenticate')).toContain('was not issued by the sandbox')
  })
})

describe('the times of JWTs', () => {
  it('are real by default, whatever the clock of the sandbox says', async () => {
    const sandbox = await openNotes()
    sandbox.clock.set('2040-01-01T00:00:00Z')

    const { iat = 0, exp = 0, auth_time } = decodeJwt((await tokensFor(sandbox)).id_token ?? '')

    expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(60)
    expect(exp - iat).toBe(3600)
    expect(auth_time).toBe(iat)
  })

  it('are those of the sandbox with timestamps: sandbox', async () => {
    const sandbox = await openNotes({ signIn: { timestamps: 'sandbox' } })
    sandbox.clock.set('2040-01-01T00:00:00Z')

    const { iat } = decodeJwt((await tokensFor(sandbox)).id_token ?? '')

    expect(iat).toBe(Date.parse('2040-01-01T00:00:00Z') / 1000)
  })
})

describe('codes and tokens', () => {
  it('follow from the seed in process, and are random with random: system', async () => {
    const [one, same, other] = await Promise.all([
      openNotes(),
      openNotes(),
      openNotes({ signIn: { random: 'system' } }),
    ])

    const codes = await Promise.all([codeFor(one), codeFor(same), codeFor(other)])

    expect(codes[0]).toBe(codes[1])
    expect(codes[2]).not.toBe(codes[0])
    expect(codes[2]).toMatch(/^sbx_ac_\w{36}$/)
  })
})

describe('what was issued is kept', () => {
  it('by a snapshot, with the signing key', async () => {
    const sandbox = await openNotes({ signIn: { tokens: 'jwt', key: undefined } })
    const tokens = await tokensFor(sandbox)
    const keys = await (await get(sandbox, '/oauth/jwks')).text()
    const snapshot = JSON.parse(JSON.stringify(await sandbox.snapshot()))

    const restored = await openNotes({ signIn: { tokens: 'jwt', key: undefined } })
    await restored.restore(snapshot)

    expect((await call(restored, tokens.access_token)).status).toBe(200)
    expect(await (await get(restored, '/oauth/jwks')).text()).toBe(keys)
    expect((await refresh(restored, tokens.refresh_token)).status).toBe(200)
  })

  it('by a fork, which goes on by itself', async () => {
    const sandbox = await openNotes()
    const { access_token, refresh_token } = await tokensFor(sandbox)
    sandbox.world('copy', { from: 'default' })

    await post(sandbox, '/worlds/copy/oauth/revoke', { client_id: 'web', token: refresh_token })

    expect((await call(sandbox, access_token, '/worlds/copy/v1/notes')).status).toBe(401)
    expect((await call(sandbox, access_token)).status).toBe(200)
  })

  it('in its own world only, whose issuer has its path', async () => {
    const sandbox = await openNotes({ signIn: { random: 'system' } })
    const metadata = await get(sandbox, '/worlds/one/.well-known/openid-configuration')
    const { issuer, token_endpoint } = await metadata.json()
    const tokens = await sandbox.world('one').signIn.as('2')

    expect(issuer).toBe(`${ROOT}/worlds/one`)
    expect(token_endpoint).toBe(`${ROOT}/worlds/one/oauth2/token`)
    expect((await call(sandbox, tokens.access_token, '/worlds/one/v1/notes')).status).toBe(200)
    expect((await call(sandbox, tokens.access_token)).status).toBe(401)
  })
})

describe('about a token', () => {
  it('introspection tells what a service may know, and of one that does not work only that', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox)
    const asked = { client_id: 'web', token: access_token }

    const active = await (await post(sandbox, '/oauth/introspect', asked)).json()
    sandbox.clock.advance('1h')
    const ended = await (await post(sandbox, '/oauth/introspect', asked)).json()

    expect(active).toMatchObject({ active: true, sub: '1', client_id: 'web', token_type: 'Bearer' })
    expect(ended).toEqual({ active: false })
  })

  it('userinfo tells the claims of its scopes', async () => {
    const sandbox = await openNotes()
    const [user] = await sandbox.signIn.users()
    const { access_token } = await tokensFor(sandbox)

    const response = await call(sandbox, access_token, '/oauth/userinfo')

    expect(await response.json()).toEqual({ sub: '1', name: user?.name })
  })

  it('userinfo refuses one that has ended', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox)
    sandbox.clock.advance('1h')

    const response = await call(sandbox, access_token, '/oauth/userinfo')

    expect(await errorOf(response)).toEqual([401, 'invalid_token'])
  })

  it('revocation of an access token leaves the refresh token', async () => {
    const sandbox = await openNotes()
    const { access_token, refresh_token } = await tokensFor(sandbox)

    const response = await post(sandbox, '/oauth/revoke', { client_id: 'web', token: access_token })

    expect(response.status).toBe(200)
    expect((await call(sandbox, access_token)).status).toBe(401)
    expect((await refresh(sandbox, refresh_token)).status).toBe(200)
  })

  it('revocation by another client is refused, and of an unknown token it is done', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox)

    const other = await post(sandbox, '/oauth/revoke', { client_id: 'other', token: access_token })
    const unknown = await post(sandbox, '/oauth/revoke', { client_id: 'web', token: 'x' })

    expect(await errorOf(other)).toEqual([400, 'invalid_grant'])
    expect(unknown.status).toBe(200)
  })

  it('logout ends it, and leads to an address of the client only', async () => {
    const sandbox = await openNotes()
    const { access_token, id_token } = await tokensFor(sandbox)
    const query = (target: string): string =>
      `/oauth/logout?${new URLSearchParams({ id_token_hint: id_token ?? '', post_logout_redirect_uri: target, state: 's' })}`

    const foreign = await get(sandbox, query('https://evil.example/'))
    const own = await get(sandbox, query('http://localhost:3000/bye'))

    expect(foreign.status).toBe(400)
    expect(foreign.headers.get('location')).toBeNull()
    expect(own.headers.get('location')).toBe('http://localhost:3000/bye?state=s')
    expect((await call(sandbox, access_token)).status).toBe(401)
  })
})

describe('logout by an ID token', () => {
  const claims = { sub: '1', aud: 'web' }
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('that the sandbox did not sign ends nothing', async () => {
    const sandbox = await openNotes()
    const { access_token, id_token = '' } = await tokensFor(sandbox)
    const [header = '', , signature = ''] = id_token.split('.')

    for (const forged of [
      `${part({ alg: 'none' })}.${part(claims)}.x`,
      `${header}.${part(claims)}.${signature}`,
      'no token',
    ])
      await get(sandbox, `/oauth/logout?${new URLSearchParams({ id_token_hint: forged })}`)

    expect((await call(sandbox, access_token)).status).toBe(200)
  })

  it('that has expired, or whose key was replaced, ends what it belongs to', async () => {
    const sandbox = await openNotes()
    const { access_token, refresh_token, id_token = '' } = await tokensFor(sandbox)
    sandbox.force('rotated-keys', { times: 1 })
    await get(sandbox, '/oauth/jwks')
    sandbox.clock.advance('2h')

    await get(sandbox, `/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`)

    expect((await call(sandbox, access_token)).status).toBe(401)
    expect(await errorOf(await refresh(sandbox, refresh_token))).toEqual([400, 'invalid_grant'])
  })
})

describe('forced outcomes', () => {
  it.each([
    ['access-denied', 'access_denied'],
    ['temporarily-unavailable', 'temporarily_unavailable'],
  ] as const)('%s comes back from the page', async (outcome, error) => {
    const sandbox = await openNotes({ signIn: { auto: true } })
    sandbox.force(outcome, { times: 1 })

    const first = await get(sandbox, `/oauth2/authorize?${query()}`)
    const second = await get(sandbox, `/oauth2/authorize?${query()}`)

    expect(first.headers.get('location')).toContain(`error=${error}`)
    expect(second.headers.get('location')).toContain('code=')
  })

  it('wrong-state comes back from the page', async () => {
    const sandbox = await openNotes({ signIn: { auto: true } })
    sandbox.force('wrong-state')

    const response = await get(sandbox, `/oauth2/authorize?${query()}`)

    expect(new URL(response.headers.get('location') ?? '').searchParams.get('state')).not.toBe(
      'xyz',
    )
  })

  it('invalid-grant and temporarily-unavailable come from the token endpoint', async () => {
    const sandbox = await openNotes()
    const code = await codeFor(sandbox)
    sandbox.force('invalid-grant', { times: 1 })
    const refused = await exchange(sandbox, code)
    sandbox.force('temporarily-unavailable', { times: 1 })
    const unavailable = await exchange(sandbox, code)

    expect(await errorOf(refused)).toEqual([400, 'invalid_grant'])
    expect(unavailable.headers.get('retry-after')).toBe('30')
    expect(await errorOf(unavailable)).toEqual([503, 'temporarily_unavailable'])
    expect((await exchange(sandbox, code)).status).toBe(200)
  })

  it('expired-token issues a token that has ended', async () => {
    const sandbox = await openNotes()
    sandbox.force('expired-token', { times: 1 })

    const { access_token, refresh_token } = await tokensFor(sandbox)

    expect((await call(sandbox, access_token)).status).toBe(401)
    expect((await refresh(sandbox, refresh_token)).status).toBe(200)
  })

  it('rotated-keys changes the key set', async () => {
    const sandbox = await openNotes()
    const before = await (await get(sandbox, '/oauth/jwks')).json()
    sandbox.force('rotated-keys', { times: 1 })
    const after = await (await get(sandbox, '/oauth/jwks')).json()
    const later = await (await get(sandbox, '/oauth/jwks')).json()

    expect(after.keys[0].kid).not.toBe(before.keys[0].kid)
    expect(later).toEqual(after)
  })

  it('the first key is made once, also for two requests at the same time', async () => {
    const sandbox = await openNotes({ signIn: { key: undefined } })

    const both = await Promise.all([get(sandbox, '/oauth/jwks'), get(sandbox, '/oauth/jwks')])
    const [one, other] = await Promise.all(both.map((response) => response.text()))

    expect(one).toBe(other)
  })

  it('clock-skew issues JWTs of the future', async () => {
    const sandbox = await openNotes()
    sandbox.force('clock-skew')

    const { iat = 0 } = decodeJwt((await tokensFor(sandbox)).id_token ?? '')

    expect(iat - Date.now() / 1000).toBeGreaterThan(500)
  })

  it('of the API are not forced on endpoints, unless a path names one', async () => {
    const sandbox = await openNotes()
    sandbox.force('unavailable')
    const free = await exchange(sandbox, await codeFor(sandbox))
    sandbox.force('unavailable', { path: '/oauth2/token' })
    const named = await exchange(sandbox, await codeFor(sandbox))

    expect(free.status).toBe(200)
    expect(named.status).toBe(503)
  })

  it('of endpoints are not forced on the API', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox)
    const rule = sandbox.force('invalid-grant', { times: 1 })

    expect((await call(sandbox, access_token)).status).toBe(200)
    expect(sandbox.forced().find(({ id }) => id === rule.id)?.matched).toBe(0)
  })
})

describe('a device', () => {
  const form = { client_id: 'tv', scope: 'notes:read' }
  const poll = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'tv' }

  it('gets tokens once, also by two requests at the same time', async () => {
    const sandbox = await openNotes()
    const started = await (await post(sandbox, '/oauth/device_authorization', form)).json()
    const { device_code, user_code } = started
    await post(sandbox, '/oauth/device', { user_code, user: '1', decision: 'allow' })

    const polls = await Promise.all(
      [1, 2, 3].map(() => post(sandbox, '/oauth2/token', { ...poll, device_code })),
    )

    expect(polls.map(({ status }) => status).sort()).toEqual([200, 400, 400])
  })

  it('gets tokens when its user has entered the code and allowed', async () => {
    const sandbox = await openNotes()
    const started = await (await post(sandbox, '/oauth/device_authorization', form)).json()
    const { device_code, user_code, verification_uri_complete } = started
    const pending = await post(sandbox, '/oauth2/token', { ...poll, device_code })
    const early = await post(sandbox, '/oauth2/token', { ...poll, device_code })

    const page = await sandbox.fetch(new Request(verification_uri_complete))
    await post(sandbox, '/oauth/device', { user_code, user: '2', decision: 'allow' })
    sandbox.clock.advance('10s')
    const response = await post(sandbox, '/oauth2/token', { ...poll, device_code })
    const again = await post(sandbox, '/oauth2/token', { ...poll, device_code })

    expect(user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
    expect(await errorOf(pending)).toEqual([400, 'authorization_pending'])
    expect(await errorOf(early)).toEqual([400, 'slow_down'])
    expect(await page.text()).toContain('<strong>tv</strong> asks for')
    expect(await response.json()).toMatchObject({ scope: 'notes:read' })
    expect(await errorOf(again)).toEqual([400, 'invalid_grant'])
    // Asking again is what a device has to do.
    const { findings } = await sandbox.report()
    expect(findings.map(({ rule }) => rule)).not.toContain('repeated-invalid')
  })

  it('is refused when its user denies, and when the code has ended', async () => {
    const sandbox = await openNotes()
    const one = await (await post(sandbox, '/oauth/device_authorization', form)).json()
    const two = await (await post(sandbox, '/oauth/device_authorization', form)).json()
    await post(sandbox, '/oauth/device', { user_code: one.user_code, decision: 'deny' })
    const denied = await post(sandbox, '/oauth2/token', { ...poll, device_code: one.device_code })
    sandbox.clock.advance('15m')
    const ended = await post(sandbox, '/oauth2/token', { ...poll, device_code: two.device_code })
    const page = await get(sandbox, `/oauth/device?user_code=${two.user_code}`)

    expect(await errorOf(denied)).toEqual([400, 'access_denied'])
    expect(await errorOf(ended)).toEqual([400, 'expired_token'])
    expect(page.status).toBe(400)
  })
})

describe('in a sandbox with issued tokens', () => {
  it('the report tells what a client should not do', async () => {
    const sandbox = await openNotes()
    const code = await codeFor(sandbox, '1', {
      code_challenge: '',
      scope: 'notes:read notes:write',
    })
    const secret = { client_secret: 's', code_verifier: '' }
    const { access_token, refresh_token } = await (await exchange(sandbox, code, secret)).json()
    await call(sandbox, access_token)
    await refresh(sandbox, refresh_token, { client_secret: 's' })
    await refresh(sandbox, refresh_token, { client_secret: 's' })
    await exchange(sandbox, code, secret)
    await post(sandbox, '/oauth2/token?client_secret=s', { grant_type: 'client_credentials' })
    sandbox.clock.advance('1h')
    await call(sandbox, (await sandbox.signIn.as('1')).access_token)

    const { findings } = await sandbox.report()

    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([
      ['secret-in-url', 'error'],
      ['code-reused', 'error'],
      ['refresh-token-reused', 'error'],
      ['no-pkce', 'warning'],
      ['unused-scopes', 'note'],
    ])
    expect(findings.at(-1)?.message).toContain('notes:write')
  })

  it('a token that is used after its end is a finding, and no wrong key', async () => {
    const sandbox = await openNotes()
    const { access_token } = await tokensFor(sandbox)
    sandbox.clock.advance('1h')
    await call(sandbox, access_token)

    const { findings } = await sandbox.report()

    expect(findings.map(({ rule }) => rule)).toEqual(['token-after-end'])
  })

  it('tests sign in without a page', async () => {
    const sandbox = await openNotes()
    const [, user] = await sandbox.signIn.users()

    const { access_token } = await sandbox.signIn.as(user?.email, { scopes: ['notes:read'] })
    const [refreshToken, accessToken] = await sandbox.signIn.tokens()
    await sandbox.signIn.revoke(access_token)

    expect([refreshToken?.kind, accessToken?.kind].sort()).toEqual(['access', 'refresh'])
    expect(accessToken).toMatchObject({ user: '2', client: 'sandbox', state: 'valid' })
    expect((await call(sandbox, access_token)).status).toBe(401)
    await expect(sandbox.signIn.as('nobody')).rejects.toMatchObject({ code: 'unknown_user' })
    await expect(sandbox.signIn.as('1', { scopes: ['x'] })).rejects.toMatchObject({
      code: 'unknown_scope',
    })
    await expect(sandbox.signIn.as('1', { plan: 'x' })).rejects.toMatchObject({
      code: 'unknown_plan',
    })
  })

  it('a document without sign-in issues nothing', async () => {
    const sandbox = createSandbox({ contract: await loadContract('src/testing/library.yaml') })

    await expect(sandbox.signIn.as()).rejects.toMatchObject({ code: 'no_sign_in' })
    expect(await sandbox.signIn.users()).toEqual([])
    expect((await get(sandbox, '/oauth/token')).status).toBe(404)
    expect((await get(sandbox, '/.well-known/openid-configuration')).status).toBe(404)
  })
})

function query(): URLSearchParams {
  return new URLSearchParams({
    response_type: 'code',
    client_id: 'web',
    redirect_uri: 'http://localhost:3000/callback',
    state: 'xyz',
    code_challenge: 'c'.repeat(43),
  })
}

import { describe, expect, it } from 'vitest'
import {
  authorize,
  call,
  codeFor,
  errorOf,
  exchange,
  get,
  openNotes,
  post,
  refresh,
  tokensFor,
} from '../testing/sign-in.ts'

const BASIC = { authorization: `Basic ${btoa('service:s3cret')}` }

describe('a code', () => {
  it('gives an access token, a refresh token and an ID token, which must not be cached', async () => {
    const sandbox = await openNotes()

    const response = await exchange(sandbox, await codeFor(sandbox))
    const tokens = await response.json()

    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^sbx_at_\w{36}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile notes:read',
      refresh_token: expect.stringMatching(/^sbx_rt_\w{36}$/),
      id_token: expect.stringMatching(/^eyJ/),
    })
    expect((await call(sandbox, tokens.access_token)).status).toBe(200)
  })

  it('revokes what it gave when it is used twice', async () => {
    const sandbox = await openNotes()
    const code = await codeFor(sandbox)
    const { access_token } = await (await exchange(sandbox, code)).json()

    const again = await exchange(sandbox, code)

    expect(await errorOf(again)).toEqual([400, 'invalid_grant'])
    expect((await call(sandbox, access_token)).status).toBe(401)
    const { notes } = sandbox.journal.exchanges.at(-2) ?? {}
    expect(notes).toEqual([{ kind: 'sign-in', place: 'code-reused' }])
  })

  it('is used by one of two requests at the same time', async () => {
    const sandbox = await openNotes()
    const code = await codeFor(sandbox)

    const both = await Promise.all([exchange(sandbox, code), exchange(sandbox, code)])

    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it.each([
    ['another verifier', { code_verifier: 'w'.repeat(64) }],
    ['no verifier', { code_verifier: '' }],
    ['another client', { client_id: 'other' }],
    ['another redirect', { redirect_uri: 'http://localhost:3000/other' }],
  ])('is refused with %s', async (_, changes) => {
    const sandbox = await openNotes()

    const response = await exchange(sandbox, await codeFor(sandbox), changes)

    expect(await errorOf(response)).toEqual([400, 'invalid_grant'])
  })

  it('ends on the clock of the sandbox', async () => {
    const sandbox = await openNotes()
    const code = await codeFor(sandbox)

    sandbox.clock.advance('10m')

    expect(await errorOf(await exchange(sandbox, code))).toEqual([400, 'invalid_grant'])
  })

  it('of a client without a secret needs PKCE', async () => {
    const sandbox = await openNotes()
    const code = await codeFor(sandbox, '1', { code_challenge: '' })

    const response = await exchange(sandbox, code, { code_verifier: '' })

    expect(await errorOf(response)).toEqual([400, 'invalid_grant'])
  })

  it('that was never issued is counted', async () => {
    const sandbox = await openNotes()

    await exchange(sandbox, 'sbx_ac_guess1')
    await exchange(sandbox, 'sbx_ac_guess2')

    expect(await sandbox.signIn.info()).toMatchObject({ wrongCodes: 2 })
  })
})

describe('a refresh token', () => {
  it('gives another pair, and keeps the access token that was issued before', async () => {
    const sandbox = await openNotes()
    const first = await tokensFor(sandbox)

    const second = await (await refresh(sandbox, first.refresh_token)).json()

    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect((await call(sandbox, second.access_token)).status).toBe(200)
    expect((await call(sandbox, first.access_token)).status).toBe(200)
  })

  it('that was rotated revokes all tokens of the grant', async () => {
    const sandbox = await openNotes()
    const first = await tokensFor(sandbox)
    const second = await (await refresh(sandbox, first.refresh_token)).json()

    const again = await refresh(sandbox, first.refresh_token)

    expect(await errorOf(again)).toEqual([400, 'invalid_grant'])
    expect((await call(sandbox, second.access_token)).status).toBe(401)
    expect(await errorOf(await refresh(sandbox, second.refresh_token))).toEqual([
      400,
      'invalid_grant',
    ])
  })

  it('can ask for fewer scopes, and for no others', async () => {
    const sandbox = await openNotes()
    const { refresh_token } = await tokensFor(sandbox)

    const other = await refresh(sandbox, refresh_token, { scope: 'notes:write' })
    const fewer = await refresh(sandbox, refresh_token, { scope: 'notes:read' })

    expect(await errorOf(other)).toEqual([400, 'invalid_scope'])
    expect(await fewer.json()).toMatchObject({ scope: 'notes:read' })
  })

  it('belongs to its client', async () => {
    const sandbox = await openNotes()
    const { refresh_token } = await tokensFor(sandbox)

    const response = await refresh(sandbox, refresh_token, { client_id: 'other' })

    expect(await errorOf(response)).toEqual([400, 'invalid_grant'])
  })
})

describe('client credentials', () => {
  it('give a client a token without a user and without a refresh token', async () => {
    const sandbox = await openNotes()

    const response = await post(
      sandbox,
      '/oauth2/token',
      { grant_type: 'client_credentials' },
      BASIC,
    )
    const tokens = await response.json()

    expect(tokens).toMatchObject({ scope: 'notes:read notes:write' })
    expect(tokens).not.toHaveProperty('refresh_token')
    expect((await call(sandbox, tokens.access_token)).status).toBe(200)
  })

  it('are refused without a secret', async () => {
    const sandbox = await openNotes()

    const form = { grant_type: 'client_credentials', client_id: 'web' }
    const response = await post(sandbox, '/oauth2/token', form)

    expect(await errorOf(response)).toEqual([400, 'unauthorized_client'])
  })

  it.each([
    ['all of its flow, when it asks for none', {}, [200, 'notes:read notes:write']],
    ['none that only another flow has', { scope: 'notes:share' }, [400, 'invalid_scope']],
  ])('have scopes: %s', async (_, asked, expected) => {
    const sandbox = await openNotes()
    const form = { grant_type: 'client_credentials', client_id: 'job', client_secret: 's' }
    const response = await post(sandbox, '/oauth2/token', { ...form, ...asked })

    const { scope, error } = await response.json()
    expect([response.status, scope ?? error]).toEqual(expected)
  })
})

describe('a registered client', () => {
  const clients = {
    service: { secret: 's3cret' },
    web: { redirects: ['http://localhost/callback'] },
  }

  it.each([
    ['an unknown client', { client_id: 'other', client_secret: 'x' }, {}],
    ['a wrong secret', { client_id: 'service', client_secret: 'wrong' }, {}],
    ['no secret', { client_id: 'service' }, {}],
    ['no client', {}, {}],
  ])('is refused as %s', async (_, changes, headers) => {
    const sandbox = await openNotes({ signIn: { clients } })

    const form = { grant_type: 'client_credentials', ...changes }
    const response = await post(sandbox, '/oauth2/token', form, headers)

    expect(await errorOf(response)).toEqual([401, 'invalid_client'])
  })

  it('that uses Basic authentication gets its challenge', async () => {
    const sandbox = await openNotes({ signIn: { clients } })

    const headers = { authorization: `Basic ${btoa('service:wrong')}` }
    const response = await post(
      sandbox,
      '/oauth2/token',
      { grant_type: 'client_credentials' },
      headers,
    )

    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="token endpoint"/)
  })

  it('that is public must use PKCE', async () => {
    const sandbox = await openNotes({ signIn: { clients } })

    const response = await authorize(sandbox, { code_challenge: '' })

    expect(response.headers.get('location')).toContain('error=invalid_request')
  })
})

describe('a token request', () => {
  it.each([
    ['without a grant type', 'client_id=web', 'invalid_request'],
    ['with an unknown grant type', 'grant_type=magic', 'unsupported_grant_type'],
    ['with the name of an inherited member', 'grant_type=constructor', 'unsupported_grant_type'],
    ['with a repeated parameter', 'grant_type=a&grant_type=b', 'invalid_request'],
    ['with an oversized parameter', `grant_type=${'x'.repeat(9000)}`, 'invalid_request'],
    ['with an oversized body', `grant_type=a&x=${'x'.repeat(70_000)}`, 'invalid_request'],
    [
      'with a password, where the document has no such flow',
      'grant_type=password&client_id=web',
      'unsupported_grant_type',
    ],
  ])('%s is refused', async (_, body, error) => {
    const sandbox = await openNotes()

    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = new Request('http://localhost:4010/oauth2/token', {
      method: 'POST',
      body,
      headers,
    })
    const response = await sandbox.fetch(request)

    expect(await errorOf(response)).toEqual([400, error])
  })

  it('with its secrets in the URL is refused', async () => {
    const sandbox = await openNotes()

    const path = '/oauth2/token?client_secret=s3cret'
    const response = await post(sandbox, path, {
      grant_type: 'client_credentials',
      client_id: 'web',
    })

    expect(await errorOf(response)).toEqual([400, 'invalid_request'])
    expect(JSON.stringify(sandbox.journal.exchanges)).not.toContain('s3cret')
  })

  it('takes POST only', async () => {
    const sandbox = await openNotes()

    const response = await get(sandbox, '/oauth2/token')

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST, OPTIONS')
  })

  it('may come from a page of another origin', async () => {
    const sandbox = await openNotes()
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' }

    const request = new Request('http://localhost:4010/oauth2/token', {
      method: 'OPTIONS',
      headers,
    })
    const response = await sandbox.fetch(request)

    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:3000')
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
  })
})

import { describe, expect, it } from 'vitest'
import {
  AUTHORIZATION,
  answerOf,
  authorize,
  codeFor,
  get,
  openNotes,
  type Parameters,
  post,
  REDIRECT,
  ROOT,
  tokensFor,
} from '../testing/sign-in.ts'

describe('the page to sign in', () => {
  it('shows the users, the client, the scopes and where the browser goes', async () => {
    const sandbox = await openNotes()
    const [user] = await sandbox.signIn.users()

    const response = await authorize(sandbox)
    const text = await response.text()

    expect(response.status).toBe(200)
    expect(text).toContain(user?.name)
    expect(text).toContain('<strong>web</strong> asks for these scopes')
    expect(text).toContain('<code>notes:read</code> <span>Read notes.</span>')
    expect(text).toContain('http://localhost:3000')
    expect(text).not.toContain('<script')
  })

  it('loads nothing, is in no frame, tells no other page its address, and sends its form to the client only', async () => {
    const { headers } = await authorize(await openNotes())

    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(/style-src 'sha256-[\w+/]{43}='/)
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("form-action 'self' http://localhost:3000;")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('shows what a client sends as text', async () => {
    const sandbox = await openNotes()
    const hostile = '"><script>alert(1)</script>'

    const response = await authorize(sandbox, { client_id: hostile, state: hostile })

    expect(await response.text()).not.toContain('<script')
  })

  it('is shown again when no user is chosen', async () => {
    const sandbox = await openNotes()

    const response = await post(sandbox, '/oauth2/authorize', {
      ...AUTHORIZATION,
      decision: 'allow',
    })

    expect(response.status).toBe(400)
    expect(await response.text()).toContain('role="alert"')
  })

  it('cannot be sent by another site', async () => {
    const sandbox = await openNotes()
    const form = { ...AUTHORIZATION, user: '1', decision: 'allow' }

    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const response = await post(sandbox, '/oauth2/authorize', form, headers)

    expect(answerOf(response).get('error')).toBe('access_denied')
    expect(answerOf(response).has('code')).toBe(false)
  })

  it('gives the tokens the plan that is chosen', async () => {
    const plans = { free: { minute: 5, day: 50 }, pro: { minute: 50, day: 500 } }
    const sandbox = await openNotes({ plans })

    const { access_token } = await tokensFor(sandbox, '1', { plan: 'pro' })
    const response = await get(sandbox, '/v1/notes', { authorization: `Bearer ${access_token}` })

    expect(response.headers.get('x-ratelimit-limit')).toBe('50')
  })
})

describe('the answer', () => {
  it('has the code, the state and the issuer', async () => {
    const sandbox = await openNotes()

    const form = { ...AUTHORIZATION, user: '1', decision: 'allow' }
    const response = await post(sandbox, '/oauth2/authorize', form)

    expect(response.status).toBe(303)
    expect(Object.fromEntries(answerOf(response))).toEqual({
      code: expect.stringMatching(/^sbx_ac_/),
      state: 'xyz',
      iss: ROOT,
    })
  })

  it('of a user who denies is access_denied', async () => {
    const sandbox = await openNotes()

    const form = { ...AUTHORIZATION, user: '1', decision: 'deny' }
    const response = await post(sandbox, '/oauth2/authorize', form)

    expect(answerOf(response).get('error')).toBe('access_denied')
    expect(answerOf(response).get('state')).toBe('xyz')
  })

  it('is a form with response_mode=form_post, which needs no script', async () => {
    const sandbox = await openNotes()

    const form = { ...AUTHORIZATION, response_mode: 'form_post', user: '1', decision: 'allow' }
    const response = await post(sandbox, '/oauth2/authorize', form)
    const text = await response.text()

    expect(text).toContain(`<form method="post" action="${REDIRECT}">`)
    expect(text).toMatch(/name="code" value="sbx_ac_\w+"/)
    expect(text).toContain('Continue</button>')
    expect(response.headers.get('content-security-policy')).toMatch(/script-src 'sha256-/)
  })

  it.each<[string, Parameters, string]>([
    ['an unknown response type', { response_type: 'magic' }, 'unsupported_response_type'],
    [
      'the implicit flow, which the document does not have',
      { response_type: 'token' },
      'unsupported_response_type',
    ],
    ['no response type', { response_type: '' }, 'invalid_request'],
    ['an unknown scope', { scope: 'notes:read admin"' }, 'invalid_scope'],
    ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['an unknown method of the challenge', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['a request object', { request: 'eyJ' }, 'request_not_supported'],
    [
      'the address of a request object',
      { request_uri: 'https://a.example' },
      'request_uri_not_supported',
    ],
    ['an unknown prompt', { prompt: 'magic' }, 'invalid_request'],
    ['two prompts, one of them none', { prompt: 'none login' }, 'invalid_request'],
    ['an invalid age', { max_age: '-1' }, 'invalid_request'],
    ['an ID token without a nonce', { response_type: 'code id_token' }, 'invalid_request'],
  ])('to %s is an error at the client', async (_, changes, error) => {
    const response = await authorize(await openNotes(), changes)
    const location = new URL(response.headers.get('location') ?? '')
    const answered = new URLSearchParams(location.search || location.hash.slice(1))

    expect(response.status).toBe(303)
    expect(location.origin + location.pathname).toBe(REDIRECT)
    expect(answered.get('error')).toBe(error)
    expect(answered.get('state')).toBe('xyz')
  })
})

describe('nothing is sent to an address', () => {
  it.each<[string, Parameters]>([
    ['of another machine', { redirect_uri: 'https://evil.example/callback' }],
    ['that looks like this machine', { redirect_uri: 'http://localhost.evil.example/' }],
    [
      'with a user that looks like this machine',
      { redirect_uri: 'http://localhost@evil.example/' },
    ],
    ['with a script', { redirect_uri: 'javascript:alert(1)' }],
    ['with a fragment', { redirect_uri: 'http://localhost:3000/#x' }],
    ['that is relative', { redirect_uri: '/callback' }],
    ['that is missing', { redirect_uri: '' }],
  ])('%s', async (_, changes) => {
    const response = await authorize(await openNotes(), changes)

    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it.each([
    ['http://localhost:3000/callback', 200],
    // The port of an address of this machine may be another one (RFC 8252, section 7.3).
    ['http://localhost:5173/callback', 200],
    ['http://localhost:3000/other', 400],
    ['http://localhost:3000/callback/../other', 400],
    ['http://localhost:3000/callback?x=1', 400],
    ['https://app.example/callback', 200],
    ['https://app.example:8443/callback', 400],
    ['https://app.example/callback/', 400],
  ])('that is not registered: %s gets %i', async (redirect_uri, status) => {
    const redirects = ['http://localhost:3000/callback', 'https://app.example/callback']
    const sandbox = await openNotes({ signIn: { clients: { web: { redirects } } } })

    const response = await authorize(sandbox, { redirect_uri })

    expect(response.status).toBe(status)
    expect(response.headers.get('location')).toBeNull()
  })

  it('for an unknown client', async () => {
    const sandbox = await openNotes({ signIn: { clients: { web: { redirects: [REDIRECT] } } } })

    const response = await authorize(sandbox, { client_id: 'other' })

    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })

  it('for repeated parameters', async () => {
    const sandbox = await openNotes()
    const query = `${new URLSearchParams(AUTHORIZATION)}&redirect_uri=https://evil.example`

    const response = await get(sandbox, `/oauth2/authorize?${query}`)

    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })
})

describe('nobody sees the page', () => {
  it('with prompt=none and the name of a user', async () => {
    const sandbox = await openNotes()
    const [, second] = await sandbox.signIn.users()

    const response = await authorize(sandbox, { prompt: 'none', login_hint: second?.email ?? '' })

    expect(answerOf(response).get('code')).toMatch(/^sbx_ac_/)
  })

  it('with prompt=none in a browser that has signed in, until its sign-in is too old', async () => {
    const sandbox = await openNotes()
    const form = { ...AUTHORIZATION, user: '1', decision: 'allow' }
    const signedIn = await post(sandbox, '/oauth2/authorize', form)
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';')
    const query = new URLSearchParams({ ...AUTHORIZATION, prompt: 'none', max_age: '60' })

    const soon = await get(sandbox, `/oauth2/authorize?${query}`, { cookie })
    sandbox.clock.advance('61s')
    const late = await get(sandbox, `/oauth2/authorize?${query}`, { cookie })

    expect(answerOf(soon).get('code')).toMatch(/^sbx_ac_/)
    expect(answerOf(late).get('error')).toBe('login_required')
  })

  it('with the option auto', async () => {
    const sandbox = await openNotes({ signIn: { auto: true } })

    expect(answerOf(await authorize(sandbox)).get('code')).toMatch(/^sbx_ac_/)
  })

  it('but prompt=none without a user is login_required', async () => {
    const response = await authorize(await openNotes(), { prompt: 'none' })

    expect(answerOf(response).get('error')).toBe('login_required')
  })
})

describe('no code, token or secret is in the journal', () => {
  it('after a sign-in, a refresh and a logout', async () => {
    const sandbox = await openNotes()
    const code = await codeFor(sandbox)
    const tokens = await tokensFor(sandbox)
    await get(sandbox, `/oauth/logout?id_token_hint=${tokens.id_token}`)

    const journal = JSON.stringify(
      sandbox.journal.exchanges.map((one) => [one, one.request, one.response]),
    )

    expect(journal).toContain('/oauth2/token')
    for (const secret of [code, tokens.access_token, tokens.refresh_token, tokens.id_token]) {
      expect(secret).toBeTruthy()
      expect(journal).not.toContain(secret)
    }
    expect(JSON.stringify(await sandbox.journal.toHar())).not.toContain(tokens.refresh_token)
  })

  it.each(['opaque', 'jwt'] as const)(
    'wherever a request to the API has them (%s)',
    async (form) => {
      const sandbox = await openNotes({ signIn: { tokens: form } })
      const code = await codeFor(sandbox)
      const { access_token, refresh_token } = await tokensFor(sandbox)
      const referer = `http://localhost:3000/callback?code=${code}`
      const query = new URLSearchParams({ code, access_token })
      await get(sandbox, `/v1/notes?${query}`, { referer })
      await get(sandbox, `/v1/nothing?${query}`, { 'X-Note': access_token })
      await sandbox.fetch(
        new Request(`${ROOT}/v1/notes`, {
          method: 'POST',
          headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
          body: JSON.stringify({ text: refresh_token }),
        }),
      )

      const journal = JSON.stringify([
        sandbox.journal.exchanges.map((one) => [one, one.request, one.response]),
        await sandbox.journal.toHar(),
      ])

      expect(journal).toContain(`code=…${code.slice(-4)}`)
      for (const secret of [code, access_token, refresh_token])
        expect(journal).not.toContain(secret)
    },
  )
})

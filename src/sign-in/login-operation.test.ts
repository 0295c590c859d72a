import { describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { errorOf, get, post, ROOT } from '../testing/sign-in.ts'

async function openLogins(): Promise<Sandbox> {
  return createSandbox({ contract: await loadContract('src/testing/logins.yaml') })
}

async function logIn(sandbox: Sandbox, email: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email, password: 'correct horse' })
  return sandbox.fetch(new Request(`${ROOT}/api/auth/login`, { method: 'POST', headers, body }))
}

describe('a login operation', () => {
  it('answers in its documented form, with a token of the user who is named', async () => {
    const sandbox = await openLogins()
    const [, , third] = await sandbox.signIn.users()

    const { data } = await (await logIn(sandbox, third?.email ?? '')).json()
    const me = await get(sandbox, '/api/people/me', { authorization: `Bearer ${data.accessToken}` })

    expect(data).toMatchObject({
      accessToken: expect.stringMatching(/^sbx_at_/),
      refreshToken: expect.stringMatching(/^sbx_rt_/),
      expiresIn: 3600,
    })
    expect(await me.json()).toMatchObject({ email: third?.email })
  })

  it('issues a token that ends on the clock, and at a logout', async () => {
    const sandbox = await openLogins()
    sandbox.clock.freeze()
    const { data: first } = await (await logIn(sandbox, 'a@example.com')).json()
    const { data: second } = await (await logIn(sandbox, 'a@example.com')).json()
    const as = ({ accessToken }: { readonly accessToken: string }) => ({
      authorization: `Bearer ${accessToken}`,
    })

    const left = await post(sandbox, '/api/auth/logout', {}, as(first))
    const after = await get(sandbox, '/api/people', as(first))
    const other = await get(sandbox, '/api/people', as(second))
    sandbox.clock.advance('1h')
    const late = await get(sandbox, '/api/people', as(second))

    expect([left, after, other, late].map(({ status }) => status)).toEqual([204, 401, 200, 401])
  })

  it('sets the cookie of the document, which signs its user in', async () => {
    const sandbox = await openLogins()
    const [first] = await sandbox.signIn.users()

    const response = await post(sandbox, '/api/session/login', {
      username: first?.name ?? '',
      password: 'x',
    })
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';')
    const me = await get(sandbox, '/api/people/me', { cookie })

    expect(response.status).toBe(204)
    expect(cookie).toMatch(/^sid=sbx_at_/)
    expect(await me.json()).toMatchObject({ name: first?.name })
  })

  it('leaves no password and no token in the journal', async () => {
    const sandbox = await openLogins()
    const { data } = await (await logIn(sandbox, 'a@example.com')).json()

    const [exchange] = sandbox.journal.exchanges
    const journal = JSON.stringify([exchange, exchange?.request, exchange?.response])

    expect(journal).toContain('a@example.com')
    expect(journal).not.toContain('correct horse')
    expect(journal).not.toContain(data.accessToken)
  })
})

describe('an operation that is the token endpoint', () => {
  it('answers with tokens in its documented status and form', async () => {
    const sandbox = await openLogins()

    const form = { grant_type: 'client_credentials', client_id: 'service', client_secret: 's' }
    const response = await post(sandbox, '/api/oauth/token', form)
    const body = await response.json()

    expect(response.status).toBe(201)
    expect(body).toMatchObject({
      access_token: expect.stringMatching(/^sbx_at_/),
      token_type: 'Bearer',
    })
    expect(body.account_id).toEqual(expect.any(Number))
  })

  it('refuses requests in the form of OAuth, and has the password flow of the document', async () => {
    const sandbox = await openLogins()

    const password = { grant_type: 'password', client_id: 'web', username: 'ada', password: 'x' }
    const issued = await post(sandbox, '/api/oauth/token', password)
    const refused = await post(sandbox, '/api/oauth/token', { ...password, password: '' })

    expect(issued.status).toBe(201)
    expect(await errorOf(refused)).toEqual([400, 'invalid_request'])
  })

  it('is in the metadata of the issuer, and is not repeated beside the API', async () => {
    const sandbox = await openLogins()

    const metadata = await get(sandbox, '/.well-known/oauth-authorization-server')
    const other = await get(sandbox, '/oauth/token')

    expect(await metadata.json()).toMatchObject({ token_endpoint: `${ROOT}/api/oauth/token` })
    expect(other.status).toBe(404)
  })
})

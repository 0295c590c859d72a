import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it } from 'vitest'
import { toHandlers } from '../msw.ts'
import { AUTHORIZATION, openNotes, REDIRECT, VERIFIER } from '../testing/sign-in.ts'

const server = setupServer()

afterEach(() => server.close())

async function listen(baseUrl?: string): Promise<void> {
  const sandbox = await openNotes({ signIn: { auto: true } })
  server.resetHandlers(...toHandlers(sandbox, baseUrl === undefined ? {} : { baseUrl }))
  server.listen({ onUnhandledRequest: 'error' })
}

describe('handlers of MSW answer', () => {
  it.each([undefined, 'https://api.notes.test/v1'])(
    'the addresses of the document, with a redirect as a response: %s',
    async (baseUrl) => {
      await listen(baseUrl)
      const query = new URLSearchParams(AUTHORIZATION)

      const page = await fetch(`https://login.notes.test/oauth2/authorize?${query}`, {
        redirect: 'manual',
      })
      const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? ''
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'web',
        redirect_uri: REDIRECT,
        code,
        code_verifier: VERIFIER,
      })
      const response = await fetch('https://login.notes.test/oauth2/token', {
        method: 'POST',
        body,
      })
      const { access_token } = await response.json()
      const headers = { authorization: `Bearer ${access_token}` }
      const me = await fetch('https://api.notes.test/v1/me', { headers })

      expect(page.status).toBe(303)
      expect(await me.json()).toMatchObject({ id: 1 })
    },
  )

  it('the metadata of the issuer, whose other endpoints are at its origin', async () => {
    await listen('https://api.notes.test/v1')

    const response = await fetch('https://login.notes.test/.well-known/openid-configuration')

    expect(await response.json()).toMatchObject({
      issuer: 'https://login.notes.test',
      token_endpoint: 'https://login.notes.test/oauth2/token',
      jwks_uri: 'https://login.notes.test/oauth/jwks',
    })
    const keys = await fetch('https://login.notes.test/oauth/jwks')
    expect(keys.status).toBe(200)
  })

  it('no other issuer', async () => {
    await listen('https://api.notes.test/v1')

    const request = fetch('https://accounts.example/.well-known/openid-configuration')

    await expect(request).rejects.toThrow()
  })
})

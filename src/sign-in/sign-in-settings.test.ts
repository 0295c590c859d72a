import { describe, expect, it } from 'vitest'
import { openNotes } from '../testing/sign-in.ts'
import { type SignInOptions, signInSettings } from './sign-in-settings.ts'

describe('options about sign-in', () => {
  it.each<[string, object]>([
    ['an unknown name', { client: {} }],
    ['an unknown field of a client', { clients: { web: { redirect: 'http://localhost' } } }],
    ['a redirect that is no URL', { clients: { web: { redirects: ['/callback'] } } }],
    ['a redirect with a fragment', { clients: { web: { redirects: ['http://localhost/#x'] } } }],
    ['a redirect that is a script', { clients: { web: { redirects: ['javascript:alert(1)'] } } }],
    ['an unknown form of tokens', { tokens: 'paseto' }],
    ['an invalid lifetime', { accessLifetime: 'long' }],
    ['a public key', { key: { kty: 'RSA', n: 'x', e: 'AQAB' } }],
  ])('with %s are refused', (_, options: SignInOptions) => {
    expect(() => signInSettings(options)).toThrow(/^Cannot /)
  })

  it('with a mistake refuse every sign-in', async () => {
    const sandbox = await openNotes({ signIn: { clients: { web: { redirects: ['x'] } } } })

    await expect(sandbox.signIn.as()).rejects.toMatchObject({ code: 'invalid_option' })
  })
})

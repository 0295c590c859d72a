import { describe, expect, it } from 'vitest'
import type { SignInDescription } from '../contract/sign-in.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'

const NOTHING = { responses: { 200: { description: 'Nothing.' } } }

/** What a document with a flow says about sign-in. */
async function signInOf(
  flow: object,
  {
    paths = {},
    servers = [{ url: 'https://api.test/v1' }],
  }: { readonly paths?: object; readonly servers?: object } = {},
): Promise<SignInDescription | undefined> {
  const contract = await loadDocumentOf(
    { '/things': { get: NOTHING }, ...paths },
    {
      servers,
      components: {
        securitySchemes: { oauth: { type: 'oauth2', flows: { authorizationCode: flow } } },
      },
    },
  )
  return contract.signIn
}

const scopes = {}

describe('the endpoints of a document', () => {
  it('keep the paths of its addresses, whatever the host', async () => {
    const signIn = await signInOf({
      authorizationUrl: 'https://login.test/oauth2/auth?tenant=x',
      tokenUrl: 'https://other.test/oauth2/token',
      refreshUrl: 'https://other.test/oauth2/refresh',
      scopes,
    })

    expect(signIn?.endpoints).toMatchObject({
      '/oauth2/auth': 'authorize',
      '/oauth2/token': 'token',
      '/oauth2/refresh': 'token',
      '/.well-known/openid-configuration': 'openid-configuration',
      '/oauth/jwks': 'jwks',
    })
    expect(signIn?.addresses).toContainEqual({
      url: 'https://login.test/oauth2/auth',
      path: '/oauth2/auth',
      endpoint: 'authorize',
    })
    expect(signIn?.paths).toMatchObject({ authorize: '/oauth2/auth', token: '/oauth2/token' })
  })

  it('of relative addresses are below the server of the document', async () => {
    const signIn = await signInOf({ authorizationUrl: 'auth', tokenUrl: '/token', scopes })

    expect(signIn?.paths).toMatchObject({ authorize: '/v1/auth', token: '/token' })
  })

  it.each([
    ['another operation', 'https://api.test/v1/things', {}],
    ['an operation with parameters', 'https://api.test/v1/a/b', { '/{x}/{y}': { get: NOTHING } }],
    ['the root', 'https://login.test/', {}],
    ['the control interface', 'https://login.test/__sandbox/token', {}],
    ['worlds', 'https://login.test/worlds/a/token', {}],
    ['the page to sign in', 'https://login.test/auth', {}],
  ])('are usual ones where %s is', async (_, tokenUrl, paths) => {
    const signIn = await signInOf(
      { authorizationUrl: 'https://login.test/auth', tokenUrl, scopes },
      { paths },
    )

    expect(signIn?.paths.token).toBe('/oauth/token')
    expect(signIn?.endpoints['/oauth/token']).toBe('token')
  })

  it('can be operations of the document', async () => {
    const signIn = await signInOf(
      {
        authorizationUrl: 'https://login.test/auth',
        tokenUrl: 'https://api.test/v1/token',
        scopes,
      },
      { paths: { '/token': { post: NOTHING } } },
    )

    expect(signIn?.paths.token).toBe('/v1/token')
    expect(Object.values(signIn?.endpoints ?? {})).not.toContain('token')
  })

  it('have the path of the issuer of OpenID Connect', async () => {
    const contract = await loadDocumentOf(
      {},
      {
        components: {
          securitySchemes: {
            oidc: {
              type: 'openIdConnect',
              openIdConnectUrl: 'https://id.test/realms/shop/.well-known/openid-configuration',
            },
          },
        },
      },
    )

    expect(contract.signIn?.issuerPath).toBe('/realms/shop')
    expect(contract.signIn?.endpoints).toMatchObject({
      '/realms/shop/.well-known/openid-configuration': 'openid-configuration',
      '/.well-known/oauth-authorization-server/realms/shop': 'authorization-server',
    })
  })

  it('are not there with invalid addresses and names of members that objects inherit', async () => {
    const signIn = await signInOf({ authorizationUrl: 'http://[', tokenUrl: 'ftp://a/b', scopes })

    expect(signIn?.paths).toMatchObject({ authorize: '/oauth/authorize', token: '/oauth/token' })
    expect(signIn?.addresses).toEqual([])
  })
})

describe('a document without OAuth 2 and OpenID Connect', () => {
  it('has no sign-in', async () => {
    const contract = await loadDocumentOf(
      { '/things': { get: NOTHING } },
      {
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      },
    )

    expect(contract.signIn).toBeUndefined()
    expect(contract.operations[0]).not.toHaveProperty('signIn')
  })
})

describe('the scopes of an operation', () => {
  it('are those of its schemes with tokens, for each alternative', async () => {
    const security = [{ oauth: ['a', 'b'] }, { key: ['role'] }, { oauth: ['c'], key: [] }]
    const contract = await loadDocumentOf(
      {
        '/things': { get: { ...NOTHING, security }, put: { ...NOTHING, security: [{ key: [] }] } },
      },
      {
        components: {
          securitySchemes: {
            oauth: { type: 'oauth2', flows: {} },
            key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          },
        },
      },
    )

    const [get, put] = contract.operations
    expect(get?.scopes).toEqual([['a', 'b'], [], ['c']])
    expect(put).not.toHaveProperty('scopes')
  })
})

import { OAuth2Client } from 'google-auth-library'
import { call, expire, print, REDIRECT, ROOT, signIn } from './steps.mjs'

const client = new OAuth2Client({
  clientId: 'web',
  clientSecret: 's3cret',
  redirectUri: REDIRECT,
  forceRefreshOnFailure: true,
  endpoints: {
    oauth2AuthBaseUrl: `${ROOT}/oauth2/authorize`,
    oauth2TokenUrl: `${ROOT}/oauth2/token`,
    oauth2RevokeUrl: `${ROOT}/oauth/revoke`,
  },
})
const { codeVerifier, codeChallenge } = await client.generateCodeVerifierAsync()
const address = client.generateAuthUrl({
  scope: 'openid notes:read',
  code_challenge: codeChallenge,
  code_challenge_method: 'S256',
})
const code = new URL(await signIn(address)).searchParams.get('code')
const { tokens } = await client.getToken({ code, codeVerifier })
client.setCredentials(tokens)
const served = await call(tokens.access_token)
await expire()
const expired = await call(tokens.access_token)
// The library refreshes by itself after a 401, because it was told so.
const { status } = await client.request({ url: `${ROOT}/v1/me`, retry: true })
const { access_token: next, refresh_token: last } = client.credentials
const refreshed = status === 200 ? await call(next) : String(status)
const body = new URLSearchParams({ client_id: 'web', client_secret: 's3cret', token: last })
await fetch(`${ROOT}/oauth/revoke`, { method: 'POST', body })

print(served, expired, refreshed, await call(next))

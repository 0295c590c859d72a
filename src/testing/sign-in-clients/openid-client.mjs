import * as client from 'openid-client'
import { call, expire, print, REDIRECT, ROOT, signIn } from './steps.mjs'

const options = { execute: [client.allowInsecureRequests] }
const config = await client.discovery(new URL(ROOT), 'web', undefined, client.None(), options)
const pkceCodeVerifier = client.randomPKCECodeVerifier()
const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
const address = client.buildAuthorizationUrl(config, {
  redirect_uri: REDIRECT,
  scope: 'openid profile notes:read',
  code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
  state: expectedState,
  nonce: expectedNonce,
})
const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 60 }
const back = new URL(await signIn(address))
const tokens = await client.authorizationCodeGrant(config, back, checks)
const { sub } = tokens.claims()
const served = await call(tokens.access_token)
const info = await client.fetchUserInfo(config, tokens.access_token, sub)
await expire()
const expired = await call(tokens.access_token)
const next = await client.refreshTokenGrant(config, tokens.refresh_token)
const refreshed = await call(next.access_token)
const introspected = await client.tokenIntrospection(config, next.access_token)
await client.tokenRevocation(config, next.refresh_token)
const revoked = await call(next.access_token)
const out = client.buildEndSessionUrl(config, {
  id_token_hint: tokens.id_token,
  post_logout_redirect_uri: 'http://localhost:3000/bye',
})
const { headers } = await fetch(out, { redirect: 'manual' })

print(served, expired, refreshed, revoked, {
  sub: info.sub,
  active: introspected.active,
  left: headers.get('location'),
})

import * as oauth from 'oauth4webapi'
import { call, expire, print, REDIRECT, ROOT, signIn } from './steps.mjs'

const insecure = { [oauth.allowInsecureRequests]: true }
const issuer = new URL(ROOT)
const found = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' })
const server = await oauth.processDiscoveryResponse(issuer, found)
const client = { client_id: 'web' }
const authentication = oauth.ClientSecretPost('s3cret')
const verifier = oauth.generateRandomCodeVerifier()
const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
const address = new URL(server.authorization_endpoint)
address.search = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: REDIRECT,
  scope: 'openid notes:read',
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
  nonce,
})
const back = oauth.validateAuthResponse(server, client, new URL(await signIn(address)), state)
const codeResponse = await oauth.authorizationCodeGrantRequest(
  ...[server, client, authentication, back, REDIRECT, verifier, insecure],
)
const expected = { expectedNonce: nonce, requireIdToken: true }
const tokens = await oauth.processAuthorizationCodeResponse(server, client, codeResponse, expected)
await oauth.validateApplicationLevelSignature(server, codeResponse, insecure)
const served = await call(tokens.access_token)
await expire()
const expired = await call(tokens.access_token)
const refreshResponse = await oauth.refreshTokenGrantRequest(
  ...[server, client, authentication, tokens.refresh_token, insecure],
)
const next = await oauth.processRefreshTokenResponse(server, client, refreshResponse)
const refreshed = await call(next.access_token)
const revocation = await oauth.revocationRequest(
  ...[server, client, authentication, next.refresh_token, insecure],
)
await oauth.processRevocationResponse(revocation)

print(served, expired, refreshed, await call(next.access_token))

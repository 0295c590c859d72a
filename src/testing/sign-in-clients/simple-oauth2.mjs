import { AuthorizationCode } from 'simple-oauth2'
import { call, expire, print, REDIRECT, ROOT, signIn } from './steps.mjs'

const client = new AuthorizationCode({
  client: { id: 'web', secret: 's3cret' },
  auth: {
    tokenHost: ROOT,
    tokenPath: '/oauth2/token',
    revokePath: '/oauth/revoke',
    authorizePath: '/oauth2/authorize',
  },
})
const address = client.authorizeURL({ redirect_uri: REDIRECT, scope: ['notes:read'], state: 'x' })
const code = new URL(await signIn(address)).searchParams.get('code')
const first = await client.getToken({ code, redirect_uri: REDIRECT })
const served = await call(first.token.access_token)
await expire()
const expired = await call(first.token.access_token)
const next = await first.refresh()
const refreshed = await call(next.token.access_token)
await next.revokeAll()

print(served, expired, refreshed, await call(next.token.access_token))

import Strategy from 'passport-oauth2'
import { call, expire, print, REDIRECT, ROOT, revoke, signIn } from './steps.mjs'

const options = {
  authorizationURL: `${ROOT}/oauth2/authorize`,
  tokenURL: `${ROOT}/oauth2/token`,
  clientID: 'web',
  clientSecret: 's3cret',
  callbackURL: REDIRECT,
  scope: ['notes:read'],
  state: true,
  pkce: true,
}
const strategy = new Strategy(options, (access, refresh, _profile, done) =>
  done(null, { access, refresh }),
)

/** What the strategy does with a request: it redirects the browser, or has a user. */
function authenticate(request) {
  return new Promise((resolve, reject) => {
    const own = Object.create(strategy)
    own.redirect = resolve
    own.success = resolve
    own.fail = (why) => reject(new Error(JSON.stringify(why)))
    own.error = reject
    own.authenticate(request, {})
  })
}

const session = {}
const address = await authenticate({ query: {}, session })
const back = new URL(await signIn(address))
const query = Object.fromEntries(back.searchParams)
const { access, refresh } = await authenticate({ query, session })
const served = await call(access)
await expire()
const expired = await call(access)
const next = await new Promise((resolve, reject) => {
  strategy._oauth2.getOAuthAccessToken(
    refresh,
    { grant_type: 'refresh_token' },
    (error, accessToken, refreshToken) =>
      error ? reject(new Error(error.data)) : resolve({ accessToken, refreshToken }),
  )
})
const refreshed = await call(next.accessToken)
await revoke(next.refreshToken, { client_id: 'web', client_secret: 's3cret' })

print(served, expired, refreshed, await call(next.accessToken))

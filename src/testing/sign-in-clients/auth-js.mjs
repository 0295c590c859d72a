import { handle } from './auth.js'
import { call, expire, print, signIn } from './steps.mjs'

/** The cookies of the browser. */
const cookies = new Map()

/** A request of the browser to the application. */
async function visit(path, init = {}) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const url = new URL(path, 'http://localhost:3000')
  const response = await handle(new Request(url, { ...init, headers }))
  for (const set of response.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
  return response
}

const { csrfToken } = await (await visit('/auth/csrf')).json()
const begun = await visit('/auth/signin/notes', {
  method: 'POST',
  body: new URLSearchParams({ csrfToken, callbackUrl: 'http://localhost:3000/' }),
})
const returned = await visit(await signIn(begun.headers.get('location')))
if (!/\/$/.test(returned.headers.get('location'))) throw new Error(returned.headers.get('location'))
const session = await (await visit('/auth/session')).json()
const served = await call(session.accessToken)
await expire()
const expired = await call(session.accessToken)
const next = await (await visit('/auth/session')).json()
const refreshed = await call(next.accessToken)
await visit('/auth/signout', { method: 'POST', body: new URLSearchParams({ csrfToken }) })
const left = await (await visit('/auth/session')).json()

print(served, expired, refreshed, await call(next.accessToken), { user: session.user.name, left })

// What each client of OAuth 2 or OpenID Connect does in its test, besides its own part: login, call, expiry, refresh, logout.

/** The address of the sandbox. */
export const ROOT = process.env.SANDBOX ?? ''
export const REDIRECT = 'http://localhost:3000/callback'

/** Signs in as the user 2 at the address of the page to sign in, and returns the address to which the browser comes back. */
export async function signIn(address) {
  const url = new URL(address)
  url.searchParams.set('prompt', 'none')
  url.searchParams.set('login_hint', '2')
  const response = await fetch(url, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (!location) throw new Error(`${url} got ${response.status}: ${await response.text()}`)

  return location
}

/** Calls the API with a token. */
export async function call(token) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${ROOT}/v1/me`, { headers })
  const body = await response.json()
  return response.ok ? `${response.status} user ${body.id}` : String(response.status)
}

/** Moves the clock of the sandbox to the end of every access token. */
export async function expire() {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: '{"advance":"1h"}' }
  const { status } = await fetch(`${ROOT}/__sandbox/clock`, init)
  if (status !== 200) throw new Error(`The clock got ${status}`)
}

/** Revokes a refresh token as its client does. */
export async function revoke(token, client) {
  const body = new URLSearchParams({ ...client, token })
  const { status } = await fetch(`${ROOT}/oauth/revoke`, { method: 'POST', body })
  if (status !== 200) throw new Error(`The revocation got ${status}`)
}

/** Prints what the calls got, for the test. */
export function print(...calls) {
  process.stdout.write(JSON.stringify(calls))
}

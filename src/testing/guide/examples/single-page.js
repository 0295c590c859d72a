const SERVICE = 'http://127.0.0.1:4010'
const client_id = 'notes-app'
const redirect_uri = location.origin + location.pathname

function base64url(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Leaves for the page to sign in. */
async function signIn() {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const state = base64url(crypto.getRandomValues(new Uint8Array(16)))
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state }))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const query = { response_type: 'code', client_id, redirect_uri, scope: 'notes:read', state }
  const pkce = { code_challenge: base64url(hash), code_challenge_method: 'S256' }
  location.assign(`${SERVICE}/authorize?${new URLSearchParams({ ...query, ...pkce })}`)
}

/** The access token of a user who came back; `undefined` for anybody else. */
async function finishSignIn() {
  const answer = new URLSearchParams(location.search)
  const { verifier, state } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  sessionStorage.removeItem('sign-in')
  if (!answer.has('code') || answer.get('state') !== state) return undefined
  history.replaceState(null, '', redirect_uri)
  const form = { grant_type: 'authorization_code', client_id, redirect_uri }
  const proof = { code: answer.get('code'), code_verifier: verifier }
  const body = new URLSearchParams({ ...form, ...proof })
  const response = await fetch(`${SERVICE}/token`, { method: 'POST', body })
  return response.ok ? (await response.json()).access_token : undefined
}

const token = await finishSignIn()
if (token === undefined) {
  document.body.innerHTML = '<button>Sign in</button>'
  document.querySelector('button').addEventListener('click', signIn)
} else {
  const headers = { Authorization: `Bearer ${token}` }
  const notes = await (await fetch(`${SERVICE}/v1/notes`, { headers })).json()
  document.body.innerHTML = `<p>${notes.length} notes</p>`
}

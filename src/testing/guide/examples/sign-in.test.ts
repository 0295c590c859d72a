import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { beforeEach, expect, test } from 'vitest'

const contract = await loadContract(join(import.meta.dirname, 'notes.yaml'))
const sandbox = createSandbox({ contract })

beforeEach(() => sandbox.reset())

/** The status of a request to the API with a token. */
async function list(token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await sandbox.fetch(new Request('http://localhost/v1/notes', { headers }))
  return response.status
}

/** A new pair of tokens for a refresh token. */
async function refresh(token: string): Promise<Response> {
  const form = { grant_type: 'refresh_token', client_id: 'web', refresh_token: token }
  const body = new URLSearchParams(form)
  return sandbox.fetch(new Request('http://localhost/token', { method: 'POST', body }))
}

test('a token ends after an hour, and a refresh gives another one', async () => {
  const first = await sandbox.signIn.as('ada@example.com', { client: 'web' })
  expect(await list(first.access_token)).toBe(200)

  sandbox.clock.advance('1h')
  expect(await list(first.access_token)).toBe(401)

  const second = await (await refresh(first.refresh_token ?? '')).json()
  expect(await list(second.access_token)).toBe(200)
})

test('who sends a refresh token twice loses all tokens', async () => {
  const { refresh_token = '' } = await sandbox.signIn.as('ada@example.com', { client: 'web' })
  const { access_token } = await (await refresh(refresh_token)).json()

  expect((await refresh(refresh_token)).status).toBe(400)
  expect(await list(access_token)).toBe(401)
})

test('a token without the scope is refused', async () => {
  const { access_token } = await sandbox.signIn.as(undefined, { scopes: ['notes:write'] })

  expect(await list(access_token)).toBe(403)
})

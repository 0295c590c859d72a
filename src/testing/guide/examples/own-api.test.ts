import { join } from 'node:path'
import { setupServer } from 'msw/node'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { strict, toHandlers } from 'pet-sandbox/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const contract = await loadContract(join(import.meta.dirname, 'parcels.yaml'))
const sandbox = createSandbox({ contract, plans: { trial: { minute: 3, day: 100 } } })
const server = setupServer(...toHandlers(sandbox))

beforeAll(() => server.listen(strict))
afterEach(() => sandbox.reset())
afterAll(() => server.close())

const address = 'https://api.example.com/v2/parcels'
const headers = { 'X-Api-Key': 'my-key', 'Content-Type': 'application/json' }

test('a parcel that was sent can be tracked', async () => {
  const body = JSON.stringify({ recipient: 'Ada', weight: 750 })

  const sent = await fetch(address, { method: 'POST', headers, body })
  const { id } = await sent.json()
  const tracked = await fetch(`${address}/${id}`, { headers })

  expect(sent.status).toBe(201)
  expect(await tracked.json()).toMatchObject({ recipient: 'Ada', status: 'announced' })
})

test('a client that waits for Retry-After is served again', async () => {
  for (const _ of [1, 2, 3]) await fetch(address, { headers })

  const refused = await fetch(address, { headers })
  sandbox.clock.advance(Number(refused.headers.get('Retry-After')) * 1000)
  const served = await fetch(address, { headers })

  expect(refused.status).toBe(429)
  expect(served.status).toBe(200)
})

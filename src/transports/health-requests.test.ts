import type { Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { createSandboxServer, type ServerExtras } from './server.ts'

const LIVE = '/__sandbox/health/live'
const READY = '/__sandbox/health/ready'
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function listen(sandbox = createSandbox(), extras?: ServerExtras): Promise<string> {
  const server = createSandboxServer(sandbox, extras)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

test.each([
  [LIVE, 'live'],
  [READY, 'ready'],
])(
  'a probe of %s gets a 200 without the control interface and without a token',
  async (path, status) => {
    const origin = await listen()

    const response = await fetch(origin + path, { headers: { 'X-Forwarded-For': '203.0.113.7' } })

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status })
    expect(response.headers.get('cache-control')).toBe('no-store')
  },
)

test.each([
  ['has the answer no', async () => false],
  ['fails', () => Promise.reject(new Error('secret'))],
])('a probe gets a 503 without details when the test of readiness %s', async (_how, isReady) => {
  const origin = await listen(createSandbox(), { isReady })

  const ready = await fetch(origin + READY)
  const live = await fetch(origin + LIVE)

  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({ status: 'unavailable' })
  expect(live.status).toBe(200)
})

test('a probe by HEAD gets the status without a body', async () => {
  const origin = await listen(createSandbox(), { isReady: async () => false })

  const response = await fetch(origin + READY, { method: 'HEAD' })

  expect(response.status).toBe(503)
  expect(await response.text()).toBe('')
})

test('probes are in no journal, and are not counted as requests that reached nothing', async () => {
  const sandbox = createSandbox()
  const unrouted: string[] = []
  const origin = await listen(sandbox, { onUnrouted: ({ target }) => unrouted.push(target) })

  await fetch(origin + LIVE)
  await fetch(origin + READY)

  expect(sandbox.journal.exchanges).toEqual([])
  expect(unrouted).toEqual([])
})

test.each([LIVE, READY])(
  'a probe of %s by another method gets a 405, whoever sends it',
  async (path) => {
    const origin = await listen()

    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'X-Forwarded-For': '203.0.113.7' },
    })

    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  },
)

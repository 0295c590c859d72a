import { once } from 'node:events'
import type { Server } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { createControl } from '../control/control.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { createSandboxServer, type ServerExtras } from './server.ts'

const FORWARDED = {
  'X-Forwarded-Host': 'shop.test',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Prefix': '/api',
}

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Starts a server, and returns its origin. */
async function serve(extras: ServerExtras): Promise<string> {
  const sandbox = createSandbox()
  const server = createSandboxServer(sandbox, { control: createControl(sandbox), ...extras })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()

  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

describe('links in responses of the server', () => {
  test.each<[string, ServerExtras, string]>([
    ['start with the address of the request', {}, 'ORIGIN'],
    ['start with the public URL', { publicUrl: 'https://a.test/b' }, 'https://a.test/b'],
    [
      'start with the address that a trusted proxy forwards',
      { trustProxy: ['loopback'] },
      'https://shop.test/api',
    ],
    ['ignore the headers of an untrusted proxy', { trustProxy: ['10.0.0.0/8'] }, 'ORIGIN'],
    [
      'start with the public URL also when a proxy is trusted',
      { publicUrl: 'https://a.test', trustProxy: ['loopback'] },
      'https://a.test',
    ],
  ])('%s', async (_what, extras, expected) => {
    const origin = await serve(extras)
    const base = expected.replace('ORIGIN', origin)
    const headers = { ...FORWARDED, Authorization: 'Bearer sk_sandbox_free' }
    const json = { ...headers, 'Content-Type': 'application/json' }
    const body = '{"name":"Fern","categoryId":1}'

    const listed = await fetch(`${origin}/v1/pets?limit=1`, { headers })
    const added = await fetch(`${origin}/worlds/one/v1/pets`, {
      method: 'POST',
      headers: json,
      body,
    })
    const outside = await fetch(`${origin}/v2`, { headers })

    expect(listed.headers.get('Link')).toContain(`<${base}/v1/pets?limit=1&cursor=`)
    expect(added.headers.get('Location')).toBe(`${base}/worlds/one/v1/pets/51`)
    expect(await outside.text()).toContain(`is at ${base}/v1.`)
  })
})

test('a request that a trusted proxy forwards does not count as a local request', async () => {
  const origin = await serve({ trustProxy: ['loopback'] })
  const reset = `${origin}/__sandbox/reset`

  const local = await fetch(reset, { method: 'POST' })
  const forwarded = await fetch(reset, {
    method: 'POST',
    headers: { 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Host': 'localhost' },
  })

  expect([local.status, forwarded.status]).toEqual([204, 401])
})

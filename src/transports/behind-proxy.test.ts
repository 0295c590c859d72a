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

/** The origin of a server. */
async function serve(extras: ServerExtras): Promise<string> {
  const sandbox = createSandbox()
  const server = createSandboxServer(sandbox, { control: createControl(sandbox), ...extras })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()

  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

describe('the links of a server', () => {
  test.each<[string, ServerExtras, string]>([
    ['start with the address of the request', {}, 'ORIGIN'],
    ['start with the public address', { publicUrl: 'https://a.test/b' }, 'https://a.test/b'],
    [
      'start with what a trusted proxy tells',
      { trustProxy: ['loopback'] },
      'https://shop.test/api',
    ],
    ['do not follow a proxy that is not trusted', { trustProxy: ['10.0.0.0/8'] }, 'ORIGIN'],
    [
      'start with the public address, though a proxy is trusted',
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
    const lost = await fetch(`${origin}/v2`, { headers })

    expect(listed.headers.get('Link')).toContain(`<${base}/v1/pets?limit=1&cursor=`)
    expect(added.headers.get('Location')).toBe(`${base}/worlds/one/v1/pets/51`)
    expect(await lost.text()).toContain(`is at ${base}/v1:`)
  })
})

test('a trusted proxy does not make who asks through it local', async () => {
  const origin = await serve({ trustProxy: ['loopback'] })
  const reset = `${origin}/__sandbox/reset`

  const near = await fetch(reset, { method: 'POST' })
  const forwarded = await fetch(reset, {
    method: 'POST',
    headers: { 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Host': 'localhost' },
  })

  expect([near.status, forwarded.status]).toEqual([204, 401])
})

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createDeliver, refuseDeliveriesTo } from './deliver.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listen(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, port }
}

function delivery(url: string): Request {
  return new Request(url, { method: 'POST', headers: { 'X-Test': 'a' }, body: '{"a":"ü"}' })
}

describe('what sends deliveries from a server', () => {
  it('sends the request as it is, and returns the response without following redirects', async () => {
    const { port } = await listen((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        response.writeHead(302, { Location: 'http://127.0.0.1:1/' })
        response.end(`${request.method} ${request.headers['x-test']} ${Buffer.concat(parts)}`)
      })
    })

    const response = await createDeliver({ allow: [] })(delivery(`http://localhost:${port}/hooks`))

    expect(response.status).toBe(302)
    expect(await response.text()).toBe('POST a {"a":"ü"}')
  })

  it('sends nothing to a name that leads to another machine', async () => {
    const deliver = createDeliver({ allow: [] })

    for (const host of ['0.0.0.0', '192.0.2.1', '[2001:db8::1]', '169.254.169.254'])
      await expect(deliver(delivery(`http://${host}:9/`))).rejects.toThrow('not to this machine')
  })

  it('sends nothing to a server of its own process, nor to a refused host', async () => {
    const { server, port } = await listen((_, response) => response.end())
    const deliver = createDeliver({ allow: [], refuse: ['localhost:6379'] })
    refuseDeliveriesTo(server)

    await expect(deliver(delivery(`http://127.0.0.1:${port}/`))).rejects.toThrow(
      'the sandbox itself',
    )
    await expect(deliver(delivery('http://localhost:6379/'))).rejects.toThrow('the sandbox itself')
  })
})

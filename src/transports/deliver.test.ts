import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
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

  it('sends nothing to a server of its own process by any address of this machine, also where it is allowed', async () => {
    const { server, port } = await listen((_, response) => response.end())
    const deliver = createDeliver({ allow: ['*'] })
    refuseDeliveriesTo(server)

    const interfaces = Object.values(networkInterfaces()).flatMap((one = []) => one)
    const named = interfaces.filter(({ family }) => family === 'IPv4')
    for (const host of [...THIS_MACHINE, ...named.map(({ address }) => address)])
      await expect(deliver(delivery(`http://${host}:${port}/`))).rejects.toThrow(
        'the sandbox itself',
      )
  })

  it.each(['localhost', '127.0.0.1', '::1'])(
    'sends nothing to a refused server at %s, however its address is written',
    async (host) => {
      const { port } = await listen((_, response) => response.end())
      const deliver = createDeliver({ allow: ['*'], refuse: [{ host, port }] })

      for (const other of ['localhost', ...THIS_MACHINE])
        await expect(deliver(delivery(`http://${other}:${port}/`))).rejects.toThrow(
          'the sandbox itself',
        )
      const { port: another } = await listen((_, response) => response.end())
      expect((await deliver(delivery(`http://127.0.0.1:${another}/`))).status).toBe(200)
    },
  )
})

/** Addresses that lead to this machine. */
const THIS_MACHINE = ['127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]']

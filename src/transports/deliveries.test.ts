import { Agent, createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { toExpress } from './express.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A sandbox in an Express app, and a function that sends a request over an agent's connections. */
async function serve() {
  const sandbox = createSandbox({ records: 3 })
  const server = createServer(express().use(toExpress(sandbox)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const get = (agent: Agent, headers: Readonly<Record<string, string>> = {}): Promise<void> =>
    new Promise((resolve, reject) => {
      const url = `http://127.0.0.1:${port}/v1/pets`
      send(url, { agent, headers }, (response) => response.resume().on('close', resolve))
        .on('error', reject)
        .end()
    })
  const agent = (): Agent => {
    const one = new Agent({ keepAlive: true, maxSockets: 1 })
    closers.push(() => one.destroy())
    return one
  }
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const deliveries = () => sandbox.journal.exchanges.map(({ delivery }) => delivery)

  return { sandbox, get, agent, deliveries }
}

test('exchanges have the number of their connection, and when it was opened for the first one', async () => {
  const { get, agent, deliveries } = await serve()
  const [one, other] = [agent(), agent()]
  const start = performance.timeOrigin + performance.now()
  await get(one)
  await get(other)
  await get(one)

  const [first, second, third] = deliveries()

  expect([first, second, third]).toMatchObject([
    { connection: 1 },
    { connection: 2 },
    { connection: 1 },
  ])
  expect(third).not.toHaveProperty('opened')
  const times = [start, first?.received, second?.opened, second?.received, third?.received]
  expect(times.toSorted((a = 0, b = 0) => a - b)).toEqual(times)
})

test.each(['Via', 'Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Sec-Fetch-Site'])(
  'a request with %s has no connection, because it came through a proxy or from a browser',
  async (name) => {
    const { get, agent, deliveries } = await serve()

    await get(agent(), { [name]: 'same-origin' })

    expect(deliveries()).toEqual([{ received: expect.any(Number) }])
  },
)

test('a request that is sent to the sandbox itself has no delivery, but one with a Host has', async () => {
  const { sandbox, deliveries } = await serve()
  const { url } = new Request('http://localhost/v1/pets')

  await sandbox.fetch(new Request(url))
  await sandbox.fetch(new Request(url, { headers: { Host: 'localhost' } }))

  expect(deliveries()).toEqual([undefined, { received: expect.any(Number) }])
})

test('an archive has the deliveries', async () => {
  const { sandbox, get, agent, deliveries } = await serve()
  await get(agent())

  const { log } = await sandbox.journal.toHar()

  expect(log.entries[0]).toMatchObject({ _delivery: deliveries()[0] })
})

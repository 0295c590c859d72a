import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { listen } from './listen.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

function open(): Server {
  const server = createServer((_request, response) => response.end('here'))
  servers.push(server)
  return server
}

test.each([
  ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['localhost', /^http:\/\/localhost:\d+$/],
  ['0.0.0.0', /^http:\/\/localhost:\d+$/],
])('returns an origin that responds, when it listens on %s', async (host, origin) => {
  const address = await listen(open(), host, 0)

  expect(address).toMatch(origin)
  expect(await (await fetch(address)).text()).toBe('here')
})

test('throws a UsageError for a port in use', async () => {
  const origin = await listen(open(), '127.0.0.1', 0)

  const listening = listen(open(), '127.0.0.1', Number(new URL(origin).port))

  await expect(listening).rejects.toMatchObject({ name: 'UsageError', code: 'cannot_listen' })
})

test('throws a UsageError for an unknown host', async () => {
  const listening = listen(open(), 'no-such-host.invalid', 0)

  await expect(listening).rejects.toMatchObject({ name: 'UsageError', code: 'cannot_listen' })
})

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
])('listening on %s gives an origin that answers', async (host, origin) => {
  const told = await listen(open(), host, 0)

  expect(told).toMatch(origin)
  expect(await (await fetch(told)).text()).toBe('here')
})

test('a port that is taken is a UsageError', async () => {
  const origin = await listen(open(), '127.0.0.1', 0)

  const listening = listen(open(), '127.0.0.1', Number(new URL(origin).port))

  await expect(listening).rejects.toMatchObject({ name: 'UsageError', code: 'cannot_listen' })
})

test('a host that there is not is a UsageError', async () => {
  const listening = listen(open(), 'no-such-host.invalid', 0)

  await expect(listening).rejects.toMatchObject({ name: 'UsageError', code: 'cannot_listen' })
})

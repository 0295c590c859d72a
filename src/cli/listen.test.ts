import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { runCommand, startCommand, stopCommands } from '../testing/command.ts'
import { EventReader } from '../testing/event-reader.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
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

const FREE = { Authorization: 'Bearer sk_sandbox_free' }

afterEach(stopCommands)
afterEach(stopServers)

test('with --drain, a server that got a signal is not ready and serves further requests, whose connections it closes', async () => {
  const sandbox = await startCommand(['--drain', '3s'])
  const get = (path: string): Promise<Response> =>
    fetch(new URL(path, sandbox.base), { headers: FREE })
  const events = await get('/__sandbox/journal/events')
  const before = await get('/v1/pets/1')

  const ended = sandbox.stop()
  await expect
    .poll(async () => (await get('/__sandbox/health/ready')).status, { timeout: 3000 })
    .toBe(503)
  const during = await get('/v1/pets/2')

  expect(before.headers.get('connection')).toBe('keep-alive')
  expect([during.status, during.headers.get('connection')]).toEqual([200, 'close'])
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
  expect(await events.text()).toMatch(/\/pets\/1"[\s\S]*\/pets\/2"/)
  await expect(get('/v1/pets')).rejects.toThrow('fetch failed')
})

test('a server that stops ends the streams of its API at once', async () => {
  const { base, stop } = await startCommand(['src/testing/streams.yaml'])
  const { headers, body } = await fetch(`${base}/orders/events`)
  const reader = new EventReader(body)
  await fetch(`${base}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"item":"book"}',
  })
  const [created] = await reader.events(1)

  const { code, stderr } = await stop()

  expect(headers.get('transfer-encoding')).toBe('chunked')
  expect(created).toMatchObject({ event: 'ORDER_CREATED', data: { order: { item: 'book' } } })
  expect(await reader.next()).toBeUndefined()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('a server that stops waits for no receiver of events, and sends none that are pending', async () => {
  const got: string[] = []
  const receiver = await serveHttp((request) => void got.push(request.url ?? ''))
  const { base, stop } = await startCommand([
    'src/testing/shop-events.yaml',
    `--webhook=${receiver.origin}/hooks`,
    '--webhook-timeout=10m',
  ])
  // So many that memory is freed meanwhile.
  for (let item = 0; item < 100; item++)
    await fetch(`${base}/orders/1`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ item: `book ${item}` }),
    })
  await expect.poll(() => got).toEqual(['/hooks'])

  expect(await stop()).toMatchObject({ code: 0, stderr: '' })
  expect(got).toEqual(['/hooks'])
})

test('a sandbox behind a proxy sends what clients subscribe to to the address of --webhook only', async () => {
  const got: string[] = []
  const receiver = await serveHttp((request, response) => {
    got.push(request.url ?? '')
    response.writeHead(204).end()
  })
  const { base } = await startCommand([
    'src/testing/shop-events.yaml',
    `--webhook=${receiver.origin}/hooks`,
    '--trust-proxy=loopback',
  ])
  await fetch(`${base}/hooks`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      events: ['order.deleted'],
      config: { url: `${receiver.origin}/admin` },
    }),
  })

  await fetch(`${base}/orders/1`, { method: 'DELETE' })

  await expect.poll(() => got.filter((url) => url === '/hooks').length).toBeGreaterThan(1)
  expect(new Set(got)).toEqual(new Set(['/hooks']))
})

test.each(['soon', '-1s', '11m'])('--drain %s is refused', async (time) => {
  const { code, stderr } = await runCommand([`--drain=${time}`])

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `pet-sandbox: Cannot use --drain: it must be a duration from 0 to 10m (got ${time}). Write it as 5s.\n`,
  })
})

test('a connection without a request stays open for 75 seconds, and a server that stops closes it at once', async () => {
  const sandbox = await startCommand([])
  const response = await fetch(`${sandbox.base}/pets/1`, { headers: FREE })
  await response.text()

  const start = performance.now()
  const { code } = await sandbox.stop()

  expect(response.headers.get('keep-alive')).toBe('timeout=75')
  expect(code).toBe(0)
  expect(performance.now() - start).toBeLessThan(9000)
})

test('with --keep-alive 1s, a connection without a request is closed after a second or two', async () => {
  const sandbox = await startCommand(['--keep-alive', '1s'])
  const { hostname, port } = new URL(sandbox.base)
  const socket = connect(Number(port), hostname)
  const ended = once(socket, 'close')

  socket.write('GET /v1/pets/1 HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [head] = await once(socket, 'data')
  socket.resume()
  await ended

  expect(String(head)).toMatch(/^Keep-Alive: timeout=1\r$/m)
})

test.each(['0', '999', '2h', 'long'])('--keep-alive %s is refused', async (time) => {
  const { code, stderr } = await runCommand([`--keep-alive=${time}`])

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `pet-sandbox: Cannot use --keep-alive: it must be a duration from 1s to 1h (got ${time}). Write it as 75s.\n`,
  })
})

test('a server says in one line each to which addresses it sends no events, and what to do', async () => {
  const sandbox = await startCommand(['src/testing/shop-events.yaml'])
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${sandbox.base}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  const { host } = new URL(sandbox.base)
  for (const url of [`http://${host}/v1/orders`, 'http://192.0.2.1/hooks?token=secret', 'ftp://a'])
    await post('/hooks', { events: ['order.created'], config: { url } })
  await post('/orders', { item: 'book' })
  await post('/orders', { item: 'pen' })
  await runCommand(['ctl', '--url', new URL(sandbox.base).origin, 'deliveries', 'settle'])

  const { stderr } = await sandbox.stop()

  expect(
    stderr
      .split('\n')
      .filter((line) => line.includes('Refuses'))
      .sort(),
  ).toEqual(
    [
      `pet-sandbox: Refuses deliveries to ${host}: the address is one of the sandbox itself or of its store. Use the address of a receiver, such as http://127.0.0.1:3000/hooks.`,
      'pet-sandbox: Refuses deliveries to 192.0.2.1: 192.0.2.1:80 is not on this machine, and is not allowed. Allow it with --webhook-allow 192.0.2.1:80 (in process: events.allow), or name a receiver with --webhook (events.to).',
      'pet-sandbox: Refuses deliveries to a: ftp: is not http: or https:. Use the address of a receiver, such as http://127.0.0.1:3000/hooks.',
    ].sort(),
  )
})

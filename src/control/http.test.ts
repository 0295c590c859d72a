import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  type CallControl,
  controlValidator,
  openControl,
  readControlResponse,
  toControlRequest,
} from '../testing/control.ts'
import { createSandboxServer } from '../transports/server.ts'
import type { ControlOptions } from './control.ts'

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Serves a sandbox over HTTP with its control interface. */
async function serve(options?: ControlOptions) {
  const { sandbox, control } = openControl(options)
  const server = createSandboxServer(sandbox, { control })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  closers.push(() => {
    control.close()
    server.close()
    server.closeAllConnections()
  })
  const origin = `http://127.0.0.1:${port}`
  const callControl: CallControl = async (method, path, rest) =>
    readControlResponse(
      method,
      path,
      await fetch(toControlRequest(method, `${origin}/__sandbox${path}`, rest)),
    )

  return { sandbox, control, server, port, origin, callControl }
}

interface RawResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends a request over a TCP connection. The response must be valid by the OpenAPI document. */
async function send(port: number, lines: readonly string[], body = ''): Promise<RawResponse> {
  const response = await sendUnchecked(port, lines, body)
  const [method = '', target = ''] = lines[0]?.split(' ') ?? []
  const path = target.replace(/^.*\/__sandbox(?:\/worlds\/\w+(?=\/))?/, '') || '/'
  controlValidator.expectValid({ method, path, ...response })

  return response
}

/** Sends a request over a TCP connection. */
async function sendUnchecked(
  port: number,
  lines: readonly string[],
  body = '',
): Promise<RawResponse> {
  const socket = open(port)
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  socket.write([...lines, ...length, 'Connection: close', '', body].join('\r\n'))
  await once(socket, 'close')
  const [start = '', ...given] = (text.split('\r\n\r\n')[0] ?? '').split('\r\n')
  const headers = new Headers(given.map((line): [string, string] => toPair(line)))
  const content = text.slice(text.indexOf('\r\n\r\n') + 4)

  return { status: Number(start.split(' ')[1]), headers, body: content }
}

function toPair(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}

function open(port: number): Socket {
  return connect(port, '127.0.0.1').on('error', () => undefined)
}

const RESET = 'POST /__sandbox/reset HTTP/1.1'

describe('the control interface over HTTP', () => {
  test('controls the API of the same server', async () => {
    const { origin, callControl } = await serve()
    const headers = { Authorization: 'Bearer sk_sandbox_free' }

    await callControl('PATCH', '/records/pets/1', { body: { status: 'sold' } })
    await callControl('POST', '/clock', { body: { set: '2027-06-01T00:00:00Z' } })
    await callControl('POST', '/outcomes', { body: { outcome: 'server-error', times: 1 } })
    const failed = await fetch(`${origin}/v1/pets`, { headers })
    const found = await fetch(`${origin}/v1/pets/1`, { headers })
    const { body } = await callControl('GET', '/journal')

    expect(failed.status).toBe(500)
    expect(found.headers.get('Date')).toBe('Tue, 01 Jun 2027 00:00:00 GMT')
    expect(await found.json()).toMatchObject({ id: 1, status: 'sold' })
    expect(body.exchanges).toMatchObject([{ forced: 'server-error' }, { operation: 'getPet' }])
  })

  test('controls the worlds of the same server', async () => {
    const { origin, callControl } = await serve()
    const headers = { Authorization: 'Bearer sk_sandbox_free' }

    await callControl('DELETE', '/worlds/one/records/pets/1')
    const inWorld = await fetch(`${origin}/worlds/one/v1/pets/1`, { headers })
    const inDefault = await fetch(`${origin}/v1/pets/1`, { headers })
    const { body } = await callControl('GET', '/worlds')

    expect([inWorld.status, inDefault.status]).toEqual([404, 200])
    expect(body).toMatchObject([{ name: 'default' }, { name: 'one', requests: 1 }])
  })

  test('restores a snapshot, refuses a body that is too large, and answers the next request', async () => {
    const { callControl } = await serve()
    const { body } = await callControl('GET', '/snapshot')
    await callControl('DELETE', '/records/pets/1')

    const restored = await callControl('PUT', '/snapshot', { body })
    const refused = await callControl('POST', '/records/pets', { raw: 'x'.repeat(3_000_000) })
    const found = await callControl('GET', '/records/pets/1')

    expect([restored.status, refused.status, found.status]).toEqual([204, 413, 200])
  })

  test('answers HEAD without a body', async () => {
    const { port } = await serve()

    const response = await send(port, ['HEAD /__sandbox/health HTTP/1.1', 'Host: localhost'])

    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Length')).toMatch(/^\d+$/)
    expect(response.body).toBe('')
  })

  test('streams events, and continues to serve when the client disconnects', async () => {
    const { sandbox, origin, control } = await serve()
    const response = await fetch(`${origin}/__sandbox/journal/events`)
    const reader = response.body?.getReader()
    await reader?.read()

    await fetch(`${origin}/v1/pets`)
    const { value } = (await reader?.read()) ?? {}
    await reader?.cancel()

    expect(response.headers.get('Content-Type')).toBe('text/event-stream')
    expect(new TextDecoder().decode(value)).toMatch(/^id: 1\nevent: exchange\ndata: \{"id":1,/)
    expect(sandbox.journal.last).toBe(1)
    control.close()
  })

  test('ends open streams when it is closed, so that the server can close', async () => {
    const { origin, control, server } = await serve()
    const response = await fetch(`${origin}/__sandbox/journal/events`)
    const closed = once(server, 'close')

    control.close()
    server.close()
    server.closeIdleConnections()

    expect(await response.text()).toBe('retry: 1000\n\n')
    server.closeIdleConnections()
    await closed
  })

  test('answers 404 when the server has no control interface', async () => {
    const { sandbox } = openControl()
    const server = createSandboxServer(sandbox)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => server.close())
    const { port } = server.address() as AddressInfo

    const response = await fetch(`http://127.0.0.1:${port}/__sandbox/health`)

    expect(response.status).toBe(404)
  })
})

describe('a path that URL parsing would change is refused, and nothing is changed:', () => {
  test.each([
    ['/worlds/../reset', /"\.\." as the name of a world/],
    ['/worlds/./reset', /"\." as the name of a world/],
    ['/worlds/%2e%2e/reset', /"\.\." as the name of a world/],
    ['/worlds/.%2E/reset?x=1', /"\.\." as the name of a world/],
    ['/worlds/..\\reset', /as the name of a world/],
    ['/worlds/one/../../reset', /a path must not contain/],
    ['/worlds\\..\\reset', /"\.\." as the name of a world/],
    ['/worlds/..', /"\.\." as the name of a world/],
    ['/reset#', /a path must not contain/],
    ['/../v1/pets', /a path must not contain/],
  ])('%s', async (path, message) => {
    const { sandbox, port } = await serve()
    await sandbox.collection('pets').remove(1)

    const { status, body } = await sendUnchecked(port, [
      `POST /__sandbox${path} HTTP/1.1`,
      'Host: localhost',
    ])

    expect(status).toBe(400)
    expect(JSON.parse(body)).toMatchObject({ status: 400, message: expect.stringMatching(message) })
    expect(await sandbox.collection('pets').get(1)).toBeUndefined()
    expect(sandbox.worlds.list()).toHaveLength(1)
  })
})

describe('a page of another origin changes nothing:', () => {
  const FOREIGN = [
    'Origin: http://evil.test',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Mode: no-cors',
  ]

  test.each([
    ['by a host name that resolves to this machine', [RESET, 'Host: evil.test:4010']],
    [
      'by such a host name, as its own origin',
      [RESET, 'Host: evil.test', 'Origin: http://evil.test'],
    ],
    ['with a form', [RESET, 'Host: localhost', ...FOREIGN, 'Content-Type: text/plain']],
    [
      'with a form of a browser that sends Origin only',
      [RESET, 'Host: localhost', 'Origin: http://evil.test', 'Content-Type: text/plain'],
    ],
    ['with a frame of the origin null', [RESET, 'Host: localhost', 'Origin: null']],
    [
      'with a full URL of another host',
      ['POST http://evil.test/__sandbox/reset HTTP/1.1', 'Host: localhost'],
    ],
    [
      'with a full URL of this host and another Host header',
      ['POST http://localhost/__sandbox/reset HTTP/1.1', 'Host: evil.test'],
    ],
    [
      'from another port',
      [RESET, 'Host: localhost:4010', 'Origin: http://localhost:3000', 'Sec-Fetch-Site: same-site'],
    ],
    [
      'with an image',
      [
        'GET /__sandbox/worlds/made/clock HTTP/1.1',
        'Host: localhost',
        'Sec-Fetch-Site: cross-site',
      ],
    ],
  ])('%s', async (_how, lines) => {
    const { sandbox, port } = await serve()
    await sandbox.collection('pets').remove(1)

    const { status, headers, body } = await send(port, lines)

    expect(status).toBe(403)
    expect(JSON.parse(body)).toMatchObject({ code: 'forbidden', status: 403 })
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull()
    expect(await sandbox.collection('pets').get(1)).toBeUndefined()
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  test('with a preflight', async () => {
    const { port } = await serve()
    const lines = [
      'Host: localhost',
      'Origin: http://evil.test',
      'Access-Control-Request-Method: POST',
    ]

    const response = await send(port, ['OPTIONS /__sandbox/reset HTTP/1.1', ...lines])

    expect(response.status).toBe(403)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test('with a body of a type that needs no preflight and without Origin', async () => {
    const { sandbox, port } = await serve()
    await sandbox.collection('pets').remove(1)

    const lines = [RESET, 'Host: localhost', 'Content-Type: text/plain']
    const { status } = await send(port, lines, '{}')

    expect(status).toBe(415)
    expect(await sandbox.collection('pets').get(1)).toBeUndefined()
  })
})

describe('a page of an allowed origin', () => {
  const ALLOWED = 'http://shop.test:3000'

  test('passes the preflight, controls the sandbox, and can read responses and refusals', async () => {
    const { port } = await serve({ origins: [ALLOWED] })
    const page = ['Host: localhost', `Origin: ${ALLOWED}`, 'Sec-Fetch-Site: cross-site']

    const preflight = await send(port, [
      'OPTIONS /__sandbox/clock HTTP/1.1',
      ...page,
      'Access-Control-Request-Method: POST',
      'Access-Control-Request-Private-Network: true',
    ])
    const reset = await send(port, [RESET, ...page])
    const refused = await send(port, ['POST /__sandbox/clock HTTP/1.1', ...page])

    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, POST, OPTIONS')
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('Content-Type')
    expect(preflight.headers.get('Access-Control-Allow-Private-Network')).toBe('true')
    expect([reset.status, refused.status]).toEqual([204, 400])
    for (const { headers } of [preflight, reset, refused]) {
      expect(headers.get('Access-Control-Allow-Origin')).toBe(ALLOWED)
      expect(headers.get('Vary')).toBe('Origin')
    }
  })

  test('does not allow other origins', async () => {
    const { port } = await serve({ origins: [ALLOWED] })

    const response = await send(port, [RESET, 'Host: localhost', 'Origin: http://evil.test'])

    expect(response.status).toBe(403)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})

describe('a request from another machine', () => {
  test('needs the token, whatever its headers say about its sender', async () => {
    const { control } = openControl({ token: 'sesame' })
    const resetStatus = async (
      headers: Record<string, string>,
      address?: string,
    ): Promise<number> => {
      const request = toControlRequest('POST', 'http://sandbox.test/__sandbox/reset', { headers })
      return (
        await readControlResponse('POST', '/reset', await control.fetch(request, { address }))
      ).status
    }

    expect(await resetStatus({}, '192.168.1.20')).toBe(401)
    expect(
      await resetStatus({ 'X-Forwarded-For': '127.0.0.1', Host: 'localhost' }, '192.168.1.20'),
    ).toBe(401)
    expect(await resetStatus({ Authorization: 'Bearer sesam' }, '192.168.1.20')).toBe(401)
    expect(await resetStatus({}, undefined)).toBe(401)
    expect(await resetStatus({ Authorization: 'Bearer sesame' }, '192.168.1.20')).toBe(204)
    expect(await resetStatus({ Authorization: 'Bearer sesame' }, undefined)).toBe(204)
  })

  test('is refused through a proxy on this machine', async () => {
    const { port } = await serve()

    const response = await send(port, [RESET, 'Host: localhost', 'X-Forwarded-For: 203.0.113.7'])

    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toMatch(/^Bearer realm=/)
  })
})

test('a bug becomes a 500 with an Error body, and only the console shows the error', async () => {
  const consoleError = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const { sandbox } = openControl()
  const bug = new TypeError('broken inside')
  const control = { fetch: () => Promise.reject(bug) }
  const server = createSandboxServer(sandbox, { control })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => server.close())
  const { port } = server.address() as AddressInfo

  const { status, body } = await send(port, ['GET /__sandbox/health HTTP/1.1', 'Host: localhost'])

  expect(status).toBe(500)
  expect(JSON.parse(body)).toMatchObject({ code: 'internal_error', status: 500 })
  expect(body).not.toContain('broken inside')
  expect(consoleError).toHaveBeenCalledWith(bug)
  consoleError.mockRestore()
})

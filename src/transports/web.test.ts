import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { serveWeb, type WebHandler } from './web.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function serve(fetch: WebHandler['fetch']): Promise<number> {
  const server = createServer((request, response) => void serveWeb({ fetch }, request, response))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** A connection, with all that came by it. */
function open(port: number): { readonly socket: Socket; readonly text: () => string } {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  return { socket, text: () => text }
}

function head(...lines: readonly string[]): string {
  return [...lines, '', ''].join('\r\n')
}

async function echo(request: Request): Promise<Response> {
  return new Response(await request.text(), { headers: { 'X-Method': request.method } })
}

describe('a web handler on an HTTP server', () => {
  test('gets method, address, headers and body, and who sent them', async () => {
    const port = await serve(async (request, peer) =>
      Response.json([
        request.method,
        request.url,
        request.headers.get('x-two'),
        await request.text(),
        peer.address,
      ]),
    )

    const response = await fetch(`http://127.0.0.1:${port}/a%20b?c=d`, {
      method: 'PUT',
      headers: [
        ['X-Two', '1'],
        ['X-Two', '2'],
      ],
      body: 'ä',
    })

    const address = `http://127.0.0.1:${port}/a%20b?c=d`
    expect(await response.json()).toEqual(['PUT', address, '1, 2', 'ä', '127.0.0.1'])
  })

  test('takes a whole address for what it says, not for the Host', async () => {
    const port = await serve(async ({ url, headers }) =>
      Response.json([url, headers.get('host')], { headers: { Connection: 'close' } }),
    )
    const { socket, text } = open(port)

    socket.write(head('GET http://a.test/b HTTP/1.1', 'Host: localhost', 'Connection: close'))
    await once(socket, 'close')

    expect(text()).toContain('["http://a.test/b","localhost"]')
  })

  test('carries bodies of many chunks', async () => {
    const port = await serve(echo)
    const body = 'x'.repeat(5_000_000)

    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })

    expect((await response.text()).length).toBe(body.length)
  })

  test('leaves the connection fit for the next request when nobody reads the body', async () => {
    const port = await serve(async () => new Response('unread', { status: 413 }))
    const { socket, text } = open(port)
    const request = (length: number): string =>
      head('POST / HTTP/1.1', 'Host: x', `Content-Length: ${length}`) + 'x'.repeat(length)

    socket.write(request(3_000_000))
    await vi.waitFor(() => expect(text()).toContain('unread'))
    socket.write(request(3))

    await vi.waitFor(() => expect(text().match(/413/g)).toHaveLength(2))
    socket.destroy()
  })

  test('cuts a sender off that goes on and on', async () => {
    const port = await serve(async () => new Response('unread', { status: 413 }))
    const { socket } = open(port)
    socket.write(head('POST / HTTP/1.1', 'Host: x', 'Content-Length: 9000000000'))
    const chunk = Buffer.alloc(1_000_000)
    const write = (): void => void (socket.destroyed || socket.write(chunk, write))

    write()

    // A reset is an error, too, which `once` would reject with.
    await new Promise((resolve) => socket.on('close', resolve))
    expect(socket.bytesWritten).toBeLessThan(60_000_000)
  })

  test('sends a body as it comes', async () => {
    let push: (text: string) => void = () => undefined
    const port = await serve(async () => {
      const body = new ReadableStream({
        start: (controller) => {
          push = (text) => controller.enqueue(new TextEncoder().encode(text))
        },
      })
      return new Response(body)
    })
    const response = await fetch(`http://127.0.0.1:${port}/`)
    const reader = response.body?.getReader()

    push('one')
    const first = await reader?.read()
    push('two')
    const second = await reader?.read()
    await reader?.cancel()

    expect(new TextDecoder().decode(first?.value)).toBe('one')
    expect(new TextDecoder().decode(second?.value)).toBe('two')
  })

  test('ends the body of a client that leaves', async () => {
    const cancel = vi.fn()
    const port = await serve(async () => new Response(new ReadableStream({ cancel })))
    const { socket, text } = open(port)
    socket.write(head('GET / HTTP/1.1', 'Host: x'))
    await vi.waitFor(() => expect(text()).toContain('200 OK'))

    socket.destroy()

    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce())
  })

  test('tells the handler of a client that leaves', async () => {
    const left = vi.fn()
    const port = await serve(({ signal }) => {
      signal.addEventListener('abort', left)
      return new Promise(() => undefined)
    })
    const { socket } = open(port)
    socket.write(head('GET / HTTP/1.1', 'Host: x'))
    await new Promise((resolve) => setTimeout(resolve, 50))

    socket.destroy()

    await vi.waitFor(() => expect(left).toHaveBeenCalledOnce())
  })

  test('does not read ahead of a client that does not', async () => {
    let made = 0
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      made += 1
      controller.enqueue(new Uint8Array(1_000_000))
    }
    const port = await serve(async () => new Response(new ReadableStream({ pull })))
    const socket = connect(port, '127.0.0.1')
    socket.pause()

    socket.write(head('GET / HTTP/1.1', 'Host: x'))
    await vi.waitFor(() => expect(made).toBeGreaterThan(0), { timeout: 20_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    socket.destroy()

    expect(made).toBeLessThan(50)
  })

  test('is spared a client that leaves within its body', async () => {
    const failures: unknown[] = []
    const port = await serve((request) =>
      echo(request).catch((error: unknown) => {
        failures.push(error)
        throw error
      }),
    )
    const { socket, text } = open(port)

    socket.write(`${head('POST / HTTP/1.1', 'Host: x', 'Content-Length: 10')}12345`)
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()

    await vi.waitFor(() => expect(failures).toHaveLength(1))
    expect(text()).toBe('')
  })
})

describe('what the Fetch standard has no request for is refused:', () => {
  test.each([
    ['TRACE', 'TRACE / HTTP/1.1', 405],
    ['an address with a password', 'GET http://a:b@c.test/ HTTP/1.1', 400],
    ['the whole server', 'OPTIONS * HTTP/1.1', 400],
  ])('%s', async (_what, line, status) => {
    const { socket, text } = open(await serve(echo))

    socket.write(head(line, 'Host: x', 'Connection: close'))
    await once(socket, 'close')

    expect(text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(text()).toContain(`"status":${status}}`)
  })
})

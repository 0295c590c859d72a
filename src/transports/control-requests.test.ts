import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openConnection, requestHead } from '../testing/raw-connection.ts'
import { serveWeb, type WebHandler } from './control-requests.ts'

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

/** Opens a TCP connection; `text` returns everything received on it. */
function open(port: number): { readonly socket: Socket; readonly text: () => string } {
  const socket = openConnection(port)
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  return { socket, text: () => text }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

async function echo(request: Request): Promise<Response> {
  return new Response(await request.text(), { headers: { 'X-Method': request.method } })
}

describe('a web handler on an HTTP server', () => {
  test('gets the method, URL, headers and body of a request, and the address of its sender', async () => {
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

  test('gets the absolute URL of a request target, not the Host header, as URL', async () => {
    const port = await serve(async ({ url, headers }) =>
      Response.json([url, headers.get('host')], { headers: { Connection: 'close' } }),
    )
    const { socket, text } = open(port)

    socket.write(
      requestHead('GET http://a.test/b HTTP/1.1', 'Host: localhost', 'Connection: close'),
    )
    await once(socket, 'close')

    expect(text()).toContain('["http://a.test/b","localhost"]')
  })

  test('receives and sends a body of many chunks', async () => {
    const port = await serve(echo)
    const body = 'x'.repeat(5_000_000)

    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })

    expect((await response.text()).length).toBe(body.length)
  })

  test('leaves the connection usable when it does not read the body', async () => {
    const port = await serve(async () => new Response('unread', { status: 413 }))
    const { socket, text } = open(port)
    const request = (length: number): string =>
      requestHead('POST / HTTP/1.1', 'Host: x', `Content-Length: ${length}`) + 'x'.repeat(length)

    socket.write(request(3_000_000))
    await vi.waitFor(() => expect(text()).toContain('unread'), 20_000)
    socket.write(request(3))

    await vi.waitFor(() => expect(text().match(/413/g)).toHaveLength(2), 20_000)
    socket.destroy()
  })

  test('does not read an endless body after the response: the connection closes', async () => {
    const port = await serve(async () => new Response('unread', { status: 413 }))
    const { socket } = open(port)
    socket.write(requestHead('POST / HTTP/1.1', 'Host: x', 'Content-Length: 9000000000'))
    const chunk = Buffer.alloc(1_000_000)
    // A write that fails calls back at once: another one after it would keep the thread busy, and the end unseen.
    const write = (error?: Error | null): void =>
      void (error || socket.destroyed || socket.write(chunk, write))

    write()

    // `once` would reject with the error of a connection reset.
    await new Promise((resolve) => socket.on('close', resolve))
    expect(socket.bytesWritten).toBeLessThan(60_000_000)
  })

  test('sends each chunk of a streamed body at once', async () => {
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

  test('has its response body canceled when the client disconnects', async () => {
    const cancel = vi.fn()
    const port = await serve(async () => new Response(new ReadableStream({ cancel })))
    const { socket, text } = open(port)
    socket.write(requestHead('GET / HTTP/1.1', 'Host: x'))
    await vi.waitFor(() => expect(text()).toContain('200 OK'), 20_000)

    socket.destroy()

    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce(), 20_000)
  })

  test('gets a signal that aborts when the client disconnects', async () => {
    const called = vi.fn()
    const aborted = vi.fn()
    const port = await serve(({ signal }) => {
      called()
      signal.addEventListener('abort', aborted)
      return new Promise(() => undefined)
    })
    const { socket } = open(port)
    socket.write(requestHead('GET / HTTP/1.1', 'Host: x'))
    await vi.waitFor(() => expect(called).toHaveBeenCalledOnce(), 20_000)

    socket.destroy()

    await vi.waitFor(() => expect(aborted).toHaveBeenCalledOnce(), 20_000)
  })

  test('is not asked for more of a streamed body than the client reads', async () => {
    let chunks = 0
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      chunks += 1
      controller.enqueue(new Uint8Array(1_000_000))
    }
    const port = await serve(async () => new Response(new ReadableStream({ pull })))
    const socket = openConnection(port)
    socket.pause()

    socket.write(requestHead('GET / HTTP/1.1', 'Host: x'))
    await vi.waitFor(() => expect(chunks).toBeGreaterThan(0), { timeout: 20_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    socket.destroy()

    expect(chunks).toBeLessThan(50)
  })

  test('leaves no listener behind for each pause of a slow client', async () => {
    const warnings: string[] = []
    const warn = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', warn)
    const pieces = Array.from({ length: 40 }, () => encode('x'.repeat(200_000)))
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        const piece = pieces.pop()
        if (piece) controller.enqueue(piece)
        else controller.close()
      },
    })
    const port = await serve(async () => new Response(body))

    const response = await globalThis.fetch(`http://127.0.0.1:${port}/`)

    expect((await response.text()).length).toBe(40 * 200_000)
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })

  test('ends an endless body for a client that disconnects before the response begins', async () => {
    const cancel = vi.fn()
    let respond = (): void => undefined
    const isAsked = new Promise<void>((resolve) => {
      respond = resolve
    })
    const port = await serve(async (request) => {
      respond()
      await new Promise<void>((resolve) =>
        request.signal.addEventListener('abort', () => resolve()),
      )
      await new Promise((resolve) => setTimeout(resolve, 50))
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void =>
        controller.enqueue(new Uint8Array(1000))

      return new Response(new ReadableStream({ pull, cancel }))
    })
    const socket = openConnection(port)

    socket.write(requestHead('GET / HTTP/1.1', 'Host: x'))
    await isAsked
    socket.destroy()

    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce(), 20_000)
  })

  test('fails to read the body of a client that disconnects, which gets no response', async () => {
    const called = vi.fn()
    const failures: unknown[] = []
    const port = await serve((request) => {
      called()
      return echo(request).catch((error: unknown) => {
        failures.push(error)
        throw error
      })
    })
    const { socket, text } = open(port)

    socket.write(`${requestHead('POST / HTTP/1.1', 'Host: x', 'Content-Length: 10')}12345`)
    await vi.waitFor(() => expect(called).toHaveBeenCalledOnce(), 20_000)
    socket.destroy()

    await vi.waitFor(() => expect(failures).toHaveLength(1), 20_000)
    expect(text()).toBe('')
  })
})

describe('a request that the Fetch standard forbids is refused:', () => {
  test.each([
    ['TRACE', 'TRACE / HTTP/1.1', 405],
    ['a URL with a password', 'GET http://a:b@c.test/ HTTP/1.1', 400],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1', 400],
  ])('%s', async (_what, line, status) => {
    const { socket, text } = open(await serve(echo))

    socket.write(requestHead(line, 'Host: x', 'Connection: close'))
    await once(socket, 'close')

    expect(text()).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(text()).toContain(`"status":${status}}`)
  })
})

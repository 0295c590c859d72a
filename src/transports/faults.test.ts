import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import type { Outcome, Sandbox } from '../index.ts'
import { createSandbox } from '../index.ts'
import { listen } from '../testing/connections.ts'
import { createSandboxServer } from './server.ts'

const BODY = '{"name":"Rex","categoryId":1}'

/** A TCP connection to a server, and the text received on it. */
interface RawConnection {
  readonly socket: Socket
  readonly send: (head: string, outcome?: Outcome, body?: string) => void
  readonly text: () => string
  /** Resolves with the received text when the server closes the connection. */
  readonly closed: Promise<string>
}

async function open(sandbox: Sandbox): Promise<RawConnection> {
  const { port, close } = await listen(sandbox)
  onTestFinished(close)
  return openRawConnection(port)
}

function openRawConnection(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  // A connection reset emits an error before `close`.
  socket.on('error', () => undefined)
  const send: RawConnection['send'] = (head, outcome, body = '') => {
    const lines = [
      'Host: x',
      'Authorization: Bearer sk_sandbox_pro',
      `Content-Length: ${body.length}`,
    ]
    if (body) lines.push('Content-Type: application/json')
    if (outcome) lines.push(`Prefer: outcome=${outcome}`)
    socket.write([`${head} HTTP/1.1`, ...lines, '', body].join('\r\n'))
  }
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  return { socket, send, text: () => text, closed }
}

/** The Content-Length and the body of a response. */
function splitResponse(text: string): { length: number; body: string } {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1]
  return { length: Number(length), body: text.slice(end + 4) }
}

it('truncated closes a stream of events at its start', async () => {
  const contract = await loadContract('src/testing/streams.yaml')
  const { send, closed } = await open(createSandbox({ contract }))

  send('GET /v1/orders/events', 'truncated')

  const text = await closed
  expect(text).toMatch(/\r\n\r\n[0-9a-f]+\r\nretry: 1000\n\n\r\n$/)
})

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(2)
}

describe('a connection fault over HTTP:', () => {
  it.each(['GET /v1/pets', 'GET /v1/pets/999', 'POST /v1/pets'])(
    'a truncated response to %s has the complete Content-Length and half of the body, and closes the connection',
    async (head) => {
      const { send, closed } = await open(createSandbox())

      send(head, 'truncated', head.startsWith('POST') ? BODY : '')

      const { length, body } = splitResponse(await closed)
      expect(length).toBeGreaterThan(50)
      expect(Buffer.byteLength(body)).toBe(Math.floor(length / 2))
    },
  )

  it('a malformed response has its Content-Length, is invalid JSON, and leaves the connection usable', async () => {
    const { send, text, socket } = await open(createSandbox({ records: 3 }))

    send('GET /v1/pets', 'malformed')
    await until(() => text().endsWith(','))
    const { length, body } = splitResponse(text())
    send('GET /v1/pets/1')
    await until(() => text().endsWith('}'))
    socket.destroy()

    expect(Buffer.byteLength(body)).toBe(length)
    expect(() => JSON.parse(body)).toThrow(SyntaxError)
    expect(text()).toMatch(/HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 200 OK/)
  })

  it.each<Outcome>(['truncated', 'malformed'])(
    'a %s response to HEAD is complete, and leaves the connection usable',
    async (outcome) => {
      const { send, text, socket } = await open(createSandbox({ records: 3 }))

      send('HEAD /v1/pets', outcome)
      await until(() => text().endsWith('\r\n\r\n'))
      send('GET /v1/pets/1')
      await until(() => text().endsWith('}'))
      socket.destroy()

      expect(splitResponse(text()).length).toBeGreaterThan(50)
      expect(text()).toMatch(
        /^HTTP\/1\.1 200 OK[\s\S]*\nX-Sandbox-Reason: forced:[\s\S]*HTTP\/1\.1 200 OK/,
      )
    },
  )

  it('the outcome reset closes the connection also while an earlier response is delayed', async () => {
    const sandbox = createSandbox()
    sandbox.force('slow', { latency: '5s', times: 1 })
    const { send, closed } = await open(sandbox)

    send('GET /v1/pets')
    send('GET /v1/pets', 'reset')

    expect(await closed).toBe('')
  })

  it('the outcome timeout sends no response, and does not affect other connections', async () => {
    const sandbox = createSandbox()
    const { port, close } = await listen(sandbox)
    onTestFinished(close)
    const [unanswered, other] = [openRawConnection(port), openRawConnection(port)]

    unanswered.send('GET /v1/pets', 'timeout')
    await until(() => sandbox.journal.last === 1)
    other.send('GET /v1/pets/1')
    await until(() => other.text().endsWith('}'))
    unanswered.socket.destroy()
    other.socket.destroy()

    expect(unanswered.text()).toBe('')
    expect(sandbox.journal.exchanges).toMatchObject([
      { status: 0, forced: 'timeout' },
      { status: 200 },
    ])
  })

  it.each<Outcome>(['truncated', 'malformed'])(
    'a record is created although its response is %s',
    async (outcome) => {
      const sandbox = createSandbox({ records: 0 })
      const { send, socket } = await open(sandbox)

      send('POST /v1/pets', outcome, BODY)
      await until(() => sandbox.journal.last === 1)
      socket.destroy()

      expect(await sandbox.collection('pets').list()).toMatchObject([{ id: 1, name: 'Rex' }])
    },
  )

  it('a server can close when the clients of its unanswered requests have disconnected', async () => {
    const sandbox = createSandbox()
    const server = createSandboxServer(sandbox)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const connections = Array.from({ length: 20 }, () => openRawConnection(port))

    for (const { send } of connections) send('GET /v1/pets', 'timeout')
    await until(() => sandbox.journal.last === 20)
    for (const { socket } of connections) socket.destroy()

    server.close()
    await once(server, 'close')
  })
})

describe('a connection fault in process:', () => {
  function ask(
    sandbox: Sandbox,
    method: string,
    outcome: Outcome,
    signal?: AbortSignal,
  ): Promise<Response> {
    const headers = {
      Authorization: 'Bearer sk_sandbox_pro',
      'Content-Type': 'application/json',
      Prefer: `outcome=${outcome}`,
    }
    const body = method === 'POST' ? BODY : null
    const init = { method, headers, body, ...(signal && { signal }) }
    return sandbox.fetch(new Request('http://localhost/v1/pets', init))
  }

  it('an unanswered request rejects with the reason of its abort signal', async () => {
    const controller = new AbortController()
    const response = ask(createSandbox(), 'GET', 'timeout', controller.signal)
    const state = await Promise.race([
      response.then(() => 'answered'),
      sleep(50).then(() => 'pending'),
    ])

    controller.abort(new Error('aborted by the test'))

    expect(state).toBe('pending')
    await expect(response).rejects.toThrow('aborted by the test')
  })

  it('an unanswered request is aborted by its timeout also after garbage collection', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const response = ask(createSandbox(), 'GET', 'timeout', AbortSignal.timeout(100))
    const collection = setInterval(collectGarbage, 10)

    await expect(response).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
    clearInterval(collection)
  })

  it('reading the body of a truncated response fails after half of it', async () => {
    const response = await ask(createSandbox(), 'GET', 'truncated')

    const length = Number(response.headers.get('Content-Length'))
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect([response.status, first?.value?.length]).toEqual([200, Math.floor(length / 2)])
    await expect(reader?.read()).rejects.toThrow('closed before the body ended')
  })

  it('a malformed response has its Content-Length and is invalid JSON', async () => {
    const response = await ask(createSandbox(), 'POST', 'malformed')

    const text = await response.text()
    expect(response.headers.get('Content-Length')).toBe(String(Buffer.byteLength(text)))
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })

  it.each<Outcome>(['truncated', 'malformed', 'slow'])(
    'HEAD gets a complete response with the outcome %s',
    async (outcome) => {
      const response = await ask(createSandbox({ records: 2 }), 'HEAD', outcome)

      expect(response.headers.get('X-Sandbox-Reason')).toBe(`forced:${outcome}`)
      expect(await response.text()).toBe('')
    },
  )
})

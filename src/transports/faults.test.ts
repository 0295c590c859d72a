import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pass } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Outcome, Sandbox } from '../index.ts'
import { createSandbox } from '../index.ts'
import { listen } from '../testing/connections.ts'
import { createSandboxServer } from './server.ts'

const BODY = '{"name":"Rex","categoryId":1}'

/** A bare connection to a server, and what came on it. */
interface Line {
  readonly socket: Socket
  readonly send: (head: string, outcome?: Outcome, body?: string) => void
  readonly text: () => string
  /** Resolves with all that came, once the server has closed. */
  readonly closed: Promise<string>
}

async function open(sandbox: Sandbox): Promise<Line> {
  const { port, close } = await listen(sandbox)
  onTestFinished(close)
  return openLine(port)
}

function openLine(port: number): Line {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  // A reset is an end like others here.
  socket.on('error', () => undefined)
  const send: Line['send'] = (head, outcome, body = '') => {
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

/** Head and body of an answer as it came. */
function parted(text: string): { length: number; body: string } {
  const end = text.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1]
  return { length: Number(length), body: text.slice(end + 4) }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pass(2)
}

describe('over HTTP', () => {
  it.each(['GET /v1/pets', 'GET /v1/pets/999', 'POST /v1/pets'])(
    'a truncated answer to %s is whole by its length and half by its body, and then the connection ends',
    async (head) => {
      const { send, closed } = await open(createSandbox())

      send(head, 'truncated', head.startsWith('POST') ? BODY : '')

      const { length, body } = parted(await closed)
      expect(length).toBeGreaterThan(50)
      expect(Buffer.byteLength(body)).toBe(Math.floor(length / 2))
    },
  )

  it('a malformed answer has its length, is no JSON, and leaves the connection good', async () => {
    const { send, text, socket } = await open(createSandbox({ records: 3 }))

    send('GET /v1/pets', 'malformed')
    await until(() => text().endsWith(','))
    const { length, body } = parted(text())
    send('GET /v1/pets/1')
    await until(() => text().endsWith('}'))
    socket.destroy()

    expect(Buffer.byteLength(body)).toBe(length)
    expect(() => JSON.parse(body)).toThrow(SyntaxError)
    expect(text()).toMatch(/HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 200 OK/)
  })

  it.each<Outcome>(['truncated', 'malformed'])(
    'a %s answer to HEAD is an answer, and leaves the connection good',
    async (outcome) => {
      const { send, text, socket } = await open(createSandbox({ records: 3 }))

      send('HEAD /v1/pets', outcome)
      await until(() => text().endsWith('\r\n\r\n'))
      send('GET /v1/pets/1')
      await until(() => text().endsWith('}'))
      socket.destroy()

      expect(parted(text()).length).toBeGreaterThan(50)
      expect(text()).toMatch(
        /^HTTP\/1\.1 200 OK[\s\S]*\nX-Sandbox-Reason: forced:[\s\S]*HTTP\/1\.1 200 OK/,
      )
    },
  )

  it('a connection is reset behind an answer that is yet to come', async () => {
    const sandbox = createSandbox()
    sandbox.force('slow', { latency: '5s', times: 1 })
    const { send, closed } = await open(sandbox)

    send('GET /v1/pets')
    send('GET /v1/pets', 'reset')

    expect(await closed).toBe('')
  })

  it('a request that hangs gets nothing, and others on other connections are answered', async () => {
    const sandbox = createSandbox()
    const { port, close } = await listen(sandbox)
    onTestFinished(close)
    const [hung, other] = [openLine(port), openLine(port)]

    hung.send('GET /v1/pets', 'timeout')
    await until(() => sandbox.journal.last === 1)
    other.send('GET /v1/pets/1')
    await until(() => other.text().endsWith('}'))
    hung.socket.destroy()
    other.socket.destroy()

    expect(hung.text()).toBe('')
    expect(sandbox.journal.exchanges).toMatchObject([
      { status: 0, forced: 'timeout' },
      { status: 200 },
    ])
  })

  it.each<Outcome>(['truncated', 'malformed'])(
    'what was added is there, %s as the answer was',
    async (outcome) => {
      const sandbox = createSandbox({ records: 0 })
      const { send, socket } = await open(sandbox)

      send('POST /v1/pets', outcome, BODY)
      await until(() => sandbox.journal.last === 1)
      socket.destroy()

      expect(await sandbox.collection('pets').list()).toMatchObject([{ id: 1, name: 'Rex' }])
    },
  )

  it('a server holds nothing of requests that hang once their clients have left', async () => {
    const sandbox = createSandbox()
    const server = createSandboxServer(sandbox)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const lines = Array.from({ length: 20 }, () => openLine(port))

    for (const { send } of lines) send('GET /v1/pets', 'timeout')
    await until(() => sandbox.journal.last === 20)
    for (const { socket } of lines) socket.destroy()

    // It closes by itself: nobody is waited for.
    server.close()
    await once(server, 'close')
  })
})

describe('in process', () => {
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

  it('a request that hangs ends when its client gives up, with the reason', async () => {
    const controller = new AbortController()
    const answer = ask(createSandbox(), 'GET', 'timeout', controller.signal)
    const state = await Promise.race([answer.then(() => 'answered'), pass(50).then(() => 'hangs')])

    controller.abort(new Error('I give up'))

    expect(state).toBe('hangs')
    await expect(answer).rejects.toThrow('I give up')
  })

  it('a request that hangs is not forgotten, whatever else is', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const answer = ask(createSandbox(), 'GET', 'timeout', AbortSignal.timeout(100))
    const sweep = setInterval(collectGarbage, 10)

    await expect(answer).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }))
    clearInterval(sweep)
  })

  it('a truncated answer fails while its body is read, after half of it', async () => {
    const response = await ask(createSandbox(), 'GET', 'truncated')

    const length = Number(response.headers.get('Content-Length'))
    const reader = response.body?.getReader()
    const first = await reader?.read()
    expect([response.status, first?.value?.length]).toEqual([200, Math.floor(length / 2)])
    await expect(reader?.read()).rejects.toThrow('closed before the body ended')
  })

  it('a malformed answer has its length and is no JSON', async () => {
    const response = await ask(createSandbox(), 'POST', 'malformed')

    const text = await response.text()
    expect(response.headers.get('Content-Length')).toBe(String(Buffer.byteLength(text)))
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })

  it.each<Outcome>(['truncated', 'malformed', 'slow'])(
    'HEAD is answered, though %s',
    async (outcome) => {
      const response = await ask(createSandbox({ records: 2 }), 'HEAD', outcome)

      expect(response.headers.get('X-Sandbox-Reason')).toBe(`forced:${outcome}`)
      expect(await response.text()).toBe('')
    },
  )
})

import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { untrustedCertificate } from '../testing/certificate.ts'
import { closeServer, serveHttp, serveSandbox, serveTcp, stopServers } from '../testing/servers.ts'
import type { VerifyOptions } from './options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract('openapi.yaml')
})

afterEach(stopServers)

function run(address: string, options: VerifyOptions = {}): Promise<Verification> {
  return verify(address, contract, { key: 'sk_sandbox_free', timeout: '2s', ...options })
}

/** Verifies an HTTP server. */
async function runAgainst(
  listener: RequestListener,
  options?: VerifyOptions,
): Promise<Verification> {
  const { origin } = await serveHttp(listener)
  return run(`${origin}/v1`, options)
}

async function runBare(
  listener: (socket: Socket) => void,
  options?: VerifyOptions,
): Promise<Verification> {
  const { origin } = await serveTcp((socket) => listener(socket.on('error', () => undefined)))
  return run(`${origin}/v1`, options)
}

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const listener: RequestListener = (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
  }
  return listener
}

test('a target whose answers are long in all is left alone', async () => {
  const listener = answering(200, JSON.stringify([{ name: 'x'.repeat(7_000_000) }]))

  const { checks, requests } = await runAgainst(listener)

  expect(requests).toBe(10)
  expect(checks).toContainEqual(
    expect.objectContaining({ reason: 'its answers have more than 64 MiB in all' }),
  )
})

describe('a target that cannot be tested is told as such:', () => {
  test('nothing listens', async () => {
    const gone = await serveHttp(() => undefined)
    await closeServer(gone)

    const { unusable, requests } = await run(`${gone.origin}/v1`)

    expect(unusable).toBe('nothing listens there (connection refused)')
    expect(requests).toBe(1)
  })

  test('its port is one that clients of the web must not ask', async () => {
    const { unusable } = await run('http://127.0.0.1:1/v1')

    expect(unusable).toBe('no client may ask that port')
  })

  test('its name does not resolve', async () => {
    const { unusable } = await run('http://no-such-host.invalid/v1')

    expect(unusable).toBe('its name is not known (DNS)')
  })

  test('it accepts and does not answer', async () => {
    const { unusable } = await runBare(() => undefined, { timeout: 200 })

    expect(unusable).toBe('it did not answer within 0.2 s')
  })

  test('it begins an answer and does not end it', async () => {
    const { unusable } = await runAgainst(
      (_, response) => {
        const timer = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(timer))
      },
      { timeout: 300 },
    )

    expect(unusable).toBe('it began to answer, and did not end within 0.3 s')
  })

  test('it closes connections', async () => {
    const { unusable } = await runBare((socket) => socket.on('data', () => socket.destroy()))

    expect(unusable).toBe('it closed the connection before the answer was complete')
  })

  test('it closes them in the middle of an answer', async () => {
    const { unusable } = await runAgainst((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('[', () => response.destroy())
    })

    expect(unusable).toBe('it closed the connection before the answer was complete')
  })

  test('it does not end its answers', async () => {
    const { unusable } = await runAgainst((_, response) => {
      const part = Buffer.alloc(1024 * 1024, 'x')
      const more = (): void => {
        if (response.destroyed) return
        while (response.write(part));
        response.once('drain', more)
      }
      more()
    })

    expect(unusable).toBe('its answer is longer than 8 MiB')
  })

  test.each([
    ['nested deeply', '['.repeat(8_000_000), 'nested more than 100 levels deep'],
    ['of many values', `[${'null,'.repeat(1_000_000)}null]`, 'has more than 100000 values'],
  ])('its answers are %s', async (_what, body, why) => {
    const { unusable } = await runAgainst(answering(200, body))

    expect(unusable).toMatch(new RegExp(`^its answer (?:is )?${why}$`))
  })

  test('it speaks something else', async () => {
    const { unusable } = await runBare((socket) => socket.write('220 mail.test ESMTP\r\n'))

    expect(unusable).toBe('it does not answer in HTTP (is it https:// rather than http://?)')
  })

  test('it does not speak TLS', async () => {
    const { origin } = await serveHttp(answering(200, '[]'))

    const { unusable } = await run(`${origin.replace('http:', 'https:')}/v1`)

    expect(unusable).toBe('it does not speak TLS there (is it http:// rather than https://?)')
  })

  test('its certificate is not trusted', async () => {
    const server = createServer(untrustedCertificate, answering(200, '[]')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0

    const { unusable } = await run(`https://127.0.0.1:${port}/v1`)

    server.close()
    expect(unusable).toBe(
      'its certificate is not trusted (NODE_EXTRA_CA_CERTS=ca.pem trusts one more)',
    )
  })

  test('it answers HTML', async () => {
    const { unusable } = await runAgainst(
      answering(200, '<!doctype html><h1>Welcome</h1>', { 'Content-Type': 'text/html' }),
    )

    expect(unusable).toBe(
      'it answers 200 with HTML, not JSON: is this the base address of the API, version segment included?',
    )
  })

  test('it answers 500 to everything', async () => {
    const { unusable, requests } = await runAgainst(answering(500, 'Oops'))

    expect(unusable).toBe('it fails everything: 500 Oops')
    expect(requests).toBeLessThan(12)
  })

  test('it answers 204 to everything', async () => {
    const { unusable } = await runAgainst((_, response) => response.writeHead(204).end())

    expect(unusable).toMatch(/^its answers are no JSON: 204 without a body/)
  })

  test('it redirects', async () => {
    const { unusable, requests } = await runAgainst((request, response) => {
      response.writeHead(308, { Location: `https://api.test${request.url}` }).end()
    })

    expect(unusable).toBe(
      'it redirects (308) to https://api.test/v1/pets: give https://api.test/v1',
    )
    expect(requests).toBe(1)
  })

  test('it refuses the key', async () => {
    const { origin } = await serveSandbox()

    const { unusable, requests } = await run(`${origin}/v1`, { key: 'sk_wrong' })

    expect(unusable).toBe('it refuses the key with a 401: give a valid one with --key')
    expect(requests).toBe(1)
  })

  test('the quota of the key is spent for longer than can be waited for', async () => {
    const { origin } = await serveSandbox()

    const { unusable, requests } = await run(`${origin}/v1`, { key: 'sk_sandbox_day_exhausted' })

    expect(unusable).toMatch(/^it answers 429 to every request with the key: try again in \d+ s$/)
    expect(requests).toBeLessThan(6)
  })

  test.each(['', '/', '/v2', '/v1/pets', '/api/v1', '/v1/v1/'])(
    'it is not at the base path %o, and where it is instead is told',
    async (path) => {
      const { origin } = await serveSandbox()

      const { unusable } = await run(origin + path)

      expect(unusable).toBe(`it answers 404 to everything. Did you mean ${origin}/v1?`)
    },
  )

  test('it is nowhere near', async () => {
    const { unusable } = await runAgainst(answering(404, '{}'))

    expect(unusable).toBe(
      'it answers 404 to everything: is this the base address of the API, version segment included?',
    )
  })
})

describe('a target that fails on the way', () => {
  test('is left alone when it has not answered three times in a row', async () => {
    let count = 0
    const { origin } = await serveSandbox()

    const { checks, totals, requests } = await runAgainst(async (request, response) => {
      count += 1
      if (count > 6) {
        request.socket.destroy()
        return
      }
      const { authorization = '' } = request.headers
      const answer = await fetch(origin + request.url, { headers: { authorization } })
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(await answer.text())
    })

    expect(requests).toBe(9)
    expect(totals.failed).toBe(3)
    const failed = checks.find(({ status }) => status === 'failed')
    expect(failed).toMatchObject({
      expected: 'an answer',
      received: 'it closed the connection before the answer was complete',
    })
    expect(checks.map(({ reason }) => reason)).toContain('the target stopped answering')
  })

  test('is tested as far as it goes when one operation fails', async () => {
    const { origin } = await serveSandbox()

    const { unusable, checks, totals } = await runAgainst(async (request, response) => {
      const { authorization = '' } = request.headers
      const isBroken = /status=sold/.test(request.url ?? '')
      const answer = await fetch(origin + request.url, { headers: { authorization } })
      response.writeHead(isBroken ? 500 : answer.status, Object.fromEntries(answer.headers))
      response.end(await answer.text())
    })

    expect(unusable).toBeUndefined()
    expect(checks.filter(({ status }) => status === 'failed').map(({ id }) => id)).toEqual([
      'listPets/status=sold',
      'listPets/pages/disjoint',
      'listPets/pages/full',
      'errors/server',
      'errors/body',
    ])
    expect(totals.passed).toBeGreaterThan(60)
  })
})

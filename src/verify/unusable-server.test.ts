import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { untrustedCertificate } from '../testing/certificate.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { closeServer, serveHttp, serveSandbox, serveTcp, stopServers } from '../testing/servers.ts'
import type { VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract('openapi.yaml')
})

afterEach(stopServers)

function run(address: string, options: VerifyOptions = {}): Promise<Verification> {
  return verify(address, contract, {
    key: 'sk_sandbox_free',
    decisions: true,
    timeout: '1m',
    ...options,
  })
}

/** Verifies a server with this request listener. */
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

test('a run goes on when the server asks for a key where the document needs none', async () => {
  const get = { responses: { 200: { description: 'The state.' } } }
  const all = await loadDocumentOf(
    { '/state': { get: { ...get, security: [] } }, '/limits': { get } },
    {
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
  )

  const { unusable, checks } = await verify('http://api.test', all, {
    key: 'sk_sandbox_free',
    fetch: async ({ headers }) =>
      new Response(null, { status: headers.has('Authorization') ? 200 : 401 }),
  })

  expect(unusable).toBeUndefined()
  const served = checks.filter(({ id }) => id.endsWith('/served'))
  expect(served.map(({ status }) => status)).toEqual(['failed', 'passed'])
})

test('a run ends when all responses together are too large', async () => {
  const listener = answering(200, JSON.stringify([{ name: 'x'.repeat(7_000_000) }]))

  const { checks, requests } = await runAgainst(listener)

  expect(requests).toBe(10)
  expect(checks).toContainEqual(
    expect.objectContaining({ reason: 'all responses together exceed 64 MiB' }),
  )
})

describe('a server that cannot be tested:', () => {
  test('no server listens', async () => {
    const gone = await serveHttp(() => undefined)
    await closeServer(gone)

    const { unusable, requests } = await run(`${gone.origin}/v1`)

    expect(unusable).toBe('no server listens at this address (connection refused)')
    expect(requests).toBe(1)
  })

  test('fetch and browsers block its port', async () => {
    const { unusable } = await run('http://127.0.0.1:1/v1')

    expect(unusable).toBe('fetch and browsers block this port; start the server on another port')
  })

  test('its host name does not resolve', async () => {
    const { unusable } = await run('http://no-such-host.invalid/v1')

    expect(unusable).toBe('the host name cannot be resolved (DNS)')
  })

  test('it accepts connections and does not respond', async () => {
    const { unusable } = await runBare(() => undefined, { timeout: 200 })

    expect(unusable).toBe('the server did not respond within 0.2 s')
  })

  test('it does not complete a response in time', async () => {
    const begun = async (): Promise<Response> => new Response(new ReadableStream())

    const { unusable } = await run('http://127.0.0.1/v1', { fetch: begun, timeout: 20 })

    expect(unusable).toBe('a response was not complete within 0.02 s')
  })

  test('it closes connections without a response', async () => {
    const { unusable } = await runBare((socket) => socket.on('data', () => socket.destroy()))

    expect(unusable).toBe('the server closed the connection before the response was complete')
  })

  test('it closes connections in the middle of a response', async () => {
    const { unusable } = await runAgainst((_, response) => {
      response.writeHead(200, { 'Content-Length': 100 })
      response.write('[', () => response.destroy())
    })

    expect(unusable).toBe('the server closed the connection before the response was complete')
  })

  test('it sends an endless response', async () => {
    const { unusable } = await runAgainst((_, response) => {
      const part = Buffer.alloc(1024 * 1024, 'x')
      const more = (): void => {
        if (response.destroyed) return
        while (response.write(part));
        response.once('drain', more)
      }
      more()
    })

    expect(unusable).toBe('a response is larger than 8 MiB')
  })

  test.each([
    ['that is nested too deeply', '['.repeat(8_000_000), 'nested more than 100 levels deep'],
    ['with too many values', `[${'null,'.repeat(1_000_000)}null]`, 'has more than 100000 values'],
  ])('it sends JSON %s', async (_what, body, why) => {
    const { unusable } = await runAgainst(answering(200, body))

    expect(unusable).toMatch(new RegExp(`^a response (?:is )?${why}$`))
  })

  test('it does not use HTTP', async () => {
    const { unusable } = await runBare((socket) => socket.write('220 mail.test ESMTP\r\n'))

    expect(unusable).toBe(
      'the server does not use HTTP at this port (use https:// instead of http://)',
    )
  })

  test('it does not use TLS', async () => {
    const { origin } = await serveHttp(answering(200, '[]'))

    const { unusable } = await run(`${origin.replace('http:', 'https:')}/v1`)

    expect(unusable).toBe(
      'the server does not use TLS at this port (use http:// instead of https://)',
    )
  })

  test('its TLS certificate is not trusted', async () => {
    const server = createServer(untrustedCertificate, answering(200, '[]')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0

    const { unusable } = await run(`https://127.0.0.1:${port}/v1`)

    server.close()
    expect(unusable).toBe(
      'the TLS certificate of the server is not trusted (set NODE_EXTRA_CA_CERTS=ca.pem to trust it)',
    )
  })

  test('it returns HTML', async () => {
    const { unusable } = await runAgainst(
      answering(200, '<!doctype html><h1>Welcome</h1>', { 'Content-Type': 'text/html' }),
    )

    expect(unusable).toBe(
      'the server returns 200 with HTML instead of JSON. Check the base address, including its version segment',
    )
  })

  test('it returns 500 for every request', async () => {
    const { unusable, requests } = await runAgainst(answering(500, 'Oops'))

    expect(unusable).toBe('the server fails every request: 500 Oops')
    expect(requests).toBeLessThan(12)
  })

  test('it returns 204 for every request', async () => {
    const { unusable } = await runAgainst((_, response) => response.writeHead(204).end())

    expect(unusable).toMatch(/^the responses are not JSON: 204 without a body/)
  })

  test('it redirects', async () => {
    const { unusable, requests } = await runAgainst((request, response) => {
      response.writeHead(308, { Location: `https://api.test${request.url}` }).end()
    })

    expect(unusable).toBe(
      'the server redirects (308) to https://api.test/v1/pets; use https://api.test/v1',
    )
    expect(requests).toBe(1)
  })

  test('it rejects the key', async () => {
    const { origin } = await serveSandbox()

    const { unusable, requests } = await run(`${origin}/v1`, { key: 'sk_wrong' })

    expect(unusable).toBe('the server rejects the key with a 401; give a valid key with --key')
    expect(requests).toBe(1)
  })

  test('the quota of the key is used up for a long time', async () => {
    const { origin } = await serveSandbox()

    const { unusable, requests } = await run(`${origin}/v1`, { key: 'sk_sandbox_day_exhausted' })

    expect(unusable).toMatch(
      /^the server returns 429 for every request with the key; try again in \d+ s$/,
    )
    expect(requests).toBeLessThan(6)
  })

  test.each(['', '/', '/v2', '/v1/pets', '/api/v1', '/v1/v1/'])(
    'the base path %o is wrong, and the message suggests the correct address',
    async (path) => {
      const { origin } = await serveSandbox()

      const { unusable } = await run(origin + path)

      expect(unusable).toBe(`the server returns 404 for every request. Did you mean ${origin}/v1?`)
    },
  )

  test('the base path is wrong, and no other address works', async () => {
    const { unusable } = await runAgainst(answering(404, '{}'))

    expect(unusable).toBe(
      'the server returns 404 for every request. Check the base address, including its version segment',
    )
  })
})

describe('a server that fails during a run', () => {
  test('gets no more requests after three probes in a row without a response', async () => {
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
      expected: 'a response',
      received: 'the server closed the connection before the response was complete',
    })
    expect(checks.map(({ reason }) => reason)).toContain('the server stopped responding')
  })

  test('is tested completely when only one operation fails', async () => {
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

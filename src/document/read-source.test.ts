import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { UsageError } from '../validation/usage-error.ts'
import { isPrivateAddress } from './download.ts'
import { loadContract } from './load-contract.ts'
import type { LoadOptions } from './load-options.ts'

const BOOKS = `openapi: 3.1.1
info: { title: Books, version: '1' }
paths:
  /books:
    get:
      responses:
        '200':
          description: The books.
          content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } }
components:
  schemas:
    Book: { type: object }
`

const servers: Server[] = []

afterEach(() => {
  vi.unstubAllGlobals()
  for (const server of servers.splice(0)) server.close()
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Starts a server, and returns its origin. */
async function serve(answer: Answer): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()

  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** A server that sends texts by their path, and the requests that it received. */
async function serveFiles(
  files: Readonly<Record<string, string>>,
): Promise<{ origin: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const origin = await serve((request, response) => {
    requests.push(request)
    const text = files[request.url ?? '']
    response.writeHead(text === undefined ? 404 : 200).end(text)
  })

  return { origin, requests }
}

function redirectTo(target: string): Answer {
  return (_, response) => response.writeHead(302, { Location: target }).end()
}

async function loadError(url: string, options?: LoadOptions): Promise<string> {
  const error: unknown = await loadContract(url, options).catch((reason) => reason)
  if (error instanceof UsageError) return error.message
  throw new Error('No UsageError', { cause: error })
}

describe('a document that is named by its URL', () => {
  test('is read as JSON or YAML, with the files of its origin that it refers to', async () => {
    const document = BOOKS.replace('#/components/schemas/Book', 'schemas/book.yaml#/Book')
    const { origin } = await serveFiles({
      '/api/openapi': document,
      '/api/schemas/book.yaml': 'Book: { type: object }\n',
    })

    const contract = await loadContract(`${origin}/api/openapi`)

    expect(contract.title).toBe('Books')
    expect(contract.operations).toHaveLength(1)
  })

  test('gets the headers, and so do the files of its origin', async () => {
    const document = BOOKS.replace('#/components/schemas/Book', 'book.yaml#/Book')
    const files = { '/openapi.yaml': document, '/book.yaml': 'Book: { type: object }\n' }
    const { origin, requests } = await serveFiles(files)

    await loadContract(`${origin}/openapi.yaml`, { headers: { Authorization: 'Bearer secret' } })

    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer secret',
      'Bearer secret',
    ])
  })

  test('sends the credentials of its URL by basic authentication, and never prints them', async () => {
    const { origin, requests } = await serveFiles({})
    const url = origin.replace('//', '//ada:p%40ss@')

    const message = await loadError(`${url}/openapi.yaml`)

    expect(requests[0]?.headers.authorization).toBe(`Basic ${btoa('ada:p@ss')}`)
    expect(message).toBe(
      `Cannot load ${origin}/openapi.yaml: the server answers with status 404. Check the path of the URL: it must be that of the document itself.`,
    )
  })

  test('may redirect, and refers to files relative to its final URL', async () => {
    const document = BOOKS.replace('#/components/schemas/Book', 'book.yaml#/Book')
    const files = { '/v2/openapi.yaml': document, '/v2/book.yaml': 'Book: { type: object }\n' }
    const { origin } = await serveFiles(files)
    const first = await serve(redirectTo(`${origin}/v2/openapi.yaml`))

    const contract = await loadContract(first)

    expect(contract.title).toBe('Books')
  })

  test('does not send its headers to another origin after a redirect', async () => {
    const requests: IncomingMessage[] = []
    const other = await serve((request, response) => {
      requests.push(request)
      response.writeHead(401).end()
    })
    const first = await serve(redirectTo(`${other}/private`))

    const message = await loadError(first, { headers: { 'X-Key': 'secret' } })

    expect(requests.map(({ headers }) => headers['x-key'])).toEqual([undefined])
    expect(message).toBe(
      `Cannot load ${first}: the server answers with status 401 after a redirect to ${other}, which does not get the headers. If you trust that server, name its URL.`,
    )
  })

  test('does not refer to another origin, directly or by a redirect, unless it is allowed', async () => {
    const other = await serveFiles({ '/book.yaml': 'Book: { type: object }\n' })
    const direct = BOOKS.replace('#/components/schemas/Book', `${other.origin}/book.yaml#/Book`)
    const redirected = BOOKS.replace('#/components/schemas/Book', '/book.yaml#/Book')
    const origin = await serve((request, response) => {
      if (request.url === '/direct') response.end(direct)
      else if (request.url === '/redirected') response.end(redirected)
      else redirectTo(`${other.origin}/book.yaml`)(request, response)
    })

    const messages = [
      await loadError(`${origin}/direct`, { strict: true }),
      await loadError(`${origin}/redirected`, { strict: true }),
    ]
    const requestsBefore = other.requests.length
    const headers = { Authorization: 'Bearer secret' }
    const contract = await loadContract(`${origin}/direct`, { remoteRefs: true, headers })

    expect(messages[0]).toContain('points to another server')
    expect(messages[1]).toContain('the server redirects to another server')
    expect(requestsBefore).toBe(0)
    expect(contract.title).toBe('Books')
    expect(other.requests[0]?.headers.authorization).toBeUndefined()
  })

  test('does not refer to files', async () => {
    const document = BOOKS.replace('#/components/schemas/Book', 'file:///etc/passwd#/Book')
    const { origin } = await serveFiles({ '/openapi.yaml': document })

    expect(await loadError(`${origin}/openapi.yaml`, { strict: true })).toContain(
      'points to a URL that the document must not read',
    )
  })
})

describe('a URL that cannot be loaded is refused with the reason and a remedy:', () => {
  test.each<[string, Answer, string]>([
    [
      'a web page',
      (_, response) => response.end('\n<!doctype html><title>API</title>'),
      'it is a web page, not an OpenAPI document. Look for the link to the document on the page, such as openapi.json.',
    ],
    [
      'a private document',
      (_, response) => response.writeHead(401).end(),
      `the server answers with status 401. Send credentials with --header 'Authorization: Bearer …'.`,
    ],
    [
      'an overloaded server',
      (_, response) => response.writeHead(503).end(),
      'the server answers with status 503. Try again later.',
    ],
    [
      'an endless redirect',
      (_, response) => response.writeHead(301, { Location: '/again' }).end(),
      'the server redirects more than 5 times. Check the URL.',
    ],
    [
      'a redirect to a file',
      (_, response) => response.writeHead(301, { Location: 'file:///etc/passwd' }).end(),
      'the server redirects to a place that is not an http or https URL. Check the URL.',
    ],
    [
      'an interrupted response',
      (_, response) =>
        response.writeHead(200, { 'Content-Length': 9 }).write('a', () => response.destroy()),
      'no connection (UND_ERR_SOCKET). Check the URL and your network connection.',
    ],
    ['an empty response', (_, response) => response.end(), 'the file is empty'],
  ])('%s', async (_what, answer, reason) => {
    const origin = await serve(answer)

    expect(await loadError(origin)).toContain(`Cannot load ${origin}: ${reason}`)
  })

  test('a port without a server', async () => {
    const origin = await serve(() => undefined)
    await new Promise((done) => servers.pop()?.close(done))

    const message = await loadError(origin)

    expect(message).toContain('no server listens on 127.0.0.1:')
    expect(message).toContain('. Check the address and the port.')
  })

  test('a port that fetch does not use', async () => {
    expect(await loadError('http://127.0.0.1:1/')).toContain('no connection (bad port)')
  })

  test('a host that does not exist', async () => {
    const message = await loadError('https://api.invalid/openapi.json')

    expect(message).toContain('the host api.invalid was not found. Check the name')
  })

  test('a server without TLS', async () => {
    const { origin } = await serveFiles({})

    const message = await loadError(origin.replace('http:', 'https:'))

    expect(message).toContain('does not answer with TLS')
  })

  test('a redirect from a public server to this machine', async () => {
    const location = 'http://127.0.0.1:9/openapi.json'
    const response = new Response(null, { status: 302, headers: { Location: location } })
    vi.stubGlobal('fetch', vi.fn().mockResolvedValue(response))

    const message = await loadError('http://192.0.2.1/openapi.json')

    expect(message).toContain(
      'the server redirects to http://127.0.0.1:9, which is this machine or a local network',
    )
  })

  test('headers that HTTP does not allow, without their value', async () => {
    const message = await loadError('http://127.0.0.1:1/', { headers: { 'X-Key': 'a\nsecret' } })

    expect(message).toContain('Cannot send the headers X-Key: HTTP does not allow')
    expect(message).not.toContain('secret')
  })
})

test.each([
  ['127.0.0.1', true],
  ['10.1.2.3', true],
  ['169.254.169.254', true],
  ['192.168.1.1', true],
  ['::1', true],
  ['fd00::1', true],
  ['::ffff:127.0.0.1', true],
  ['8.8.8.8', false],
  ['2606:4700::1111', false],
])('whether %s is an address of this machine or a local network: %s', (address, expected) => {
  expect(isPrivateAddress(address)).toBe(expected)
})

import { afterEach, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import type { SandboxOptions } from '../index.ts'
import {
  type Connection,
  connectByHttp,
  connectByMsw2,
  connectByMsw3,
  connectInProcess,
} from '../testing/connections.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { SUPPORTS_MSW_3 } from '../testing/modern-node.ts'
import { objectOf } from '../testing/operation-on.ts'

const BOOK = {
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'integer', xml: { attribute: true } }, title: { type: 'string' } },
  xml: { name: 'book' },
}

const EMMA = { id: 7, title: 'Emma' }

/** An operation whose response has these media types. */
function get(content: object, more: object = {}, headers: object = {}): object {
  return { get: { responses: { '200': { description: 'OK', content, headers }, ...more } } }
}

const list = { schema: { type: 'array', items: BOOK }, example: [EMMA] }
const one = { schema: BOOK, example: EMMA }
const file = { schema: { type: 'string', format: 'binary' } }

const PATHS = {
  '/json': get({ 'application/json': one }),
  '/hal': get({ 'application/hal+json; charset=utf-8': one }),
  '/text': get({ 'text/plain': { schema: { type: 'string' }, example: 'Grüße' } }),
  '/html': get({ 'text/html': { schema: { type: 'string' } } }),
  '/xml': get({ 'application/xml': one }),
  '/form': get({ 'application/x-www-form-urlencoded': one }),
  '/parts': get({ 'multipart/form-data': one }),
  '/csv': get({ 'text/csv': list }),
  '/lines': get({ 'application/x-ndjson': list }),
  '/sequence': get({ 'application/json-seq': list }),
  '/events': get({ 'text/event-stream': { itemSchema: BOOK, example: [EMMA, EMMA] } }),
  '/png': get({ 'image/png': file }),
  '/image': get({ 'image/*': file }),
  '/svg': get({ 'image/svg+xml': {} }),
  '/pdf': get({ 'application/pdf': file }),
  '/zip': get({ 'application/zip': file }),
  '/bytes': get({ 'application/octet-stream': file }),
  '/any': get({ 'application/json': one, 'application/xml': one, 'text/csv': one }),
  '/chat': {
    post: {
      requestBody: {
        content: { 'application/json': { schema: objectOf({ stream: { type: 'boolean' } }) } },
      },
      responses: {
        '200': {
          description: 'An answer',
          content: {
            'application/json': one,
            'text/event-stream': { itemSchema: BOOK, example: [EMMA, EMMA] },
          },
        },
      },
    },
  },
  '/strict': get({ 'application/json': one }, { '406': { description: 'No' } }),
  '/nothing': { get: { responses: { '204': { description: 'None' } } } },
  '/moved': {
    get: {
      responses: {
        '302': { description: 'Moved', headers: { Location: { schema: { type: 'string' } } } },
      },
    },
  },
  '/headers': get(
    { 'application/json': list },
    {},
    {
      ETag: { schema: { type: 'string' } },
      'X-Total-Count': { schema: { type: 'integer' } },
      'X-Request-Id': { schema: { type: 'string' } },
      'X-Flags': { schema: { type: 'array', items: { enum: ['on'] }, minItems: 2, maxItems: 2 } },
      'X-Mode': { required: true, schema: { enum: ['fast'] } },
      'Content-Type': { schema: { type: 'string' }, example: 'text/none' },
      'Content-Length': { schema: { type: 'integer' }, example: 1 },
      Link: { schema: { type: 'string' } },
    },
  ),
}

let contract: Promise<Contract> | undefined

type Connect = (options?: SandboxOptions) => Promise<Connection>

const TRANSPORTS: [name: string, connect: Connect][] = [
  ['in process', connectInProcess],
  ['over HTTP', connectByHttp],
  ['by MSW 2', connectByMsw2],
]
if (SUPPORTS_MSW_3) TRANSPORTS.push(['by MSW 3', connectByMsw3])

describe.each(TRANSPORTS)('A response of any media type, %s', (_name, connect) => {
  const connections: Connection[] = []

  afterEach(async () => {
    await Promise.all(connections.splice(0).map(({ close }) => close?.()))
  })

  async function open(): Promise<Connection> {
    contract ??= loadDocumentOf(PATHS)
    const connection = await connect({ contract: await contract })
    connections.push(connection)
    return connection
  }

  async function ask(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ): Promise<Response> {
    const { base, fetch } = await open()
    return fetch(new Request(base + path, { method, headers, redirect: 'manual' }))
  }

  it.each([
    [true, 'text/event-stream', /^(data: \{"id":7,"title":"Emma"\}\n\n){2}$/],
    [false, 'application/json', /^\{"id":\d+,"title":"Emma"\}$/],
  ])('is a stream of events if the body of the request says so: %j', async (stream, type, text) => {
    const { base, fetch } = await open()
    const response = await fetch(
      new Request(`${base}/chat`, {
        method: 'POST',
        body: JSON.stringify({ stream }),
        headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      }),
    )

    expect(response.headers.get('content-type')).toBe(type)
    expect(await response.text()).toMatch(text)
  })

  it.each([
    ['/json', 'application/json', JSON.stringify(EMMA)],
    ['/hal', 'application/hal+json; charset=utf-8', JSON.stringify(EMMA)],
    ['/text', 'text/plain; charset=utf-8', 'Grüße'],
    ['/xml', 'application/xml', /<book id="7"><title>Emma<\/title><\/book>/],
    ['/html', 'text/html; charset=utf-8', /^<!doctype html>/],
    ['/form', 'application/x-www-form-urlencoded', 'id=7&title=Emma'],
    ['/parts', /^multipart\/form-data; boundary=/, /name="title"\r\n.*\r\n\r\nEmma/],
    ['/csv', 'text/csv; charset=utf-8', 'id,title\r\n7,Emma\r\n'],
    ['/lines', 'application/x-ndjson', `${JSON.stringify(EMMA)}\n`],
    ['/sequence', 'application/json-seq', `\u001e${JSON.stringify(EMMA)}\n`],
    ['/events', 'text/event-stream', /^(data: \{"id":7,"title":"Emma"\}\n\n){2}$/],
    ['/svg', 'image/svg+xml', /^<svg /],
  ])('is the text of the value: %s', async (path, type, text) => {
    const response = await ask(path)

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(type)
    expect(await response.text()).toMatch(text)
  })

  it.each([
    ['/png', 'image/png', '89504e47'],
    ['/image', 'image/png', '89504e47'],
    ['/pdf', 'application/pdf', '25504446'],
    ['/zip', 'application/zip', '504b0304'],
    ['/bytes', 'application/octet-stream', '00010203'],
  ])('is a file with all its bytes: %s', async (path, type, start) => {
    const response = await ask(path)
    const bytes = Buffer.from(await response.arrayBuffer())

    expect(response.headers.get('content-type')).toBe(type)
    expect(bytes.toString('hex', 0, 4)).toBe(start)
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
  })

  it('has the length of a file for HEAD, without the file', async () => {
    const response = await ask('/png', {}, 'HEAD')

    expect(response.headers.get('content-length')).toBe('67')
    expect((await response.arrayBuffer()).byteLength).toBe(0)
  })

  it.each([
    ['application/xml', 'application/xml'],
    ['text/csv, application/json;q=0.5', 'text/csv; charset=utf-8'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['*/*', 'application/json'],
    ['image/png', 'application/json'],
  ])('is in the media type that Accept wants: %s', async (accept, type) => {
    expect((await ask('/any', { Accept: accept })).headers.get('content-type')).toBe(type)
  })

  it('is a 406 for a client that accepts no media type, where the document has one', async () => {
    expect((await ask('/strict', { Accept: 'text/csv' })).status).toBe(406)
  })

  it('has no content where the document describes none', async () => {
    const response = await ask('/nothing')

    expect([response.status, await response.text()]).toEqual([204, ''])
  })

  it('has the headers of the document, with true values where they are known', async () => {
    const { headers } = await ask('/headers', { 'X-Request-Id': 'mine' })

    expect(headers.get('x-total-count')).toBe('25')
    expect(headers.get('x-request-id')).toBe('mine')
    expect(headers.get('x-flags')).toBe('on,on')
    expect(headers.get('x-mode')).toBe('fast')
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{8}"$/)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('link')).toBe(null)
  })

  it('is broken off in the middle when that is forced', async () => {
    const read = ask('/png', { Prefer: 'outcome=truncated' }).then((one) => one.arrayBuffer())

    await expect(read).rejects.toThrow()
  })

  it('is in the journal with its bytes as base64, and so in archives', async () => {
    const { base, fetch, sandbox } = await open()
    await fetch(new Request(`${base}/png`))

    const { response } = sandbox.journal.exchanges[0] ?? {}
    const { log } = await sandbox.journal.toHar()

    expect(response).toMatchObject({ encoding: 'base64', body: expect.stringMatching(/^iVBOR/) })
    expect(log.entries[0]?.response.content).toMatchObject({ encoding: 'base64', size: 67 })
  })
})

describe('A redirect', () => {
  it('leads to a place of the same API, because tests must not reach other servers', async () => {
    contract ??= loadDocumentOf(PATHS)
    const { base, fetch } = await connectInProcess({ contract: await contract })

    const response = await fetch(new Request(`${base}/moved`))

    expect([response.status, response.headers.get('location')]).toEqual([302, `${base}/`])
  })
})

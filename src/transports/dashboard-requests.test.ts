import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { request as sendRequest } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createControl } from '../control.ts'
import { createSandbox, type SandboxOptions } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { createDashboard } from './dashboard-requests.ts'
import { createSandboxServer } from './server.ts'

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const PAGE = '<!doctype html><title>Sandbox</title>'
const SECRET = 'secret-of-the-page'

const directory = useTemporaryDirectory()
const closers: (() => void)[] = []

beforeEach(async () => {
  await mkdir(join(directory(), 'views'))
  await writeFile(join(directory(), 'index.html'), PAGE)
  await writeFile(join(directory(), 'app.js'), 'export {}')
  await writeFile(join(directory(), 'views', 'keys.css'), 'p {}')
  await writeFile(join(directory(), '.secret.js'), 'secret')
})

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
  readonly bytes: Buffer
}

type Send = (
  path: string,
  headers?: Readonly<Record<string, string>>,
  method?: string,
) => Promise<Answer>

function decompress(bytes: Buffer, coding: string | undefined): Buffer {
  if (coding === 'br') return brotliDecompressSync(bytes)
  return coding === 'gzip' ? gunzipSync(bytes) : bytes
}

/** Serves a sandbox with a dashboard. Paths are sent as they are. */
async function serve(options: SandboxOptions = {}, folder = directory()): Promise<Send> {
  const sandbox = createSandbox(options)
  const control = createControl(sandbox)
  const dashboard = createDashboard(sandbox, folder, SECRET)
  const server = createSandboxServer(sandbox, { control, dashboard })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0

  return async (path, headers = { Accept: HTML }, method = 'GET') => {
    const request = sendRequest({ port, host: '127.0.0.1', path, method, headers })
    request.end()
    const [response] = await once(request, 'response')
    const bytes = await buffer(response)
    return { status: response.statusCode, headers: response.headers, body: String(bytes), bytes }
  }
}

describe('a browser', () => {
  test.each(['/', '/?x=1', '/__sandbox', '/__sandbox?x=1'])('gets the page at %s', async (path) => {
    const send = await serve()

    const { status, headers, body } = await send(path)

    expect(status).toBe(200)
    expect(body).toBe(PAGE)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      vary: 'Accept, Sec-Fetch-Dest, Sec-Fetch-Mode',
    })
    expect(headers).not.toHaveProperty('etag')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
  })

  test.each([
    ['/__sandbox/', '/__sandbox'],
    ['/__sandbox/worlds/a%20b', '/__sandbox#/traffic?world=a%20b'],
    ['/__sandbox/worlds/a%20b/', '/__sandbox#/traffic?world=a%20b'],
    ['/__sandbox/worlds/%3Cscript%3E', '/__sandbox#/traffic?world=%3Cscript%3E'],
  ])('is sent from %s to %s', async (path, expected) => {
    const send = await serve()

    const { status, headers } = await send(path)

    const base = 'http://localhost/prefix'
    expect(status).toBe(302)
    expect(String(new URL(String(headers.location), base + path))).toBe(base + expected)
  })

  test('gets JSON of the other addresses of the control interface', async () => {
    const send = await serve()

    expect(JSON.parse((await send('/__sandbox/health')).body)).toHaveProperty('status', 'ready')
    expect((await send('/__sandbox/worlds/%2E%2E')).status).toBe(400)
    expect((await send('/v1')).headers['content-type']).toBe('application/json')
  })

  test('gets only the head of the page with HEAD', async () => {
    const send = await serve()

    const { status, headers, body } = await send('/__sandbox', { Accept: HTML }, 'HEAD')

    expect({ status, length: headers['content-length'], body }).toEqual({
      status: 200,
      length: String(PAGE.length),
      body: '',
    })
  })

  test('may be on another machine, because the page has no data', async () => {
    const send = await serve()

    const headers = { Accept: HTML, Host: 'sandbox.example.com', 'X-Forwarded-For': '192.0.2.1' }

    expect((await send('/__sandbox', headers)).status).toBe(200)
    expect((await send('/__sandbox/dashboard/app.js', headers)).status).toBe(200)
    expect((await send('/__sandbox/health', headers)).status).toBe(401)
  })
})

test.each([
  [{ 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate' }, true],
  [{ 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate' }, false],
  [{ 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Mode': 'cors' }, false],
  [{ 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'cors' }, false],
  [{}, false],
])('the page has its secret only in a tab: with %j', async (sent, isTab) => {
  await writeFile(join(directory(), 'index.html'), '<meta name="secret" content="%SECRET%">')
  const send = await serve()

  for (const path of ['/', '/__sandbox', '/__sandbox/dashboard/index.html']) {
    const { body } = await send(path, { Accept: HTML, ...sent })

    expect(body).toBe(`<meta name="secret" content="${isTab ? SECRET : ''}">`)
  }
})

describe('a program', () => {
  test.each([{}, { Accept: '*/*' }, { Accept: 'application/json, text/plain, */*' }])(
    'gets JSON with the headers %j',
    async (headers) => {
      const send = await serve()

      expect(JSON.parse((await send('/__sandbox', headers)).body)).toHaveProperty('operations')
      expect(JSON.parse((await send('/__sandbox/', headers)).body)).toHaveProperty('operations')
      expect(await send('/', headers)).toMatchObject({
        status: 404,
        headers: { 'content-type': 'application/json' },
      })
    },
  )

  test('gets no page for another method', async () => {
    const send = await serve()

    expect((await send('/__sandbox', { Accept: HTML }, 'POST')).status).toBe(405)
    expect((await send('/', { Accept: HTML }, 'POST')).status).toBe(404)
  })
})

describe('the files of the page', () => {
  test.each([
    ['app.js', 'text/javascript; charset=utf-8', 'export {}'],
    ['views/keys.css', 'text/css; charset=utf-8', 'p {}'],
    ['index.html', 'text/html; charset=utf-8', PAGE],
  ])('include %s with the type %s', async (name, type, text) => {
    const send = await serve()

    const { status, headers, body } = await send(`/__sandbox/dashboard/${name}`, {})

    expect({ status, body, type: headers['content-type'] }).toEqual({
      status: 200,
      body: text,
      type,
    })
  })

  test('have tags, and are not sent again to a client that has them', async () => {
    const send = await serve()
    const path = '/__sandbox/dashboard/app.js'
    const { headers } = await send(path)
    const tag = String(headers.etag)

    const again = await send(path, { 'If-None-Match': `"other", ${tag}` })
    await writeFile(join(directory(), 'app.js'), 'export const a = 1')
    const changed = await send(path, { 'If-None-Match': tag })

    expect(again).toMatchObject({ status: 304, body: '', headers: { etag: tag } })
    expect(changed).toMatchObject({ status: 200, body: 'export const a = 1' })
  })

  test.each([
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5', 'br'],
    ['br;q=0', undefined],
    ['br;q=0, gzip', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['GZIP; Q=0.5', 'gzip'],
    ['gzip;q=0.00, deflate', undefined],
    ['deflate', undefined],
    ['', undefined],
  ])('are compressed for a client that accepts "%s": %s', async (accepted, coding) => {
    const send = await serve()

    const path = '/__sandbox/dashboard/app.js'
    const { headers, bytes } = await send(path, { 'Accept-Encoding': accepted })

    expect(headers['content-encoding']).toBe(coding)
    expect(String(decompress(bytes, coding))).toBe('export {}')
    expect(headers['content-length']).toBe(String(bytes.length))
    expect(headers.vary).toBe('Accept-Encoding')
  })

  test.each([
    'other.js',
    '.secret.js',
    '../package.json',
    'views/../app.js',
    '%2e%2e/package.json',
    'views',
    'views/',
    'app.js/',
    'app.exe',
    'constructor',
    'a\\app.js',
  ])('do not include %s', async (name) => {
    const send = await serve()

    const { status, headers } = await send(`/__sandbox/dashboard/${name}`)

    expect(status).toBe(404)
    expect(headers['content-type']).toBe('application/json')
  })
})

test('an operation at the root of the server is answered instead of the page', async () => {
  const contract = await loadDocumentOf({
    '/': { get: { responses: { '204': { description: 'Nothing' } } } },
  })
  const send = await serve({ contract })

  expect((await send('/')).status).toBe(204)
  expect((await send('/__sandbox')).body).toBe(PAGE)
})

test('without its files there is no dashboard', async () => {
  const send = await serve({}, join(directory(), 'missing'))

  expect((await send('/')).status).toBe(404)
  expect(JSON.parse((await send('/__sandbox')).body)).toHaveProperty('operations')
})

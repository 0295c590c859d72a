import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { connectToBrowser } from '../testing/browser.ts'
import { startCommand, stopCommands } from '../testing/command.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const RUN = "fetch('/was-run')"
const HTML = `<!doctype html><script>${RUN}</script><img src="" onerror="${RUN}">`
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><script>${RUN}</script></html>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>${RUN}</script></svg>`
const XSLT = `<?xml-stylesheet type="text/xsl" href="#style"?><doc><xsl:stylesheet id="style" version="1.0"
  xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">${XHTML}</xsl:template></xsl:stylesheet></doc>`

/** Media types, each with a body that runs a script where a browser shows it as a page. */
const PAGES: readonly (readonly [type: string, body: string])[] = [
  ['text/html', HTML],
  ['text/html; charset=utf-8', HTML],
  ['TEXT/HTML', HTML],
  ['application/xhtml+xml', XHTML],
  ['image/svg+xml', SVG],
  ['text/xml', XHTML],
  ['application/xml', XSLT],
  ['application/atom+xml', XHTML],
  ['text/plain', HTML],
  ['text/*', HTML],
  ['text/javascript', RUN],
  ['unknown/unknown', HTML],
  ['application/octet-stream', HTML],
  ['application/pdf', HTML],
  ['application/yaml', HTML],
  ['multipart/x-mixed-replace; boundary=x', HTML],
  ['text/html, application/json', HTML],
  ['application/json; x=1, text/html', HTML],
]

/** Headers with which a document would weaken the policy of its responses. */
const HOSTILE_HEADERS = {
  'content-security-policy': "script-src * 'unsafe-inline'; sandbox allow-scripts",
  'X-CONTENT-TYPE-OPTIONS': 'sniff',
  'Clear-Site-Data': '"*"',
  'Cross-Origin-Opener-Policy': 'same-origin',
  NEL: '{"report_to":"all","max_age":1000}',
  Refresh: '0; url=/__sandbox/reset',
  'Report-To': '{"group":"all"}',
  'Service-Worker-Allowed': '/',
}

const headers = Object.fromEntries(
  Object.entries(HOSTILE_HEADERS).map(([name, value]) => [
    name,
    { required: true, schema: { type: 'string', enum: [value] }, example: value },
  ]),
)
const NOTE = {
  type: 'object',
  required: ['text'],
  properties: { id: { type: 'integer', readOnly: true }, text: { type: 'string' } },
}
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const asHtml = (schema: object) => ({
  description: 'A page.',
  content: { 'text/html': { schema } },
})

const PATHS = {
  ...Object.fromEntries(
    PAGES.map(([type, example], at) => {
      const content = { [type]: { schema: { type: 'string' }, example } }
      const response = { description: 'A page.', headers, content }
      return [`/pages/${at}`, { get: { responses: { 200: response, 418: response } } }]
    }),
  ),
  '/notes': {
    post: {
      requestBody: { content: { 'application/x-www-form-urlencoded': { schema: NOTE } } },
      responses: { 201: asHtml(NOTE) },
    },
    get: { responses: { 200: asHtml({ type: 'array', items: NOTE }) } },
  },
  '/notes/{id}': {
    get: { parameters: [ID], responses: { 200: asHtml(NOTE), 404: asHtml({ type: 'string' }) } },
  },
  '/data': {
    get: {
      responses: {
        200: { description: 'JSON.', headers, content: { 'application/json': { example: HTML } } },
      },
    },
  },
}

async function send(path: string, init?: RequestInit): Promise<Response> {
  const contract = await loadDocumentOf(PATHS)
  return createSandbox({ contract }).fetch(new Request(`http://localhost${path}`, init))
}

function policyOf(response: Response): readonly (string | null)[] {
  return ['Content-Security-Policy', 'X-Content-Type-Options'].map((name) =>
    response.headers.get(name),
  )
}

describe('a response that is not JSON has a policy by which browsers run no script,', () => {
  test.each(PAGES.map(([type], at) => [type, at]))('%s', async (_type, at) => {
    for (const init of [{}, { headers: { Prefer: 'code=418' } }, { method: 'HEAD' }]) {
      const response = await send(`/pages/${at}`, init)

      expect(policyOf(response)).toEqual([POLICY, 'nosniff'])
    }
  })

  test('a list, a record, a creation and an error', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ text: HTML }) }

    for (const response of [
      await send('/notes'),
      await send('/notes/1'),
      await send('/notes', form),
      await send('/notes/999'),
    ]) {
      expect(response.headers.get('Content-Type')).toMatch('text/html')
      expect(policyOf(response)).toEqual([POLICY, 'nosniff'])
    }
  })

  test('and no header of the document weakens it', async () => {
    const { headers } = await send('/pages/0')

    for (const name of Object.keys(HOSTILE_HEADERS).slice(2)) expect(headers.has(name)).toBe(false)
    expect((await send('/pages/15')).headers.get('Content-Disposition')).toBe('attachment')
  })
})

test('the journal shows the policy of a response', async () => {
  const contract = await loadDocumentOf(PATHS)
  const sandbox = createSandbox({ contract })

  await sandbox.fetch(new Request('http://localhost/pages/0'))

  const [exchange] = sandbox.journal.exchanges
  expect(exchange?.response.headers).toContainEqual(['Content-Security-Policy', POLICY])
})

describe('in a browser', () => {
  const directory = useTemporaryDirectory()
  let browser: Browser
  let page: Page
  let origin = ''

  beforeAll(async () => {
    browser = await connectToBrowser()
  })
  beforeEach(async () => {
    const file = join(directory(), 'api.json')
    const info = { title: 'API', version: '1' }
    await writeFile(file, JSON.stringify({ openapi: '3.1.0', info, paths: PATHS }))
    const { base } = await startCommand([file, '--log', 'silent'])
    origin = new URL(base).origin
    page = await browser.newPage()
  })
  afterEach(async () => {
    await page.close()
    await stopCommands()
  })
  afterAll(() => browser.close())

  /** Opens a page. Some types are downloads. Resolves with the requests that it sent. */
  const requestsOf = async (address: string): Promise<readonly string[]> => {
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.goto(address).catch(() => undefined)
    await page.waitForTimeout(100)
    page.removeAllListeners('request')
    return sent
  }

  test('no response of the API runs a script', async () => {
    // Shows that the bodies would run one.
    const plain = createServer(({ url }, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' })
      response.end(url === '/' ? HTML : '')
    }).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const { port } = plain.address() as AddressInfo
    expect(await requestsOf(`http://127.0.0.1:${port}/`)).toContain('/was-run')
    plain.closeAllConnections()
    plain.close()

    const body = new URLSearchParams({ text: HTML })
    const { headers } = await fetch(`${origin}/notes`, { method: 'POST', body })
    const stored = new URL(headers.get('Location') ?? '/notes/51', origin).pathname

    for (const path of [...PAGES.map((_, at) => `/pages/${at}`), '/data', '/notes', stored]) {
      expect(await requestsOf(origin + path)).not.toContain('/was-run')
    }
  }, 60_000)

  test('a script of the same origin cannot use the control interface', async () => {
    // The page of a probe has no policy, so that a script that got into it would have the origin.
    await page.goto(`${origin}/__sandbox/health/live`)

    const statuses = await page.evaluate(async () => {
      const requests: [string, RequestInit?][] = [
        ['/__sandbox/snapshot'],
        ['/__sandbox/journal', { referrerPolicy: 'no-referrer' }],
        ['/__sandbox/journal/events', { mode: 'no-cors' }],
        ['/__sandbox/metrics'],
        ['/__sandbox/worlds/one/records'],
        ['/__sandbox/reset', { method: 'POST' }],
        ['/__sandbox/reset', { method: 'POST', headers: { 'X-Sandbox-Page': 'guessed' } }],
      ]
      return Promise.all(requests.map(async (one) => (await fetch(...one)).status))
    })

    expect(new Set(statuses)).toEqual(new Set([403]))
    expect(await page.evaluate(() => self.origin)).toBe(origin)
  })

  test('a script of the same origin cannot read the secret of the dashboard', async () => {
    await page.goto(`${origin}/__sandbox`)
    const secret = await page.evaluate(
      () => document.querySelector<HTMLMetaElement>('meta[name="secret"]')?.content,
    )
    await page.goto(`${origin}/__sandbox/health/live`)

    const read = await page.evaluate(async () => {
      const wait = () => new Promise((resolve) => setTimeout(resolve, 1000))
      const headers = { Accept: 'text/html' }
      const cached: RequestInit = { headers, cache: 'only-if-cached', mode: 'same-origin' }
      const textOf = (init: RequestInit) => fetch('/__sandbox', init).then((one) => one.text())
      const contentOf = (open: () => Document | null | undefined): unknown => {
        try {
          return open()?.documentElement.outerHTML
        } catch (error) {
          return String(error)
        }
      }
      const frame = document.createElement('iframe')
      frame.src = '/__sandbox'
      document.body.append(frame)
      const opened = open('/__sandbox')
      await wait()
      return [
        await textOf({ headers }),
        await textOf({ headers, cache: 'force-cache' }),
        await textOf(cached).catch(String),
        contentOf(() => frame.contentDocument),
        contentOf(() => opened?.document),
        contentOf(() => open('/__sandbox/snapshot')?.document),
      ].join()
    })
    const worker = await page.evaluate(() =>
      navigator.serviceWorker
        .register('/pages/10', { scope: '/pages/' })
        .then(() => 'registered', String),
    )

    expect(secret).toMatch(/^\d+(-\d+){4}$/)
    expect(read).toContain('<meta name="secret" content="" />')
    expect(read).not.toContain(secret)
    expect(worker).toContain('Failed to register a ServiceWorker')
  })

  test('a control response whose address was typed is shown, and other pages cannot read it', async () => {
    await page.goto(`${origin}/__sandbox/health`)

    const shown = await page.evaluate(() => [document.body.textContent, self.origin])

    expect(shown).toEqual([expect.stringContaining('"status":"ready"'), 'null'])
  })
})

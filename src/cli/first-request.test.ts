import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import type { Answer, HandlerContext } from '../handlers/define-handlers.ts'
import type { SandboxOptions } from '../sandbox/options.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { type FirstRequest, findFirstRequest } from './first-request.ts'

const ORIGIN = 'http://localhost'
const OK = { '200': { description: 'OK' } }

const folder = useTemporaryDirectory()

/** The first request of a document with these paths. */
async function firstRequestOf(
  paths: object,
  root: object = {},
  options: SandboxOptions = {},
): Promise<FirstRequest | undefined> {
  const file = join(folder(), 'api.json')
  const info = { title: 'API', version: '1' }
  await writeFile(file, JSON.stringify({ openapi: '3.1.0', info, paths, ...root }))
  const sandbox = createSandbox({ contract: await loadContract(file), ...options })
  const { auth: given } = options
  const auth = given === 'off' || given === 'keys' ? given : 'any'

  return findFirstRequest(sandbox, { origin: ORIGIN, auth }, 5000)
}

/** The first request of an operation that requires these schemes. */
function securedRequest(
  security: readonly object[],
  options?: SandboxOptions,
): Promise<FirstRequest | undefined> {
  const securitySchemes = {
    bearer: { type: 'http', scheme: 'bearer' },
    basic: { type: 'http', scheme: 'basic' },
    digest: { type: 'http', scheme: 'digest' },
    header: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
    query: { type: 'apiKey', in: 'query', name: 'api key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
    oauth: { type: 'oauth2', flows: {} },
  }
  const paths = { '/me': { get: { security, responses: OK } } }

  return firstRequestOf(paths, { components: { securitySchemes } }, options)
}

describe('the credentials of the first request', () => {
  test.each([
    ['bearer', `-H 'Authorization: Bearer sk_sandbox' '${ORIGIN}/me'`],
    ['oauth', `-H 'Authorization: Bearer sk_sandbox' '${ORIGIN}/me'`],
    ['basic', `-u 'sk_sandbox:' '${ORIGIN}/me'`],
    ['digest', `-H 'Authorization: Digest username="sk_sandbox"' '${ORIGIN}/me'`],
    ['header', `-H 'X-Api-Key: sk_sandbox' '${ORIGIN}/me'`],
    ['query', `'${ORIGIN}/me?api%20key=sk_sandbox'`],
    ['cookie', `-b 'sid=sk_sandbox' '${ORIGIN}/me'`],
  ])('are those of the scheme %s', async (name, rest) => {
    expect(await securedRequest([{ [name]: [] }])).toEqual({ curl: `curl -i ${rest}`, status: 200 })
  })

  test('are sent together where the document requires several', async () => {
    const request = await securedRequest([{ basic: [], header: [], query: [], cookie: [] }])

    expect(request).toEqual({
      curl:
        "curl -i -u 'sk_sandbox:' -H 'X-Api-Key: sk_sandbox' -b 'sid=sk_sandbox' " +
        `'${ORIGIN}/me?api%20key=sk_sandbox'`,
      status: 200,
    })
  })

  test('are an alternative that one request can have', async () => {
    const request = await securedRequest([{ bearer: [], basic: [] }, { header: [] }])

    expect(request?.curl).toBe(`curl -i -H 'X-Api-Key: sk_sandbox' '${ORIGIN}/me'`)
  })

  test.each([
    [[{ bearer: [], oauth: [] }], `-H 'Authorization: Bearer sk_sandbox' '${ORIGIN}/me'`],
    [
      [{ query: [], header: [] }, { basic: [] }],
      `-H 'X-Api-Key: sk_sandbox' '${ORIGIN}/me?api%20key=sk_sandbox'`,
    ],
    [[{ basic: [] }, {}], `-u 'sk_sandbox:' '${ORIGIN}/me'`],
    [[{}, { basic: [] }], `'${ORIGIN}/me'`],
  ])('are those of the first alternative of %j', async (security, rest) => {
    expect(await securedRequest(security)).toEqual({ curl: `curl -i ${rest}`, status: 200 })
  })

  test('are the first key of the sandbox', async () => {
    const plans = { free: { minute: 60, day: 1000 } }
    const request = await securedRequest([{ basic: [] }], { plans, keys: { mine: 'free' } })

    expect(request?.curl).toBe(`curl -i -u 'mine:' '${ORIGIN}/me'`)
  })

  test('are left out where no key works yet', async () => {
    const root = { components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } } }
    const paths = { '/me': { get: { security: [{ basic: [] }], responses: OK } } }

    expect(await firstRequestOf(paths, root, { auth: 'keys' })).toEqual({
      curl: `curl -i '${ORIGIN}/me'`,
      status: 401,
    })
  })

  test('are left out when none are required', async () => {
    expect((await securedRequest([{ basic: [] }], { auth: 'off' }))?.curl).toBe(
      `curl -i '${ORIGIN}/me'`,
    )
  })
})

describe('the parameters of the first request', () => {
  test('are the required ones, with valid values', async () => {
    const parameters = [
      { name: 'area', in: 'path', required: true, schema: { type: 'string', enum: ['a b', 'c'] } },
      { name: 'since', in: 'query', required: true, schema: { type: 'string' }, example: "it's" },
      {
        name: 'size',
        in: 'query',
        required: true,
        schema: { type: 'integer', minimum: 5, maximum: 5 },
      },
      {
        name: 'tag[]',
        in: 'query',
        required: true,
        schema: { type: 'array', items: { enum: ['x'] } },
      },
      { name: 'page', in: 'query', schema: { type: 'integer' } },
      { name: 'X-Tenant', in: 'header', required: true, schema: { default: 'acme' } },
      { name: 'Accept', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'lang', in: 'cookie', required: true, schema: { const: 'en' } },
    ]
    const request = await firstRequestOf(
      { '/areas/{area}/log': { get: { parameters, responses: OK } } },
      { servers: [{ url: 'https://example.com/v2' }] },
    )

    expect(request).toEqual({
      curl:
        "curl -i -H 'X-Tenant: acme' -b 'lang=en' " +
        `'${ORIGIN}/v2/areas/a%20b/log?since=it'\\''s&size=5&tag%5B%5D=x'`,
      status: 200,
    })
  })

  test('name a record that exists', async () => {
    const schema = { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } }
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
    const content = { 'application/json': { schema } }
    const get = { parameters: [id], responses: { '200': { description: 'One', content } } }

    const request = await firstRequestOf({
      '/books/{id}': { get },
      '/books': {
        post: { requestBody: { content }, responses: { '201': { description: 'New', content } } },
      },
    })

    expect(request?.status).toBe(200)
    expect(request?.curl).toMatch(/^curl -i 'http:\/\/localhost\/books\/[0-9a-f-]{36}'$/)
  })
})

describe('the operation of the first request', () => {
  const list = (parameters: readonly object[] = [], more: object = {}): object => ({
    get: {
      ...more,
      parameters,
      responses: {
        '200': {
          description: 'All',
          content: {
            'application/json': {
              schema: {
                type: 'array',
                items: { type: 'object', properties: { id: { type: 'integer' } } },
              },
            },
          },
        },
      },
    },
  })
  const required = [{ name: 'team', in: 'query', required: true, schema: { type: 'string' } }]

  test('is a list of the main resource, and not for operators, deprecated or with parameters', async () => {
    const request = await firstRequestOf({
      '/admin/cron': list(),
      '/health': { get: { responses: OK } },
      '/_internal/things': list(),
      '/searches': list(required),
      '/former': list([], { deprecated: true }),
      '/tags': list(),
      '/books': list(),
      '/books/{bookId}': {
        parameters: [{ name: 'bookId', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: OK },
        delete: { responses: OK },
      },
    })

    expect(request?.curl).toBe(`curl -i '${ORIGIN}/books'`)
  })

  const redirected = { '302': { description: 'Elsewhere' } }

  test('is one that gets a 2xx response', async () => {
    const request = await firstRequestOf({
      '/first': { get: { responses: redirected } },
      '/second/{id}': { get: { responses: OK } },
    })

    expect(request).toEqual({ curl: `curl -i '${ORIGIN}/second/1'`, status: 200 })
  })

  test('is a POST with a valid body when no GET gets one', async () => {
    const schema = {
      type: 'object',
      required: ['kind', 'self'],
      properties: { kind: { enum: ['b'] }, self: { type: 'object' }, note: { type: 'string' } },
    }
    const requestBody = { required: true, content: { 'application/json': { schema } } }

    const request = await firstRequestOf({
      '/jobs': { get: { responses: redirected }, post: { requestBody, responses: OK } },
    })

    expect(request).toEqual({
      curl: `curl -i -X POST -H 'Content-Type: application/json' --data-raw '{"kind":"b","self":{}}' '${ORIGIN}/jobs'`,
      status: 200,
    })
  })

  test('has the status that it gets when none is answered with a 2xx', async () => {
    const request = await firstRequestOf({ '/a': { get: { responses: { '404': OK['200'] } } } })

    expect(request?.curl).toBe(`curl -i '${ORIGIN}/a'`)
    expect(await firstRequestOf({})).toBe(undefined)
  })
})

test('finding the first request leaves no trace in the sandbox, and needs no web request', async () => {
  vi.stubGlobal('Request', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  const sandbox = createSandbox({ latency: 60_000 })

  const request = await findFirstRequest(sandbox, { origin: ORIGIN, auth: 'keys' })

  expect(request?.curl).toBe(
    `curl -i -H 'Authorization: Bearer sk_sandbox_free' '${ORIGIN}/v1/pets'`,
  )
  expect(sandbox.journal.exchanges).toEqual([])
})

test('the handlers of an operation do not run for it', async () => {
  let runs = 0
  const own = ({ reply }: HandlerContext): Answer => {
    runs += 1
    return reply(409)
  }

  const first = await firstRequestOf(
    { '/a': { get: { responses: OK } } },
    {},
    {
      handlers: { 'GET /a': own },
    },
  )

  expect(first?.status).toBe(200)
  expect(runs).toBe(0)
})

import { createRequire } from 'node:module'
import { Ajv, type AnySchemaObject } from 'ajv'
import draft from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { version } from '../generated/package.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { Har } from './har.ts'

const require = createRequire(import.meta.url)
const schemas: Readonly<Record<string, AnySchemaObject>> = require('har-schema')

const NOON = '2027-03-01T12:00:00.000Z'
const BASE = 'http://localhost/v1'

/** What is wrong with an archive, in the words of its published schemas. */
function faultsOf(har: unknown): unknown {
  const ajv = new Ajv({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addMetaSchema(draft)
  ajv.addSchema(Object.values(schemas))
  ajv.validate('har.json#', har)

  return ajv.errors
}

function open(): Sandbox {
  const sandbox = createSandbox({ plans: { free: { minute: 8, day: 1000 } } })
  sandbox.clock.set(NOON)

  return sandbox
}

async function send(sandbox: Sandbox, path: string, init: RequestInit = {}): Promise<void> {
  const headers = { Authorization: 'Bearer sk_sandbox_free', ...init.headers }
  await sandbox.fetch(new Request(BASE + path, { ...init, headers })).catch(() => undefined)
}

function post(body: string, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } }
}

/** A body that never ends. */
function unread(): RequestInit {
  const options = { duplex: 'half' }
  return { ...post('', { Authorization: 'Bearer wrong' }), ...options, body: new ReadableStream() }
}

/** An archive of the one exchange that is sent. */
async function entryOf(
  path: string,
  init: RequestInit = {},
  sandbox: Sandbox = open(),
): Promise<Har['log']['entries'][number] | undefined> {
  await send(sandbox, path, init)
  const har = await sandbox.journal.toHar()

  return har.log.entries.at(-1)
}

describe('a HAR archive', () => {
  it('is valid HAR 1.2 for all kinds of exchanges', async () => {
    const sandbox = open()
    await send(sandbox, '/pets?limit=2&color=a%20b')
    await send(sandbox, '/pets', post('{"name":"Fern","categoryId":1,"color":"red"}'))
    await send(sandbox, '/pets', post(`"${'x'.repeat(20_000)}"`))
    await send(sandbox, '/pets', post('{', { Authorization: 'Bearer wrong' }))
    await send(sandbox, '/pets/1', { method: 'HEAD' })
    await send(sandbox, '/pets', { method: 'OPTIONS' })
    sandbox.force('reset', { times: 1 })
    await send(sandbox, '/pets')
    for (let count = 0; count < 12; count += 1) await send(sandbox, '/pets/1')

    const har = await sandbox.journal.toHar()

    const statuses = new Set(har.log.entries.map(({ response }) => response.status))
    expect([...statuses].sort((one, other) => one - other)).toEqual([
      0, 200, 201, 204, 400, 401, 429,
    ])
    expect(faultsOf(JSON.parse(JSON.stringify(har)))).toBeNull()
  })

  it('is checked by schemas that find errors', () => {
    const har = { log: { version: '1.2', creator: { name: 'x' }, entries: [{}] } }

    expect(faultsOf(har)).not.toBeNull()
  })

  it('names its creator, and can have no entries', async () => {
    const har = await open().journal.toHar()

    expect(har).toEqual({
      log: { version: '1.2', creator: { name: 'pet-sandbox', version }, entries: [] },
    })
    expect(faultsOf(har)).toBeNull()
  })

  it('has the exchanges that match the query', async () => {
    const sandbox = open()
    await send(sandbox, '/pets')
    await send(sandbox, '/nowhere')

    const har = await sandbox.journal.toHar({ status: '4xx' })

    expect(har.log.entries.map(({ request }) => request.url)).toEqual([`${BASE}/nowhere`])
  })

  it('has no complete API key', async () => {
    const sandbox = open()
    await send(sandbox, '/pets')

    expect(JSON.stringify(await sandbox.journal.toHar())).not.toContain('sk_sandbox_free')
  })
})

describe('an entry', () => {
  it('has the request, and what the sandbox knows about it', async () => {
    const body = '{"name":"Fern","categoryId":1}'

    const entry = await entryOf('/pets?color=a%20b&x', post(body))

    expect(entry).toMatchObject({
      startedDateTime: NOON,
      time: entry?.timings.wait,
      request: {
        method: 'POST',
        url: `${BASE}/pets?color=a%20b&x`,
        queryString: [
          { name: 'color', value: 'a b' },
          { name: 'x', value: '' },
        ],
        headers: expect.arrayContaining([{ name: 'authorization', value: 'Bearer …free' }]),
        postData: { mimeType: 'application/json', text: body },
        bodySize: body.length,
      },
      response: {
        status: 201,
        content: { mimeType: 'application/json', text: expect.stringContaining('"name":"Fern"') },
        redirectURL: `${BASE}/pets/51`,
      },
      _operation: 'createPet',
      _caller: 'valid',
      _key: '…free',
      _plan: 'free',
      _quota: { before: { minute: 8, day: 1000 }, after: { minute: 7, day: 999 } },
      _notes: [
        { kind: 'unknown-parameter', place: 'query.color' },
        { kind: 'unknown-parameter', place: 'query.x' },
      ],
    })
  })

  it('counts sizes in bytes', async () => {
    const body = '{"name":"Bär","categoryId":1}'

    const entry = await entryOf('/pets', post(body))

    expect(entry?.request.bodySize).toBe(body.length + 1)
    expect(entry?.response.content.size).toBe((entry?.response.content.text?.length ?? 0) + 1)
  })

  it('has the size of a long body', async () => {
    const entry = await entryOf('/pets', post(`"${'x'.repeat(20_000)}"`))

    expect(entry?.request).toMatchObject({
      postData: { text: '', comment: 'The body is longer than the journal keeps.' },
      bodySize: 20_002,
    })
  })

  it.each<[what: string, init: RequestInit, size: number]>([
    ['none', {}, 0],
    ['one that was not read', unread(), -1],
  ])('has no text for a body of %s', async (_what, init, size) => {
    const entry = await entryOf('/pets', init)

    expect(entry?.request.bodySize).toBe(size)
    expect(entry?.request).not.toHaveProperty('postData')
  })

  it('includes the byte order mark in the size of a body', async () => {
    const entry = await entryOf('/pets', post('\ufeff{"name":"Rex"}'))

    expect(entry?.request.bodySize).toBe(17)
  })

  it.each([
    ['reset', 'net::ERR_CONNECTION_RESET'],
    ['timeout', 'net::ERR_TIMED_OUT'],
  ] as const)('records a forced %s as browsers do', async (outcome, error) => {
    const sandbox = open()
    sandbox.force(outcome)
    const client = new AbortController()
    sandbox.onExchange(() => client.abort())

    const entry = await entryOf('/pets', { signal: client.signal }, sandbox)

    expect(entry?.response).toEqual({
      status: 0,
      statusText: '',
      httpVersion: '',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'x-unknown' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
      _error: error,
    })
    expect(entry?._forced).toBe(outcome)
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

let contract: Contract

beforeAll(async () => {
  contract = await loadContract('src/testing/parcels.yaml')
})

/** What happens to a response on its way from the sandbox. */
type Fault = (response: Response, request: Request) => Response | Promise<Response>

const KEY = 'user:secret-of-user'

/** A request as the sandbox gets it: without a key that nobody has. */
function withKnownKey(request: Request): Request {
  const url = new URL(request.url)
  const inQuery = url.searchParams.get('api_key')
  const isKnown = inQuery === KEY || request.headers.get('Authorization') === `Basic ${btoa(KEY)}`
  if (isKnown) return request
  request.headers.delete('Authorization')
  url.searchParams.delete('api_key')
  return inQuery === null ? request : new Request(url, request)
}

/** Verifies a sandbox in process, with a fault between the two. */
function run(
  fault: Fault = (response) => response,
  options: VerifyOptions = {},
  known = withKnownKey,
): Promise<Verification> {
  const sandbox = createSandbox({ contract })
  return verify(`http://target.test${contract.basePath}`, contract, {
    key: KEY,
    writes: true,
    decisions: true,
    fetch: async (request) => fault(await sandbox.fetch(known(request)), request),
    now: () => sandbox.clock.now(),
    ...options,
  })
}

function failedIn({ checks }: Verification): string[] {
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}

/** The response with another status, body or headers. */
async function replaced(
  response: Response,
  {
    status,
    change,
    headers,
  }: {
    readonly status?: number
    readonly change?: (body: unknown) => unknown
    readonly headers?: Readonly<Record<string, string | undefined>>
  },
): Promise<Response> {
  const text = await response.text()
  const all = new Headers(response.headers)
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === undefined) all.delete(name)
    else all.set(name, value)
  }
  const body = change && text !== '' ? JSON.stringify(change(JSON.parse(text))) : text
  return new Response(body === '' ? null : body, {
    status: status ?? response.status,
    headers: all,
  })
}

/** A fault in responses with this status to requests whose method and path have these words. */
function faultIn(words: RegExp, status: number, parts: Parameters<typeof replaced>[1]): Fault {
  return (response, { method, url }) =>
    words.test(`${method} ${url}`) && response.status === status
      ? replaced(response, parts)
      : response
}

function withoutProperty(name: string): (body: unknown) => unknown {
  return (body) => ({ ...Object(body), [name]: undefined })
}

describe('verify of a document with other security, media types and paths', () => {
  test('exercises every operation that changes only what the run created, and finds nothing in its sandbox', async () => {
    const verification = await run()

    expect(verification.unusable).toBeUndefined()
    expect(failedIn(verification)).toEqual([])
    const reason =
      'it changes /depots/{depot_id}/parcels/{number}, which no operation creates and --setup does not prepare'
    expect(verification.operations).toEqual({
      total: 8,
      exercised: 6,
      others: ['PUT', 'DELETE'].map((method) => ({
        operation: `${method} /depots/{depot_id}/parcels/{number}`,
        reason,
      })),
    })
  })

  test('says which operations need permission to write', async () => {
    const { operations } = await run(undefined, { writes: false })

    expect(operations.exercised).toBe(4)
    expect(operations.others).toContainEqual({
      operation: 'POST /depots',
      reason: 'can change records, needs --allow-writes',
    })
  })

  test('leaves requests for each operation when the budget is small', async () => {
    const { operations, requests } = await run(undefined, { budget: 12 })

    expect(operations.exercised).toBe(6)
    expect(requests).toBeLessThanOrEqual(12)
  })

  test.each<[string, string, Fault]>([
    ['a wrong status', 'GET /status/served', faultIn(/status/, 200, { status: 404 })],
    [
      'a missing required property',
      'POST /depots/201/body',
      faultIn(/POST/, 201, { change: withoutProperty('city') }),
    ],
    [
      'a value of a wrong type',
      'GET /status/200/body',
      faultIn(/status/, 200, { change: () => ({ up: 'yes' }) }),
    ],
    [
      'a wrong content type',
      'GET /depots/{depot_id}/label/200/type',
      faultIn(/label/, 200, { headers: { 'Content-Type': 'text/html' } }),
    ],
    [
      'a missing documented header',
      'GET /depots/200/X-Total',
      faultIn(/GET.*depots\?/, 200, { headers: { 'X-Total': undefined } }),
    ],
    [
      'a wrong value of an optional header',
      'POST /depots/201/X-Remaining-Depots',
      faultIn(/POST.*depots/, 201, { headers: { 'X-Remaining-Depots': 'many' } }),
    ],
    ['an undocumented status', 'GET /status/served', faultIn(/status/, 200, { status: 202 })],
    ['a 500 for invalid input', 'errors/server', faultIn(/depots/, 400, { status: 500 })],
    [
      'operations that accept missing credentials',
      'GET /depots/no-key',
      faultIn(/GET.*depots\?/, 401, { status: 200 }),
    ],
    [
      'a wrong error body',
      'GET /depots/401/body',
      faultIn(/depots/, 401, { change: () => ({ message: 'no' }) }),
    ],
    [
      'an invalid item of a list',
      'GET /depots/200/body',
      faultIn(/GET.*depots\?/, 200, {
        change: (body) => ({ ...Object(body), data: [{ depot_id: 7 }] }),
      }),
    ],
  ])('finds %s', async (_what, id, fault) => {
    expect(failedIn(await run(fault))).toContain(id)
  })

  test('expects an invalid key to be refused where the document has a 401, but not by a sandbox', async () => {
    const known = (request: Request): Request => request
    const withoutSource: Fault = (response) =>
      replaced(response, { headers: { 'X-Sandbox-Source': undefined } })
    const sandbox = await run(undefined, {}, known)
    const lenient = await run(withoutSource, {}, known)
    const strict = await run(withoutSource)

    const outcomeIn = ({ checks }: Verification, id: string): string | undefined =>
      checks.find((check) => check.id === id)?.status
    expect(outcomeIn(sandbox, 'GET /depots/wrong-key')).toBe('left-out')
    expect(outcomeIn(lenient, 'GET /depots/wrong-key')).toBe('failed')
    expect(outcomeIn(strict, 'GET /depots/wrong-key')).toBe('passed')
  })

  test('shows requests as commands without the key', async () => {
    const { checks } = await run(faultIn(/depots\?/, 200, { status: 404 }))

    const failed = checks.find(({ id }) => id === 'GET /depots/served')
    expect(failed?.exchange?.curl).toBe(
      `curl -i -u "$PET_SANDBOX_KEY" 'http://target.test/api/v2/depots?region=north'`,
    )
    expect(JSON.stringify(checks)).not.toContain('secret-of-user')
  })
})

test('a method with characters of a shell is in quotes in commands', async () => {
  const schema = { type: 'object', properties: { free: { type: 'integer' } } }
  const responses = {
    200: { description: 'Health.', content: { 'application/json': { schema } } },
  }
  const one = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }
  const created = { description: 'New.', content: { 'application/json': { schema: one } } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
  contract = await loadDocumentOf(
    {
      '/hosts': { post: { responses: { 201: created } } },
      '/hosts/{id}': { parameters: [id], additionalOperations: { '`reboot`': { responses } } },
    },
    { openapi: '3.2.0' },
  )

  const { checks } = await run(faultIn(/hosts\/\d/, 200, { change: () => ({ free: 'much' }) }))

  const commands = checks.flatMap(({ exchange }) => exchange?.curl ?? [])
  expect(commands).toContainEqual(
    expect.stringMatching(/^curl -i -X '`reboot`' 'http:\/\/target.test\/hosts\/\d+'/),
  )
  expect(commands.join().replaceAll(/'[^']*'/g, '')).not.toContain('`')
})

test('a range of media types is checked by its schema where the response is JSON', async () => {
  const schema = { type: 'object', properties: { free: { type: 'integer' } } }
  const content = { '*/*': { schema } }
  contract = await loadDocumentOf({
    '/health': { get: { responses: { 200: { description: 'Health.', content } } } },
  })

  const wrong = await run(faultIn(/health/, 200, { change: () => ({ free: 'much' }) }))

  expect(failedIn(await run())).toEqual([])
  expect(failedIn(wrong)).toContain('GET /health/200/body')
})

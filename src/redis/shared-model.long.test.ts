import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createControl } from '../control.ts'
import { createSandbox, type SandboxOptions } from '../index.ts'
import { readControlResponse, toControlRequest } from '../testing/control.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isLongRun, scaledRuns } from '../testing/long-run.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { closeInstances, openInstances } from '../testing/redis/instances.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'

const ORDER = {
  type: 'object',
  required: ['id', 'status'],
  properties: {
    id: { type: 'integer', readOnly: true },
    status: { type: 'string', enum: ['open', 'late', 'paid'] },
  },
}
const PART = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
}

/** Orders, which are late after a minute, and their parts. */
function loadOrders(): Promise<Contract> {
  const json = (schema: object) => ({ content: { 'application/json': { schema } } })
  const one = (schema: object) => ({ description: 'One', ...json(schema) })
  const list = (items: object) => ({ description: 'All', ...json({ type: 'array', items }) })
  const found = { 404: { description: 'Missing' } }
  const inPath = (name: string) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'integer' },
  })
  const late = [{ delay: '60s', set: { status: 'late' }, from: { status: 'open' } }]

  return loadDocumentOf(
    {
      '/orders': {
        get: { responses: { 200: list(ORDER) } },
        post: {
          requestBody: json(ORDER),
          responses: { 201: one(ORDER) },
          'x-sandbox': { set: { status: 'open' }, after: late },
        },
      },
      '/orders/{order}': {
        parameters: [inPath('order')],
        get: { responses: { 200: one(ORDER), ...found } },
        patch: { requestBody: json(ORDER), responses: { 200: one(ORDER), ...found } },
        delete: { responses: { 204: { description: 'Removed' }, ...found } },
      },
      '/orders/{order}/parts': {
        parameters: [inPath('order')],
        get: { responses: { 200: list(PART), ...found } },
        post: { requestBody: json(PART), responses: { 201: one(PART), ...found } },
      },
    },
    {
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    },
  )
}

/** A request to the API or to the control interface. */
interface Step {
  readonly method: string
  readonly path: string
  readonly world: string
  readonly body?: object
  /** The key of a request to the API; absent for one to the control interface. */
  readonly key?: string
}

type Send = (step: Step) => Promise<unknown>

const KEYS = ['one', 'two', 'three']
const WORLDS = ['default', 'default', 'a', 'b']

const api = (method: string, path: fc.Arbitrary<string>, bodies: readonly object[] = []) =>
  fc.record({
    method: fc.constant(method),
    path,
    world: fc.constantFrom(...WORLDS),
    key: fc.constantFrom(...KEYS),
    ...(bodies.length > 0 && { body: fc.constantFrom(...bodies) }),
  })
const control = (method: string, paths: readonly string[], bodies: readonly object[] = []) =>
  fc.record({
    method: fc.constant(method),
    path: fc.constantFrom(...paths),
    world: fc.constantFrom(...WORLDS),
    ...(bodies.length > 0 && { body: fc.constantFrom(...bodies) }),
  })

const orders = fc.constantFrom('/orders/1', '/orders/2', '/orders/3', '/orders/4')
const parts = orders.map((path) => `${path}/parts`)
const MOVES = [
  ...[{ advance: '30s' }, { advance: '1h' }, { set: '2030-01-01T00:00:00Z' }, { freeze: true }],
  ...[{ advanceToReset: 'one' }, { advanceToBanEnd: 'two' }],
]
const RULES = [
  ...[
    { outcome: 'server-error', times: 1 },
    { outcome: 'rate-limited', key: 'one' },
  ],
  ...[
    { outcome: 'not-found', probability: 0.5 },
    { outcome: 'unavailable', skip: 1, times: 2 },
  ],
]
const READS = [
  ...['/accounts', '/outcomes', '/clock', '/plans', '/keys', '/records', '/snapshot'],
  ...['/journal', '/records/orders', '/worlds', '/dropped-worlds'],
]

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: api('GET', fc.oneof(fc.constant('/orders'), orders, parts)) },
  { weight: 5, arbitrary: api('POST', fc.constant('/orders'), [{ status: 'paid' }, {}, { x: 1 }]) },
  { weight: 2, arbitrary: api('POST', parts, [{ name: 'Wheel' }]) },
  { weight: 3, arbitrary: api('PATCH', orders, [{ status: 'open' }, { status: 7 }]) },
  { weight: 4, arbitrary: api('DELETE', orders) },
  { weight: 5, arbitrary: control('GET', READS) },
  { weight: 4, arbitrary: control('POST', ['/clock'], MOVES) },
  { weight: 2, arbitrary: control('POST', ['/outcomes'], RULES) },
  { weight: 1, arbitrary: control('DELETE', ['/outcomes', '/outcomes/1', '/keys/two']) },
  { weight: 1, arbitrary: control('PUT', ['/keys/three', '/keys/two'], [{ plan: 'free' }]) },
  { weight: 1, arbitrary: control('PUT', ['/plans/free'], [{ minute: 4 }, { day: 9 }]) },
  {
    weight: 1,
    arbitrary: control(
      'PUT',
      ['/accounts/one/remaining', '/accounts/three/remaining'],
      [{ minute: 1 }],
    ),
  },
  { weight: 1, arbitrary: control('DELETE', ['/accounts/one/ban', '/accounts/two/ban']) },
  { weight: 1, arbitrary: control('POST', ['/reset', '/scenarios/few', '/scenarios/noon']) },
  { weight: 1, arbitrary: control('POST', ['/worlds'], [{ name: 'b', from: 'a' }, { name: 'a' }]) },
  { weight: 1, arbitrary: control('DELETE', ['/worlds/a', '/worlds/b', '/records/orders/2']) },
)

const FROZEN = { clock: '2027-03-01T12:00:00Z', frozen: true }

describe.skipIf(!findRedis())('two servers on one store', () => {
  let redis: StartedRedis
  let contract: Contract
  beforeAll(async () => {
    redis = await startRedis()
    contract = await loadOrders()
  })
  afterEach(closeInstances)
  afterAll(stopRedis)

  it('answer random requests and control requests as a sandbox in memory', async () => {
    const settings: SandboxOptions = {
      contract,
      auth: 'keys',
      records: 3,
      journal: 5,
      plans: { free: { minute: 5, day: 12 } },
      keys: { one: 'free', two: 'free' },
      ban: { refusals: 2, seconds: 90 },
      scenario: 'noon',
      scenarios: {
        noon: { description: 'The start', ...FROZEN },
        few: { description: 'Few records', records: 1, spent: { one: { minute: 5 } }, ...FROZEN },
      },
    }
    const property = fc.asyncProperty(
      fc.array(steps, { minLength: 30, maxLength: 30 }),
      async (list) => {
        const memory = openMemory(settings)
        const instances = await openInstances(redis.address, settings)
        const shared = instances.map(({ fetch, control: interfaceOf }) =>
          sendTo(fetch, interfaceOf),
        )
        try {
          for (const [at, step] of list.entries()) {
            const server = shared[at % 2]
            expect([at, step, await server?.(step)]).toEqual([at, step, await memory(step)])
          }
        } finally {
          await closeInstances()
        }
      },
    )
    await fc.assert(property, { numRuns: scaledRuns(3), ...(!isLongRun && { seed: 21 }) })
  }, 600_000)
})

function openMemory(settings: SandboxOptions): Send {
  const sandbox = createSandbox(settings)
  return sendTo(sandbox.fetch, createControl(sandbox))
}

function sendTo(
  fetch: (request: Request) => Promise<Response>,
  interfaceOf: Pick<ReturnType<typeof createControl>, 'fetch'>,
): Send {
  return async ({ method, path, world, body, key }) => {
    if (key === undefined) {
      const isOfSandbox = path.startsWith('/worlds') || path === '/dropped-worlds'
      const place = isOfSandbox || world === 'default' ? path : `/worlds/${world}${path}`
      const request = toControlRequest(method, `http://localhost/__sandbox${place}`, { body })
      const response = await interfaceOf.fetch(request, { address: '127.0.0.1' })
      const answer = await readControlResponse(method, place, response)
      return { status: answer.status, body: comparable(path, withoutClients(answer.body)) }
    }
    const request = toControlRequest(method, `http://localhost/worlds/${world}${path}`, {
      headers: { Authorization: `Bearer ${key}` },
      body,
    })
    const response = await fetch(request)
    const headers = [...response.headers].filter(([name]) => /^x-|retry|location/.test(name))
    return { status: response.status, headers, body: await response.text() }
  }
}

/** A world in a snapshot without how far its frozen clock is from the time of the machine, and without first records, used or not. */
function withoutRecords(state: unknown): unknown {
  return JSON.parse(JSON.stringify(state), (name, value: unknown) =>
    name === 'offset' || name === 'records' ? undefined : value,
  )
}

/** The ids of clients are random. */
function withoutClients(body: unknown): unknown {
  if (body === undefined) return undefined
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    name === 'client' ? undefined : value,
  )
}

/** What is the same on every run: exchanges take their time, and the order of worlds is that of their uses to the second. */
// biome-ignore lint/suspicious/noExplicitAny: Each path has a body of its own.
function comparable(path: string, body: any): unknown {
  if (path === '/worlds' && Array.isArray(body)) {
    return body.map((one) => JSON.stringify(one)).sort()
  }
  if (path === '/journal') {
    const { exchanges, ...others } = body
    return { ...others, exchanges: exchanges.map((one: object) => ({ ...one, milliseconds: 0 })) }
  }
  if (path !== '/snapshot') return body
  const worlds = Object.entries({ ...body.worlds, default: body.state })
  return worlds.map(([name, state]) => [name, withoutRecords(state)]).sort()
}

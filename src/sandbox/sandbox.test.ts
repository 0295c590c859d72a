import { describe, expect, it } from 'vitest'
import type { Contract, MissingRecords, Schema } from '../contract/contract.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import type { Exchange } from '../journal/exchange.ts'
import { idsOf, quotaOf, repeat } from '../testing/responses.ts'
import { type RequestOptions, toRequest } from '../testing/transports.ts'
import { UsageError } from '../validation/usage-error.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const BASE = 'http://localhost/v1'
const NOON = '2027-03-01T12:00:00Z'

function send(
  sandbox: Sandbox,
  method: string,
  path: string,
  options?: RequestOptions,
): Promise<Response> {
  return sandbox.fetch(toRequest(method, BASE + path, options))
}

/** A contract of things whose one property is made by this schema. */
function contractOf(value: Schema): Contract {
  const thing: Schema = {
    type: 'object',
    required: ['value'],
    properties: { id: { type: 'integer' }, value },
  }
  const validate = (row: unknown): boolean => (Object(row).value ?? null) !== null
  return {
    title: 'Things',
    version: '1',
    basePath: '/v1',
    operations: [
      {
        id: 'readThing',
        method: 'GET',
        path: '/things/{id}',
        secured: false,
        parameters: [],
        responses: [{ status: 200, schema: thing, validate }],
        hints: { action: 'read', resource: 'things', record: '' },
      },
    ],
    resources: {
      things: {
        ...{ name: 'things', path: '/things', item: '/things/{id}', id: 'id', idParameter: 'id' },
        ...{ idSchema: { type: 'integer' }, schema: thing, validate },
        ...{ filters: [], operations: ['readThing'], view: 'readThing' },
      },
    },
  }
}

it('reads what operations do when it is needed, which takes long in a large document', async () => {
  const given = contractOf({ type: 'integer' })
  let reads = 0
  const operations = given.operations.map((operation) =>
    Object.defineProperty({ ...operation }, 'hints', {
      get: () => {
        reads += 1
        return operation.hints
      },
    }),
  )

  const sandbox = createSandbox({ contract: { ...given, operations } })

  expect(reads).toBe(0)
  expect(await send(sandbox, 'GET', '/things/1')).toHaveProperty('status', 200)
  expect(reads).toBeGreaterThan(0)
})

describe('a reset', () => {
  it('restores the records', async () => {
    const sandbox = createSandbox({ records: 5 })
    const pets = sandbox.collection('pets')
    const before = await pets.list()
    await send(sandbox, 'POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })
    await pets.update(1, { name: 'Changed' })
    await pets.remove(2)

    sandbox.reset()

    expect(await pets.list()).toEqual(before)
    expect(await pets.create({ name: 'Rex', categoryId: 1 })).toHaveProperty('id', 6)
  })

  it('clears usage and bans', async () => {
    const sandbox = createSandbox({ plans: { free: { minute: 2 } }, ban: { refusals: 2 } })
    const spent = await repeat(4, async () => (await send(sandbox, 'GET', '/pets')).status)

    sandbox.reset()
    const response = await send(sandbox, 'GET', '/pets')

    expect(spent).toEqual([200, 200, 429, 429])
    expect(response.status).toBe(200)
    expect(quotaOf(response).remaining).toBe(1)
  })

  it('restores the clock, which runs', () => {
    const sandbox = createSandbox()
    sandbox.clock.set('2031-01-01')

    sandbox.reset()
    const earliest = Date.now()
    const now = sandbox.clock.now()

    expect(now).toBeGreaterThanOrEqual(earliest)
    expect(now).toBeLessThanOrEqual(Date.now())
  })

  it('removes forced outcomes and clears the journal', async () => {
    const sandbox = createSandbox()
    sandbox.force('server-error')
    await send(sandbox, 'GET', '/pets')

    sandbox.reset()
    const kept = sandbox.journal.exchanges.length
    const response = await send(sandbox, 'GET', '/pets')

    expect(kept).toBe(0)
    expect(response.status).toBe(200)
    expect(sandbox.journal.exchanges.map(({ id }) => id)).toEqual([1])
  })

  it('keeps the listeners', async () => {
    const sandbox = createSandbox()
    const received: Exchange[] = []
    sandbox.onExchange((exchange) => received.push(exchange))

    sandbox.reset()
    await send(sandbox, 'GET', '/pets')

    expect(received).toHaveLength(1)
  })

  it('does not affect the world for a request that is under way', async () => {
    const sandbox = createSandbox({ records: 3 })
    const creation = send(sandbox, 'POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })

    sandbox.reset()

    expect((await creation).status).toBe(201)
    expect(await sandbox.collection('pets').count()).toBe(3)
  })
})

describe('two sandboxes', () => {
  it('share no state', async () => {
    const [one, other] = [createSandbox({ records: 2 }), createSandbox({ records: 2 })]

    one.clock.set('2031-01-01')
    one.force('server-error')
    await one.collection('pets').remove(1)
    const response = await send(other, 'GET', '/pets')

    expect(response.status).toBe(200)
    expect(await idsOf(response)).toEqual([1, 2])
    expect(one.journal.exchanges).toEqual([])
  })
})

describe('an unknown name', () => {
  it.each<[name: string, action: (sandbox: Sandbox) => unknown, code: string, message: string]>([
    [
      'a collection',
      (sandbox) => sandbox.collection('pet'),
      'unknown_collection',
      'Cannot open the collection: unknown collection "pet". Did you mean "pets"?',
    ],
    [
      'an outcome',
      (sandbox) => sandbox.force('rate-limitd' as Outcome),
      'invalid_rule',
      'Cannot force "rate-limitd": unknown outcome "rate-limitd". Did you mean "rate-limited"?',
    ],
    [
      'an outcome of a well-known name',
      (sandbox) => sandbox.force('toString' as Outcome),
      'invalid_rule',
      'Cannot force "toString": unknown outcome "toString". Known: unauthorized, not-found, bad-request, rate-limited, day-exhausted, banned, removed, server-error, unavailable, timeout, reset, malformed, truncated, slow, access-denied, invalid-grant, temporarily-unavailable, expired-token, wrong-state, rotated-keys and 1 more.',
    ],
    [
      'an operation',
      (sandbox) => sandbox.force('banned', { operation: 'listPet' }),
      'invalid_rule',
      'Cannot force "banned": unknown operation "listPet". Did you mean "listPets"?',
    ],
    [
      'an option of force',
      // @ts-expect-error: it is `times`.
      (sandbox) => sandbox.force('banned', { time: 2 }),
      'invalid_rule',
      'Cannot force "banned": unknown field "time". Did you mean "times"?',
    ],
  ])('in %s throws a UsageError', (_name, action, code, message) => {
    const sandbox = createSandbox()

    expect(() => action(sandbox)).toThrow(UsageError)
    expect(() => action(sandbox)).toThrow(expect.objectContaining({ code }))
    expect(() => action(sandbox)).toThrow(message)
  })
})

describe('ready', () => {
  it('resolves when the records exist', async () => {
    const sandbox = createSandbox({ seed: 5, records: 7 })

    expect(await sandbox.ready).toBeUndefined()
    expect(await sandbox.collection('pets').count()).toBe(7)
  })

  it.each([
    [{ 'x-faker': 'number.banana' }, 'its x-faker hint fails (faker has no number.banana)'],
    [{ 'x-faker': { 'helpers.arrayElement': [[null]] } }, 'the record 1 does not match its schema'],
  ])('does not wait for records that the hint %j makes, which are missing', async (hint, why) => {
    const missing: MissingRecords[] = []
    const onRecordsMissing = (one: MissingRecords): unknown => missing.push(one)
    const contract = { ...contractOf(hint), onRecordsMissing }
    const sandbox = createSandbox({ contract })

    await sandbox.ready

    expect(await sandbox.collection('things').count()).toBe(0)
    expect(missing).toMatchObject([{ path: '/things', reason: why, count: 0 }])
  })

  it('does not use hints when no records are to be made', async () => {
    const contract = contractOf({ 'x-faker': 'number.banana' })

    expect(await createSandbox({ contract, records: 0 }).ready).toBeUndefined()
  })
})

describe('the journal', () => {
  it('records requests and responses', async () => {
    const sandbox = createSandbox()
    sandbox.clock.set(NOON)

    await send(sandbox, 'GET', '/pets?limit=2&color=red', { key: 'sk_sandbox_pro' })
    await send(sandbox, 'POST', '/pets', { body: { name: 'Rex', id: 4 } })
    await send(sandbox, 'GET', '/nowhere', { key: null })

    const shared = { time: Date.parse(NOON), milliseconds: expect.any(Number) }
    expect(sandbox.journal.exchanges).toEqual([
      {
        ...shared,
        id: 1,
        method: 'GET',
        target: '/pets?limit=2&color=red',
        operation: 'listPets',
        caller: 'valid',
        key: '…_pro',
        client: expect.any(String),
        plan: 'pro',
        status: 200,
        quota: { before: { minute: 300, day: 10_000 }, after: { minute: 299, day: 9999 } },
        source: 'record',
        notes: [{ kind: 'unknown-parameter', place: 'query.color' }],
      },
      {
        ...shared,
        id: 2,
        method: 'POST',
        target: '/pets',
        operation: 'createPet',
        caller: 'valid',
        key: '…free',
        client: expect.any(String),
        plan: 'free',
        status: 400,
        quota: { before: { minute: 60, day: 1000 }, after: { minute: 59, day: 999 } },
        reason: 'invalid-request',
        refusal: {
          code: 'invalid_request',
          message: 'body.categoryId is required',
          errors: [{ location: 'body.categoryId', keyword: 'required' }],
        },
        notes: [{ kind: 'dropped-property', place: 'body.id' }],
      },
      {
        ...shared,
        id: 3,
        method: 'GET',
        target: '/nowhere',
        caller: 'missing',
        plan: 'free',
        status: 404,
        quota: { before: { minute: 60, day: 1000 }, after: { minute: 59, day: 999 } },
        reason: 'not-found',
        refusal: { code: 'not_found', message: expect.any(String) },
        notes: [],
      },
    ])
  })

  it('keeps as many exchanges as the option says', async () => {
    const sandbox = createSandbox({ journal: 2 })

    await repeat(5, () => send(sandbox, 'GET', '/pets'))

    expect(sandbox.journal.exchanges.map(({ id }) => id)).toEqual([4, 5])
  })

  it('calls listeners with each exchange, until they unsubscribe', async () => {
    const sandbox = createSandbox({ journal: 0 })
    const received: number[] = []

    const stop = sandbox.onExchange(({ status }) => received.push(status))
    await send(sandbox, 'GET', '/pets')
    await send(sandbox, 'GET', '/pets', { key: null })
    stop()
    await send(sandbox, 'GET', '/pets')

    expect(received).toEqual([200, 401])
  })
})

describe('the order of checks', () => {
  it.each<[name: string, method: string, path: string, options: RequestOptions, status: number]>([
    ['route before key', 'GET', '/nowhere', { key: null }, 404],
    ['method before key', 'DELETE', '/pets', { key: null }, 405],
    [
      'forced outcome before key',
      'GET',
      '/pets',
      { key: null, headers: { Prefer: 'code=500' } },
      500,
    ],
    ['key before input', 'GET', '/pets?limit=0', { key: null }, 401],
    ['key before body', 'POST', '/pets', { key: 'wrong', raw: '{' }, 401],
    ['quota before input', 'GET', '/pets?limit=0', { key: 'sk_sandbox_rate_limited' }, 429],
    ['ban before input', 'POST', '/pets', { key: 'sk_sandbox_banned', raw: '{' }, 429],
    ['input before record', 'GET', '/pets/abc', {}, 404],
  ])('is %s', async (_name, method, path, options, status) => {
    const response = await send(createSandbox(), method, path, options)

    expect(response.status).toBe(status)
    expect(response.headers.get('X-RateLimit-Limit')).not.toBeNull()
  })
})

describe('an address outside the base path', () => {
  it.each(['/', '/v2/pets', '/v10', '/pets', '//v1/pets'])(
    'such as %s gets a 404 that says where the API is',
    async (path) => {
      const response = await createSandbox().fetch(new Request(`http://localhost${path}`))

      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        code: 'not_found',
        message: expect.stringMatching(
          /The API "Pet Adoption Store" is at http:\/\/localhost\/v1\. The operations are: GET \/v1\/pets,/,
        ),
      })
    },
  )
})

describe('fetch', () => {
  it('sends no body for HEAD, but its length', async () => {
    const sandbox = createSandbox({ records: 3 })

    const [got, head] = [await send(sandbox, 'GET', '/pets'), await send(sandbox, 'HEAD', '/pets')]

    expect(await head.text()).toBe('')
    expect(head.headers.get('Content-Length')).toBe(String((await got.arrayBuffer()).byteLength))
  })

  it('refuses a body over 1 MiB, with and without Content-Length', async () => {
    const sandbox = createSandbox()
    const raw = new Uint8Array(1024 * 1024 + 1)
    const headers = { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' }
    const body = new Blob([raw]).stream()
    const streamed = { method: 'POST', headers, body, duplex: 'half' }

    const responses = [
      await send(sandbox, 'POST', '/pets', { raw }),
      await send(sandbox, 'POST', '/pets', { raw, headers: { 'Content-Length': `${raw.length}` } }),
      await sandbox.fetch(new Request(`${BASE}/pets`, streamed)),
    ]

    expect(responses.map(({ status }) => status)).toEqual([413, 413, 413])
  })
})

describe('a bug of the sandbox', () => {
  it('rejects the call instead of a response', async () => {
    const contract = contractOf({ type: 'integer' })
    const [operation] = contract.operations
    if (!operation) throw new Error('There is no operation')
    const broken = {
      ...operation,
      parameters: [
        {
          name: 'id',
          in: 'path' as const,
          required: true,
          schema: {},
          validate: () => {
            throw new RangeError('a bug')
          },
        },
      ],
    }
    const sandbox = createSandbox({ contract: { ...contract, operations: [broken] }, records: 0 })

    await expect(send(sandbox, 'GET', '/things/1')).rejects.toThrow(new RangeError('a bug'))
  })
})

describe('latency', () => {
  it('delays every response, refusals too', async () => {
    const sandbox = createSandbox({ latency: '30ms' })

    await send(sandbox, 'GET', '/pets')
    await send(sandbox, 'GET', '/pets', { key: null })

    // A timer may fire a millisecond early.
    for (const { milliseconds } of sandbox.journal.exchanges) {
      expect(milliseconds).toBeGreaterThanOrEqual(29)
    }
  })
})

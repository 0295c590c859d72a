import { describe, expect, it } from 'vitest'
import { type CoreRequest, json } from '../http/message.ts'
import { CrossOrigin } from '../http/response-headers.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { type Exchange, toPlain } from './exchange.ts'
import { toFacts } from './exchange-facts.ts'
import { RecordedExchange, toJournalEntry } from './recorded-exchange.ts'

const BASE = 'http://localhost/v1'

/** Sends a request and returns its exchange from the journal. */
async function exchangeFor(
  path: string,
  init: RequestInit = {},
  sandbox: Sandbox = createSandbox(),
): Promise<Exchange> {
  const headers = { Authorization: 'Bearer sk_sandbox_free', ...init.headers }
  await sandbox.fetch(new Request(BASE + path, { ...init, headers })).catch(() => undefined)

  return await sandbox.journal.waitFor({ after: sandbox.journal.last - 1 })
}

function post(body: string, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } }
}

describe('the request of an exchange', () => {
  it('is recorded as it was sent', async () => {
    const body = '{"name":"Fern","categoryId":1}'

    const { request } = await exchangeFor('/pets?a=1&b=%20', post(body, { 'X-Test': 'yes' }))

    expect(request).toEqual({
      url: `${BASE}/pets?a=1&b=%20`,
      headers: [
        ['authorization', 'Bearer …free'],
        ['content-type', 'application/json'],
        ['x-test', 'yes'],
      ],
      body,
    })
  })

  it.each([
    ['Bearer sk_sandbox_free', 'Bearer …free'],
    ['bearer  sk_not_known', 'bearer  …nown'],
    ['Bearer 1234567', 'Bearer …'],
    ['Bearer', '…'],
    ['sk_sandbox_free', '…free'],
    ['Basic c2VjcmV0OnNlY3JldA==', 'Basic …'],
  ])('shows the credentials %s as %s', async (sent, shown) => {
    const { request } = await exchangeFor('/pets', { headers: { Authorization: sent } })

    expect(request.headers).toContainEqual(['authorization', shown])
  })

  it.each([
    ['Cookie', 'a=1; session=0123456789abcdef', '…'],
    ['Proxy-Authorization', 'Basic c2VjcmV0OnNlY3JldA==', 'Basic …'],
    ['X-API-Key', 'of-another-service', '…'],
    ['X-Auth-Token', '1234567', '…'],
    ['Idempotency-Key', 'order-7-and-no-secret', 'order-7-and-no-secret'],
  ])('shows the header %s: %s as %s', async (name, sent, shown) => {
    const { request } = await exchangeFor('/pets', { headers: { [name]: sent } })

    expect(request.headers).toContainEqual([name.toLowerCase(), shown])
  })

  it.each([
    ['the key', 401, { Authorization: 'Bearer wrong' }],
    ['a forced outcome', 429, { Prefer: 'code=429' }],
    ['its type', 415, { 'Content-Type': 'text/plain' }],
  ])('has the body, when it was refused for %s', async (_why, expected, headers) => {
    const { status, request } = await exchangeFor('/pets', post('{"name":"Rex"}', headers))

    expect(status).toBe(expected)
    expect(request.body).toBe('{"name":"Rex"}')
  })

  it('has no body, when it was refused before the body arrived', async () => {
    const never = { ...post('{}', { Authorization: 'Bearer wrong' }), duplex: 'half' as const }

    const { status, request } = await exchangeFor('/pets', { ...never, body: new ReadableStream() })

    expect(status).toBe(401)
    expect(request).not.toHaveProperty('body')
  })

  it('has a malformed body', async () => {
    const { status, request } = await exchangeFor('/pets', post('{'))

    expect(status).toBe(400)
    expect(request.body).toBe('{')
  })

  it('has only the size of a long body', async () => {
    const { request } = await exchangeFor('/pets', post(`"${'ä'.repeat(8192)}"`))

    expect(request).not.toHaveProperty('body')
    expect(request.bodySize).toBe(16_386)
  })
})

describe('the response of an exchange', () => {
  it('is recorded as it was sent', async () => {
    const sandbox = createSandbox()
    const response = await sandbox.fetch(new Request(`${BASE}/pets?limit=1`))

    const [exchange] = sandbox.journal.exchanges

    const { 'content-length': _, ...headers } = Object.fromEntries(response.headers)
    expect(exchange?.response.body).toBe(await response.text())
    expect(
      Object.fromEntries(
        exchange?.response.headers.map(([name, value]) => [name.toLowerCase(), value]) ?? [],
      ),
    ).toEqual(headers)
  })

  it('has no body for HEAD', async () => {
    const { status, response } = await exchangeFor('/pets', { method: 'HEAD' })

    expect(status).toBe(200)
    expect(response.body).toBe('')
  })

  it('has only the size of a long body', async () => {
    const sandbox = createSandbox()
    const collection = sandbox.collection('pets')
    await collection.create({
      id: 99,
      categoryId: 1,
      name: 'ä'.repeat(20_000),
      status: 'available',
    })

    const { response } = await exchangeFor('/pets/99', {}, sandbox)

    expect(response.body).toBe('')
    expect(response.bodySize).toBeGreaterThan(40_000)
  })

  it('is empty when no response was sent', async () => {
    const sandbox = createSandbox()
    sandbox.force('reset')

    const { status, response } = await exchangeFor('/pets', {}, sandbox)

    expect(status).toBe(0)
    expect(response).toEqual({ headers: [], body: '' })
  })
})

describe('headers with credentials', () => {
  it.each([
    ['Proxy-Authorization', 'Basic dXNlcjpwYXNz', 'Basic …'],
    ['Proxy-Authorization', 'Bearer sk_secret_1234', 'Bearer …1234'],
    ['Cookie', 'session=abcdefgh; theme=dark', '…'],
    ['X-Api-Key', 'sk_secret_1234', '…'],
    ['apikey', 'sk_secret_1234', '…'],
    ['X-Auth-Token', 'abc def', '…'],
    ['X-Client-Secret', 'abcdefgh', '…'],
    ['X-Request-Id', 'abcdefgh', 'abcdefgh'],
  ])('%s: %s is recorded as %s, in HAR archives too', async (name, sent, shown) => {
    const sandbox = createSandbox()
    const exchange = await exchangeFor('/pets', { headers: { [name]: sent } }, sandbox)

    expect(exchange.request.headers).toContainEqual([name.toLowerCase(), shown])
    if (sent !== shown) expect(JSON.stringify(await sandbox.journal.toHar())).not.toContain(sent)
  })
})

describe('the caller of an exchange', () => {
  it.each([
    ['Bearer sk_sandbox_pro', { caller: 'valid', key: '…_pro', plan: 'pro' }],
    ['Bearer sk_sandbox_prp', { caller: 'invalid', key: '…_prp', plan: 'free' }],
    ['Bearer short', { caller: 'invalid', key: '…', plan: 'free' }],
    ['Basic abcdefgh', { caller: 'missing', plan: 'free' }],
  ])('with %j is recorded', async (authorization, expected) => {
    const exchange = await exchangeFor('/pets', { headers: { Authorization: authorization } })

    expect(exchange).toMatchObject(expected)
    expect('key' in exchange).toBe('key' in expected)
  })
})

describe('an exchange with a short key', () => {
  it.each(['my_key', 'abc'])(
    'is found by the complete key %s, which it never shows',
    async (key) => {
      const sandbox = createSandbox({ keys: { [key]: 'pro', other_key: 'pro', xyzabc: 'pro' } })
      const wait = sandbox.journal.waitFor({ key })
      for (const sent of ['other_key', key, 'xyzabc']) {
        await exchangeFor('/pets', { headers: { Authorization: `Bearer ${sent}` } }, sandbox)
      }

      const found = sandbox.journal.find({ key })

      expect(found.map(({ id }) => id)).toEqual([2])
      expect(await wait).toEqual(found[0])
      const texts = [found.map(toPlain), found, await sandbox.journal.toHar()]
      expect(JSON.stringify(texts)).not.toContain(key)
    },
  )

  it('is found only by the complete key, where another key has the same end', async () => {
    const sandbox = createSandbox({ keys: { sk_other_free: 'pro' } })
    await exchangeFor('/pets', { headers: { Authorization: 'Bearer sk_other_free' } }, sandbox)
    await exchangeFor('/pets', {}, sandbox)

    const find = (key: string): number[] => sandbox.journal.find({ key }).map(({ id }) => id)

    expect(['sk_other_free', 'sk_sandbox_free', 'free', '…free'].map(find)).toEqual([
      [1],
      [2],
      [1, 2],
      [1, 2],
    ])
  })
})

describe('an exchange', () => {
  it('has the remaining quota before and after it', async () => {
    const plans = { free: { minute: 1, day: 5 } }
    const sandbox = createSandbox({ plans })

    const passed = await exchangeFor('/pets', {}, sandbox)
    const refused = await exchangeFor('/pets', {}, sandbox)

    expect(passed.quota).toEqual({ before: { minute: 1, day: 5 }, after: { minute: 0, day: 4 } })
    expect(refused.quota).toEqual({ before: { minute: 0, day: 4 }, after: { minute: 0, day: 4 } })
  })

  it('has the reason of its response', () => {
    const request: CoreRequest = {
      method: 'GET',
      base: BASE,
      path: '/pets',
      query: '',
      header: () => undefined,
      headers: () => [],
      body: async () => undefined,
    }
    const response = json(429, {}, { 'X-Sandbox-Reason': 'minute-quota' })
    const facts = toFacts({
      request,
      response,
      caller: 'missing',
      key: undefined,
      plan: 'free',
      operation: undefined,
      refusal: undefined,
      forced: undefined,
      body: undefined,
      notes: [],
    })
    const left = { minute: 0, day: 0 }
    const rateLimit = { limit: 1, remaining: 0, reset: 0 }
    const quota = { quota: { before: left, after: left }, rateLimit }

    const exchange = new RecordedExchange(
      toJournalEntry(1, { time: 0, follows: 0, milliseconds: 1 }, quota, facts),
      new CrossOrigin({}),
    )

    expect(exchange.reason).toBe('minute-quota')
  })

  it('notes the use of a deprecated operation, also when the request is refused', async () => {
    const note = { kind: 'deprecated-operation', place: 'getPet' }

    const passed = await exchangeFor('/pets/1')
    const refused = await exchangeFor('/pets/1', { headers: { Authorization: 'Bearer wrong' } })

    expect([passed.status, passed.notes]).toEqual([200, [note]])
    expect([refused.status, refused.notes]).toEqual([401, [note]])
  })

  it('notes an unknown preference', async () => {
    const { notes } = await exchangeFor('/pets', { headers: { Prefer: 'code=418' } })

    expect(notes).toEqual([{ kind: 'ignored-preference', place: 'prefer.code=418' }])
  })

  it('has its messages in plain copies only, not in spread copies and JSON', async () => {
    const exchange = await exchangeFor('/pets?limit=1')
    const plain = toPlain(exchange)

    expect({ ...exchange }).not.toHaveProperty('request')
    expect(JSON.parse(JSON.stringify(exchange))).not.toHaveProperty('response')
    expect(JSON.parse(JSON.stringify(plain))).toEqual({
      ...exchange,
      request: exchange.request,
      response: exchange.response,
    })
  })

  it('names the latest exchange that had ended, unless it is the one before', async () => {
    const sandbox = createSandbox()
    await exchangeFor('/pets', {}, sandbox)
    await Promise.all([exchangeFor('/pets', {}, sandbox), exchangeFor('/pets', {}, sandbox)])
    await exchangeFor('/pets', {}, sandbox)

    const follows = sandbox.journal.exchanges.map((exchange) => exchange.follows)

    expect(follows).toEqual([undefined, undefined, 1, undefined])
  })

  it('has a duration in milliseconds, to the microsecond', async () => {
    const { milliseconds } = await exchangeFor('/pets')

    expect(milliseconds).toBe(Number(milliseconds.toFixed(3)))
  })
})

describe('a reset', () => {
  it('does not end a wait for an exchange', async () => {
    const sandbox = createSandbox()
    await exchangeFor('/pets', {}, sandbox)

    const waiting = sandbox.journal.waitFor({ status: 404, after: sandbox.journal.last })
    sandbox.reset()
    await exchangeFor('/nowhere', {}, sandbox)

    expect(await waiting).toMatchObject({ id: 1, target: '/nowhere' })
  })
})

describe('a listener that throws', () => {
  it('does not change the response', async () => {
    const sandbox = createSandbox()
    const reasons: unknown[] = []
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.once('unhandledRejection', (reason) => reasons.push(reason))
    sandbox.onExchange(() => {
      throw new Error('The listener fails')
    })

    const { status } = await sandbox.fetch(new Request(`${BASE}/pets`))
    await expect.poll(() => reasons).toHaveLength(1)
    for (const other of others) process.on('unhandledRejection', other)

    expect(status).toBe(401)
    expect(reasons).toEqual([new Error('The listener fails')])
  })
})

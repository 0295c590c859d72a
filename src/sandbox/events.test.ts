import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test, vi } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { shownDelivery } from '../events/delivery-har.ts'
import type { EventOptions } from '../events/event-settings.ts'
import { defineHandlers } from '../handlers/define-handlers.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { objectOf } from '../testing/operation-on.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import type { SandboxOptions } from './options.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const contract = await loadContract('src/testing/shop-events.yaml')
const directory = useTemporaryDirectory()

/** A receiver, and the requests that it got. */
function createReceiver(statusOf: (at: number, url: string) => number = () => 200): {
  readonly got: { url: string; headers: Headers; body: unknown }[]
  readonly deliver: NonNullable<EventOptions['deliver']>
} {
  const got: { url: string; headers: Headers; body: unknown }[] = []
  return {
    got,
    deliver: async (request) => {
      got.push({ url: request.url, headers: request.headers, body: await request.json() })
      return new Response('thanks', { status: statusOf(got.length, request.url) })
    },
  }
}

function sandboxWith(events: EventOptions, options: SandboxOptions = {}): Sandbox {
  return createSandbox({ contract, events, ...options })
}

/** Sends a request, and returns the body of its response. */
async function send(
  sandbox: Pick<Sandbox, 'fetch'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await sandbox.fetch(
    new Request(`http://localhost/v1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  expect(response.status).toBeLessThan(300)
  const text = await response.text()
  return text === '' ? {} : JSON.parse(text)
}

function listOf(items: object): object {
  return { type: 'array', items }
}

function answering(schema: object, status = 200): object {
  return {
    responses: { [status]: { description: '', content: { 'application/json': { schema } } } },
  }
}

function taking(schema: object): object {
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  return { requestBody, ...answering(schema, 201) }
}

const HOOK = 'http://127.0.0.1:3000/hooks'
const ORDERS = 'http://localhost/v1/orders'

function subscribe(sandbox: Sandbox, events: readonly string[], more = {}): Promise<object> {
  return send(sandbox, 'POST', '/hooks', { events, config: { url: HOOK, secret: 'shh' }, ...more })
}

describe('the events of a sandbox', () => {
  it('wait in the strict order for one that is repeated, and are not held up by another receiver', async () => {
    let isFirst = true
    const { got, deliver } = createReceiver((_, url) => {
      const isRefused = isFirst && url === 'http://first.test/'
      isFirst &&= !isRefused
      return isRefused ? 500 : 200
    })
    const to = ['http://first.test/', 'http://other.test/']
    const sandbox = sandboxWith({ to, deliver, ordered: 'strict' })
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()
    await send(sandbox, 'PATCH', '/orders/1', { item: 'pen' })

    const waiting = await sandbox.events.settled()
    // Receivers do not wait for each other.
    const before = got.map(({ url }) => url).sort()
    sandbox.clock.advance('5s')
    const settled = await sandbox.events.settled()

    expect(waiting).toEqual({ delivered: 2, failed: 0, pending: 2 })
    expect(before).toEqual(['http://first.test/', 'http://other.test/', 'http://other.test/'])
    expect(settled).toEqual({ delivered: 4, failed: 0, pending: 0 })
    expect(got.slice(3).map(({ body }) => Object(body).type)).toEqual([
      'order.created',
      'order.updated',
    ])
  })

  it('go on in the strict order after one that is given up, and what is forced to be late holds up nothing', async () => {
    const { got, deliver } = createReceiver((at) => (at === 1 ? 500 : 200))
    const sandbox = sandboxWith({ to: HOOK, deliver, ordered: 'strict', retries: [] })
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    sandbox.force({ delivery: 'late', event: 'order.cancelled', times: 1 })
    await send(sandbox, 'POST', '/orders/1/cancel')
    await send(sandbox, 'PATCH', '/orders/1', { item: 'pen' })

    expect(await sandbox.events.settled()).toEqual({ delivered: 1, failed: 1, pending: 1 })
    expect(got.map(({ body }) => Object(body).type)).toEqual(['order.created', 'order.updated'])
  })

  it('go to the subscriptions that ask for them, in the order of their causes', async () => {
    const { got, deliver } = createReceiver()
    const sandbox = sandboxWith({ deliver })
    await subscribe(sandbox, ['order.created', 'order.cancelled'])

    const { id } = await send(sandbox, 'POST', '/orders', { item: 'book' })
    await send(sandbox, 'PATCH', `/orders/${id}`, { item: 'pen' })
    await send(sandbox, 'POST', `/orders/${id}/cancel`)
    // Doing it again changes nothing.
    await send(sandbox, 'POST', `/orders/${id}/cancel`)

    await expect(sandbox.events.settled()).resolves.toEqual({ delivered: 2, failed: 0, pending: 0 })
    expect(got.map(({ url }) => url)).toEqual([HOOK, HOOK])
    expect(got[0]?.body).toMatchObject({
      type: 'order.created',
      data: { object: { id, item: 'book', status: 'open' } },
    })
    expect(got[1]?.body).toMatchObject({
      type: 'order.cancelled',
      data: { id, status: 'cancelled' },
      previous: { status: 'open' },
    })
  })

  it('have the documented body, valid by its schema, with the event and the record in it', async () => {
    const { got, deliver } = createReceiver()
    const sandbox = sandboxWith({ deliver, to: HOOK })
    sandbox.clock.set('2030-01-01T00:00:00Z')

    const order = await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    const id = got[0]?.headers.get('webhook-id')
    expect(got[0]?.body).toEqual({
      id,
      type: 'order.created',
      created: Date.UTC(2030, 0) / 1000,
      data: { object: order },
    })
    expect(id).toMatch(/^evt_\w{24}$/)
  })

  it('are not sent to subscriptions that are paused, or that the sandbox has invented', async () => {
    const { got, deliver } = createReceiver()
    const sandbox = sandboxWith({ deliver })
    await subscribe(sandbox, ['order.created'], { active: false })

    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    expect(await sandbox.collection('hooks').count()).toBeGreaterThan(1)
    await expect(sandbox.events.subscriptions()).resolves.toMatchObject([{ isActive: false }])
    expect(got).toEqual([])
  })

  it('include the callbacks of an operation, when the request names an address', async () => {
    const { got, deliver } = createReceiver()
    const sandbox = sandboxWith({ deliver })

    const order = await send(sandbox, 'POST', '/orders', {
      item: 'book',
      callbackUrl: 'http://127.0.0.1:3000/cb',
    })
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    expect(got.map(({ url }) => url)).toEqual(['http://127.0.0.1:3000/cb/paid'])
    expect(got[0]?.body).toMatchObject({ orderId: order.id, event: 'onPaid', order })
  })

  it('are repeated on the clock until the receiver accepts them', async () => {
    const { got, deliver } = createReceiver((at) => (at < 3 ? 500 : 200))
    const sandbox = sandboxWith({ deliver, to: HOOK, retries: ['5s', '5m'] })
    sandbox.clock.freeze()
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await expect(sandbox.events.settled()).resolves.toMatchObject({ pending: 1 })

    sandbox.clock.advance('1h')

    await expect(sandbox.events.settled()).resolves.toEqual({ delivered: 1, failed: 0, pending: 0 })
    const [delivery] = sandbox.events.deliveries
    const [first, ...retries] = (delivery?.attempts ?? []).map(({ at }) => at)
    expect(retries).toEqual([Number(first) + 5000, Number(first) + 305_000])
    expect(new Set(got.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
  })

  it('fail when every attempt does, and say why', async () => {
    const sandbox = sandboxWith({
      to: HOOK,
      retries: [],
      deliver: () => Promise.reject(new Error('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
    })

    await send(sandbox, 'POST', '/orders', { item: 'book' })

    await expect(sandbox.events.settled()).resolves.toEqual({ delivered: 0, failed: 1, pending: 0 })
    expect(sandbox.events.deliveries[0]?.attempts[0]?.error).toBe('ECONNREFUSED')
  })

  it('disable a subscription whose receiver accepted no attempt, until somebody enables it again', async () => {
    const { got, deliver } = createReceiver(() => 500)
    const sandbox = sandboxWith({ deliver, retries: [] })
    const { id } = Object(await subscribe(sandbox, ['order.created']))

    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    expect(got).toHaveLength(1)
    await expect(send(sandbox, 'GET', `/hooks/${id}`)).resolves.toMatchObject({ active: false })
    await sandbox.collection('hooks').update(id, { active: true })
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()
    expect(got).toHaveLength(2)
  })

  it('give up on a receiver that never answers, without delaying the response', async () => {
    const sandbox = sandboxWith({
      to: HOOK,
      retries: [],
      timeout: '20ms',
      deliver: () => new Promise(() => undefined),
    })

    await send(sandbox, 'POST', '/orders', { item: 'book' })

    await expect(sandbox.events.settled()).resolves.toMatchObject({ failed: 1 })
    expect(sandbox.events.deliveries[0]?.attempts[0]?.error).toBe('no response within 20 ms')
  })

  it('keep their names where a subscription asks for several by a pattern', async () => {
    const text = { type: 'string' }
    const ticket = objectOf({ id: { type: 'integer' }, subject: text })
    const endpoint = objectOf({
      id: text,
      url: { ...text, format: 'uri' },
      enabled_events: { type: 'array', items: text },
    })
    const own = await loadDocumentOf({
      '/tickets': { get: answering(listOf(ticket)), post: taking(ticket) },
      '/webhook_endpoints': { get: answering(listOf(endpoint)), post: taking(endpoint) },
    })
    const { got, deliver } = createReceiver()
    const sandbox = createSandbox({ contract: own, events: { deliver } })
    for (const enabled_events of [['ticket.*'], ['*'], ['invoice.*']])
      await sandbox.collection('webhook_endpoints').create({ url: HOOK, enabled_events })

    await sandbox.collection('tickets').create({ subject: 'printer' })
    await sandbox.events.settled()

    const types = got.map(({ body }) => Object(body).type)
    expect(types.filter((type) => type !== 'webhook_endpoint.created')).toEqual([
      'ticket.created',
      'ticket.created',
    ])
  })

  it('go to this machine only, unless the options allow other hosts', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const sandbox = sandboxWith({})
    await send(sandbox, 'POST', '/hooks', {
      events: ['order.created'],
      config: { url: 'http://hooks.example.com/a' },
    })

    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    expect(sandbox.events.deliveries).toMatchObject([
      {
        state: 'refused',
        reason: 'hooks.example.com:80 is not on this machine, and is not allowed',
      },
    ])
    expect(fetched).not.toHaveBeenCalled()
    fetched.mockRestore()
  })

  it('go to the address of the options instead of one that is not allowed', async () => {
    const { got, deliver } = createReceiver()
    const sandbox = sandboxWith({ deliver, allow: [], to: HOOK })
    await send(sandbox, 'POST', '/hooks', {
      events: ['order.created'],
      config: { url: 'http://hooks.example.com/a' },
    })
    await sandbox.events.settled()
    got.length = 0

    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    expect(got.map(({ url }) => url)).toEqual([HOOK, HOOK])
  })

  it('tell of changes by tests and by handlers, and of what handlers emit', async () => {
    const { deliver } = createReceiver()
    const handlers = defineHandlers({
      async createOrder({ emit, next, records }) {
        const answer = await next()
        await records('/orders').update(1, { item: 'gift' })
        emit('order.updated', { id: 1 })
        return answer
      },
    })
    const sandbox = sandboxWith({ deliver, to: HOOK }, { handlers })

    await sandbox.collection('orders').remove(2)
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    expect(sandbox.events.deliveries.map(({ event }) => [event.type, event.record])).toEqual([
      ['order.deleted', 'orders/2'],
      ['order.created', expect.stringMatching(/^orders\/\d+$/)],
      ['order.updated', 'orders/1'],
      ['order.updated', undefined],
    ])
  })

  it('can be awaited, emitted and sent again', async () => {
    const { got, deliver } = createReceiver()
    const sandbox = sandboxWith({ deliver, to: HOOK })
    const next = sandbox.events.next('order.cancelled')

    const emitted = await sandbox.events.emit('order.cancelled')
    await sandbox.events.settled()
    sandbox.events.resend(1)
    await sandbox.events.settled()

    await expect(next).resolves.toEqual(emitted)
    expect(got.map(({ body }) => body)).toEqual([got[0]?.body, got[0]?.body])
    sandbox.events.resend(1, { fault: 'wrong-signature' })
    await sandbox.events.settled()
    expect(got).toHaveLength(3)
    expect(got[2]?.body).toEqual(got[0]?.body)
    expect(got[2]?.headers.get('webhook-signature')).not.toBe(
      got[0]?.headers.get('webhook-signature'),
    )
    expect(() => sandbox.events.resend(9)).toThrow('there is no delivery with this id')
    await expect(sandbox.events.emit('order.canceled')).rejects.toThrow(
      'Did you mean "order.cancelled"?',
    )
    await expect(sandbox.events.next('order.deleted', { timeout: 10 })).rejects.toThrow(
      'it did not happen within 10 ms; the latest were order.cancelled, order.cancelled',
    )
  })

  it('are dropped by a reset, kept by a snapshot with their ids, and not sent by a fork', async () => {
    const { got, deliver } = createReceiver((at) => (at === 1 ? 500 : 200))
    const sandbox = sandboxWith({ deliver, to: HOOK })
    sandbox.clock.freeze()
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()
    const snapshot = JSON.parse(JSON.stringify(await sandbox.snapshot()))
    const fork = await sandbox.world('fork', { from: 'default' })

    sandbox.reset()
    expect(sandbox.events.deliveries).toEqual([])
    expect(fork.events.deliveries).toEqual([])

    await sandbox.restore(snapshot)
    sandbox.clock.advance('5s')
    await expect(sandbox.events.settled()).resolves.toMatchObject({ delivered: 1 })
    expect(got).toHaveLength(2)
    expect(got[1]?.headers.get('webhook-id')).toBe(got[0]?.headers.get('webhook-id'))
  })

  it('are broken off by a reset while a receiver has them', async () => {
    const signals: AbortSignal[] = []
    const deliver = ({ signal }: Request): Promise<Response> => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    const sandbox = sandboxWith({ deliver, to: HOOK })
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await expect.poll(() => signals).toHaveLength(1)

    sandbox.reset()

    expect(signals[0]?.aborted).toBe(true)
  })

  it('are spoilt by the rules of a scenario', async () => {
    const { got, deliver } = createReceiver()
    const rules = [{ delivery: 'never', event: 'order.created' } as const]
    const scenarios = { lost: { description: 'A webhook is lost.', rules } }
    const sandbox = sandboxWith({ deliver, to: HOOK }, { scenarios })

    await sandbox.play('lost')
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()

    expect(got).toEqual([])
  })

  it('are the same for the same seed', async () => {
    const bodies = await Promise.all(
      [1, 2].map(async () => {
        const { got, deliver } = createReceiver()
        const sandbox = sandboxWith({ deliver, to: HOOK })
        sandbox.clock.set('2030-01-01T00:00:00Z')
        await send(sandbox, 'POST', '/orders', { item: 'book' })
        await sandbox.events.settled()
        return JSON.stringify(got)
      }),
    )
    expect(bodies[0]).toBe(bodies[1])
  })

  it('refuse options that cannot be right', () => {
    expect(() => sandboxWith({ to: 'localhost:3000' })).toThrow('is not a URL with http: or https:')
    const typed: object = { signature: 'gihub' }
    expect(() => sandboxWith(typed)).toThrow('unknown signature "gihub". Did you mean "github"?')
    expect(() => sandboxWith({ signature: { header: 'X Signature' } })).toThrow('"X Signature"')
    expect(() => sandboxWith({ retries: ['5s', '-1s'] })).toThrow('a delay must be at least 0')
    expect(() => sandboxWith({ timeout: 0 })).toThrow('timeout must be longer than 0')
    expect(() => sandboxWith({ allow: ['http://hooks.test/'] })).toThrow(
      '"http://hooks.test/" in allow is not a host. Write hooks.test or hooks.test:8080.',
    )
  })
})

describe('the name of an event', () => {
  it('of which no record can be made is refused with the collections at the top, and no actions', async () => {
    const { events } = createSandbox({
      contract: await loadContract('src/testing/streams.yaml'),
    })

    await expect(events.trigger('ship.created')).rejects.toThrow(
      'its name tells none of the collections at the top. Known: orders. Otherwise, emit it with your own data.',
    )
  })

  it('that never happens is refused at once with a suggestion', async () => {
    const { events } = sandboxWith({})
    const reason = 'no event has the name "ordre.cancelled". Did you mean "order.cancelled"?'

    await expect(events.next('ordre.cancelled')).rejects.toThrow(reason)
    await expect(events.emit('ordre.cancelled')).rejects.toThrow(reason)
    await expect(events.trigger('ordre.cancelled')).rejects.toThrow(reason)
    await expect(events.next('ordre.*')).rejects.toThrow('Did you mean "order.*"?')
    await expect(events.emit('order.*')).rejects.toThrow('no event has the name')
  })

  it('may be one that changes cause and the document does not list', async () => {
    const { events } = sandboxWith({})

    await expect(events.emit('hook.created')).resolves.toMatchObject({ type: 'hook.created' })
  })

  it('may be any where the document names none, but for a misspelt one', async () => {
    const file = join(directory(), 'unnamed.yaml')
    const document = await readFile('src/testing/shop-events.yaml', 'utf8')
    await writeFile(
      file,
      document
        .replace(/, enum: \[order\.created, [^\]]*\]/, '')
        .replace(/^webhooks:\n.*\n.*\n/m, ''),
    )
    const { events } = sandboxWith({}, { contract: await loadContract(file) })
    const next = events.next('invoice.*')

    await events.emit('invoice.paid')

    await expect(next).resolves.toMatchObject({ type: 'invoice.paid' })
    await expect(events.emit('order.cancled')).rejects.toThrow('Did you mean "order.cancelled"?')
    await expect(events.next('order.cancled')).rejects.toThrow('Did you mean "order.cancelled"?')
  })

  it('is waited for with known options only', async () => {
    const options: object = { timeot: 5 }

    await expect(sandboxWith({}).events.next('order.created', options)).rejects.toThrow(
      'Did you mean "timeout"?',
    )
  })
})

describe('a rule for deliveries', () => {
  it('for an event that never happens is refused with a suggestion, also in process', () => {
    const sandbox = sandboxWith({})

    expect(() => sandbox.force({ delivery: 'twice', event: 'order.creatd' })).toThrow(
      'no event has the name "order.creatd". Did you mean "order.created"?',
    )
    expect(() => sandbox.force({ delivery: 'twice', event: 'ordr.*' })).toThrow('no event has')
    expect(sandbox.forced()).toEqual([])
    expect(sandbox.force({ delivery: 'twice', event: 'order.*' }).id).toBe(1)
  })

  it('may name any event where own code can emit it', () => {
    const handlers = defineHandlers({ createOrder: ({ next }) => next() })

    const sandbox = sandboxWith({}, { handlers })

    expect(sandbox.force({ delivery: 'twice', event: 'order.refunded' }).id).toBe(1)
    expect(() => sandbox.force({ delivery: 'twice', event: 'order.creatd' })).toThrow(
      'Did you mean "order.created"?',
    )
  })
})

test('a subscription to names that the document does not list gets what they tell', async () => {
  const document = await readFile('src/testing/shop-events.yaml', 'utf8')
  const file = join(directory(), 'shop.yaml')
  await writeFile(file, document.replace(/, enum: \[order\.created, [^\]]*\]/, ''))
  const { got, deliver } = createReceiver()
  const sandbox = sandboxWith({ deliver }, { contract: await loadContract(file) })
  await subscribe(sandbox, ['orders'])
  await subscribe(sandbox, ['order.edited', 'customer.created'])

  await send(sandbox, 'POST', '/orders', { item: 'book' })
  await send(sandbox, 'PATCH', '/orders/1', { item: 'pen' })
  await sandbox.events.settled()

  const sent = sandbox.events.deliveries.map(({ subscription, event }) => [
    subscription,
    event.type,
  ])
  expect(sent).toEqual([
    ['hooks/26', 'orders'],
    ['hooks/26', 'orders'],
    ['hooks/27', 'order.edited'],
  ])
  expect(got).toHaveLength(3)
})

test('the secret of a subscription is in no journal, also when the request is refused', async () => {
  const { got, deliver } = createReceiver()
  const sandbox = sandboxWith({ deliver })
  const secret = 'very secret'
  const config = { url: HOOK, secret }
  await send(sandbox, 'POST', '/hooks', { events: ['order.created'], config })
  await sandbox.fetch(
    new Request('http://localhost/v1/hooks', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ events: 7, config }),
    }),
  )
  await send(sandbox, 'GET', '/hooks')
  await send(sandbox, 'POST', '/orders', { item: 'book' })
  await sandbox.events.settled()

  const [created, refused] = sandbox.journal.exchanges

  expect([created?.status, refused?.status]).toEqual([201, 400])
  expect(created?.request.body).toContain(HOOK)
  expect(JSON.stringify(await sandbox.journal.toHar({ deliveries: true }))).not.toContain(secret)
  expect(JSON.stringify(sandbox.journal.exchanges)).not.toContain(secret)
  expect(got).toHaveLength(1)
})

test('a replayed delivery is shown without the secret that it is sent with', async () => {
  const { deliver } = createReceiver()
  const sandbox = sandboxWith({ to: HOOK, deliver, signature: 'bearer', secret: 'very secret' })
  await send(sandbox, 'POST', '/orders', { item: 'book' })
  await sandbox.events.settled()

  sandbox.force({ delivery: 'replay', times: 1 })
  await send(sandbox, 'POST', '/orders', { item: 'pen' })
  const shown = sandbox.events.deliveries.map(shownDelivery)

  expect(shown[1]).toMatchObject({
    fault: 'replay',
    headers: { Authorization: expect.stringMatching(/^Bearer /) },
  })
  expect(JSON.stringify(shown)).not.toContain('very secret')
})

test('the option deliver is a short form of that of the events', async () => {
  const { got, deliver } = createReceiver()
  const sandbox = createSandbox({ contract, deliver })
  await subscribe(sandbox, ['order.created'])

  await send(sandbox, 'POST', '/orders', { item: 'book' })

  expect(await sandbox.events.settled()).toMatchObject({ delivered: 1 })
  expect(got.map(({ url }) => url)).toEqual([HOOK])
})

describe('an archive of the journal', () => {
  it('has each attempt at a receiver, without secrets; with a query only if it is asked for', async () => {
    const statuses = [500, 200]
    const sandbox = sandboxWith({
      to: HOOK,
      deliver: async () => new Response('thanks', { status: statuses.shift() ?? 200 }),
      ...{ signature: 'bearer', secret: 'very secret' },
    })
    await send(sandbox, 'POST', '/orders', { item: 'book' })
    await sandbox.events.settled()
    sandbox.clock.advance('5s')
    await sandbox.events.settled()

    const { log } = await sandbox.journal.toHar()
    const urlsOf = async (query: Parameters<typeof sandbox.journal.toHar>[0]) =>
      (await sandbox.journal.toHar(query)).log.entries.map(({ request }) => request.url)

    expect(await urlsOf({ operation: 'createOrder' })).toEqual([ORDERS])
    expect(await urlsOf({ deliveries: false })).toEqual([ORDERS])
    expect(await urlsOf({ operation: 'createOrder', deliveries: true })).toEqual([
      ORDERS,
      HOOK,
      HOOK,
    ])
    const [delivery] = sandbox.events.deliveries
    expect(log.entries.slice(1)).toMatchObject(
      [500, 200].map((status, at) => ({
        _event: { id: delivery?.event.id, type: 'order.created' },
        _sent: { id: 1, attempt: at + 1, state: 'delivered' },
        request: { postData: { mimeType: 'application/json', text: delivery?.body } },
        response: { status, content: { text: 'thanks' } },
      })),
    )
    expect(JSON.stringify(log)).not.toContain('very secret')
  })

  it('has why a delivery failed or was refused', async () => {
    const deliver = () => Promise.reject(new Error('the receiver is away'))
    const sandbox = sandboxWith({ retries: [], deliver, allow: [] })
    const config = { url: 'http://192.0.2.1/hooks' }
    await send(sandbox, 'POST', '/hooks', { events: ['order.created'], config })
    await send(sandbox, 'POST', '/orders', { item: 'book', callbackUrl: HOOK })
    await sandbox.events.settled()

    const { log } = await sandbox.journal.toHar()
    const sent = log.entries.filter((entry) => entry._sent)

    expect(sent).toMatchObject([
      {
        _sent: { state: 'refused', subscription: 'hooks/26' },
        request: { url: config.url },
        response: { status: 0, _error: expect.stringMatching(/not on this machine/) },
      },
      {
        _sent: { state: 'failed', attempt: 1 },
        response: { status: 0, _error: 'the receiver is away' },
      },
    ])
    expect(sent[0]?._sent).not.toHaveProperty('attempt')
  })
})

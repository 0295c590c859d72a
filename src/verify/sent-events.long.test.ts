import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import type { EventReceiver, ReceivedEvent } from './session/event-addresses.ts'
import type { VerifyOptions } from './session/options.ts'
import type { CheckResult } from './verification.ts'
import { verify } from './verify.ts'

const contract = await loadContract('src/testing/shop-events.yaml')
const folder = useTemporaryDirectory()
const BASE = 'http://127.0.0.1:3000/v1'
const RECEIVER = 'http://127.0.0.1:9/events'

/** What a faulty service changes in its event; `undefined` for one that it does not send. */
type Fault = (event: ReceivedEvent) => ReceivedEvent | undefined

interface Service {
  readonly fault?: Fault
  /** Answers instead of the service. */
  readonly answer?: (request: Request, body: string) => Response | undefined
  readonly base?: string
  readonly document?: Contract
  readonly options?: VerifyOptions
}

/** The checks of events against a service that sends them, perhaps with a fault. */
async function checked({
  fault = (event) => event,
  answer = () => undefined,
  base = BASE,
  document = contract,
  options = {},
}: Service = {}): Promise<{ readonly checks: readonly CheckResult[]; readonly sandbox: Sandbox }> {
  const received: ReceivedEvent[] = []
  const sandbox = createSandbox({
    contract: document,
    events: {
      deliver: async (request) => {
        const { method, headers, url } = request
        const target = url.slice(RECEIVER.length)
        const event = fault({ method, target, headers, text: await request.text(), isCut: false })
        if (event && url.startsWith(RECEIVER)) received.push(event)
        return new Response(null, { status: 204 })
      },
    },
  })
  const { checks } = await verify(base, document, {
    writes: true,
    // What arrives is checked with any budget.
    budget: 60,
    fetch: async (request) =>
      answer(request, await request.clone().text()) ?? (await sandbox.fetch(request)),
    listen: async () => ({
      url: RECEIVER,
      received,
      quiet: async () => void (await sandbox.events.settled()),
      close: async () => undefined,
    }),
    ...options,
  })
  return { checks, sandbox }
}

const ofEvents = ({ id }: CheckResult): boolean => /webhooks|callbacks/.test(id)

async function statusesOf(service?: Service): Promise<Readonly<Record<string, string>>> {
  const { checks } = await checked(service)
  return Object.fromEntries(
    checks.filter(ofEvents).map(({ id, status, reason }) => [id, reason ?? status]),
  )
}

async function failed(service: Service): Promise<readonly CheckResult[]> {
  const { checks } = await checked(service)
  return checks.filter(({ status }) => status === 'failed')
}

const ALL = [
  'webhooks/order.created',
  'webhooks/described',
  'createOrder/callbacks/onPaid',
  'createOrder/callbacks/described',
]
const allAre = (status: string): object => Object.fromEntries(ALL.map((id) => [id, status]))

const isCreated = ({ text }: ReceivedEvent): boolean => text.includes('"order.created"')
const isPaid = ({ target }: ReceivedEvent): boolean => target.endsWith('/paid')

describe('a service on this machine that sends what its document describes', () => {
  test('gets addresses of the run in new subscriptions and for callbacks, and passes', async () => {
    const { checks, sandbox } = await checked()

    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(Object.fromEntries(checks.filter(ofEvents).map((one) => [one.id, one.status]))).toEqual(
      allAre('passed'),
    )
    expect(sandbox.events.deliveries.some(({ url }) => url.startsWith(RECEIVER))).toBe(true)
  })

  test('sends events without a body that is checked where it asks whether somebody is there', async () => {
    const fault: Fault = (event) =>
      isCreated(event) ? { ...event, method: 'GET', text: '' } : event

    expect(await statusesOf({ fault })).toMatchObject({
      'webhooks/order.created': 'nothing has arrived of the event during the run',
    })
  })
})

/** The document, with other events in a subscription. */
async function withEvents(events: string): Promise<Contract> {
  const text = await readFile('src/testing/shop-events.yaml', 'utf8')
  const file = join(folder(), 'shop.yaml')
  const own =
    'events: { type: array, items: { type: string, enum: [order.created, order.updated, order.cancelled, order.deleted] } },'
  const required = 'required: [config, events]'
  expect(text).toContain(own)
  await writeFile(
    file,
    text
      .replace(own, events)
      .replace(required, 'required: [config]')
      .replace('type: { type: string }', 'type: { const: order.created }'),
  )
  return await loadContract(file)
}

describe('a subscription of the run', () => {
  test('asks for events by flags where it has some', async () => {
    const flags =
      'events: { type: object, required: [order.created], properties: { order.created: { type: boolean }, order.updated: { type: boolean } } },'
    const document = await withEvents(flags)

    expect(await statusesOf({ document })).toEqual(allAre('passed'))
  })

  test('that gets everything may get what the document does not describe: another decision', async () => {
    const document = await withEvents('')

    expect(await statusesOf({ document })).toEqual({
      ...allAre('passed'),
      'webhooks/others': 'differs',
    })
  })
})

test('what causes events is sent, also when only their checks are selected', async () => {
  const { checks } = await checked({ options: { check: 'webhooks' } })

  expect(checks.map(({ id, status }) => [id, status])).toEqual([
    ['webhooks/order.created', 'passed'],
    ['webhooks/described', 'passed'],
  ])
})

describe('a service that does not send what its document describes', () => {
  const created = (change: (event: ReceivedEvent) => object): Fault => {
    return (event) => (isCreated(event) ? { ...event, ...change(event) } : event)
  }
  const withBody = (change: (body: Record<string, unknown>) => object): Fault =>
    created(({ text }) => ({ text: JSON.stringify(change(JSON.parse(text))) }))

  test.each<[string, Fault, Partial<CheckResult>]>([
    [
      'a body without a required property',
      withBody(({ id: _, ...others }) => others),
      { id: 'webhooks/order.created', expected: 'body.id is required' },
    ],
    [
      'a wrong type deep in the body',
      withBody((body) => ({ ...body, data: { object: { id: 'one', item: 'a', status: 'open' } } })),
      { id: 'webhooks/order.created', expected: 'body.data.object.id must be integer' },
    ],
    [
      'a body that is no JSON',
      created(({ text }) => ({
        text: text.slice(0, -1),
        headers: new Headers({ 'X-Event': 'order.created', 'Content-Type': 'application/json' }),
      })),
      { id: 'webhooks/order.created', expected: 'a JSON body' },
    ],
    [
      'another media type',
      created(() => ({ headers: new Headers({ 'Content-Type': 'text/plain' }) })),
      {
        id: 'webhooks/order.created',
        expected: 'Content-Type: application/json',
        received: 'text/plain',
      },
    ],
    [
      'another method',
      created(() => ({ method: 'PUT' })),
      { id: 'webhooks/order.created', expected: 'POST' },
    ],
    [
      'an event that the document does not have',
      withBody((body) => ({ ...body, type: 'order.archived' })),
      { id: 'webhooks/described', expected: 'one of order.created' },
    ],
    [
      'a callback with a body that breaks its schema',
      (event) => (isPaid(event) ? { ...event, text: '{"orderId":"7"}' } : event),
      { id: 'createOrder/callbacks/onPaid', expected: 'body.orderId must be integer' },
    ],
    [
      'a callback at another path',
      (event) =>
        isPaid(event) ? { ...event, target: event.target.replace('/paid', '/payed') } : event,
      { id: 'createOrder/callbacks/described', expected: 'one of onPaid' },
    ],
  ])('fails for %s', async (_name, fault, expected) => {
    expect(await failed({ fault })).toEqual([expect.objectContaining(expected)])
  })
})

describe('events are left out', () => {
  test('where nothing has arrived, because a service may send later', async () => {
    const reason = 'nothing has arrived of the event during the run'

    expect(await statusesOf({ fault: () => undefined })).toEqual(allAre(reason))
  })

  test('where the service is on another machine, which gets no address of this one', async () => {
    const base = 'http://api.test/v1'
    const { checks, sandbox } = await checked({ base })
    const [first] = checks.filter(ofEvents)

    expect(first?.reason).toBe(
      'the service is not on this machine, so that it can send no events to the run',
    )
    expect(sandbox.events.deliveries.filter(({ url }) => url.startsWith(RECEIVER))).toEqual([])
  })

  test('in a run that only reads', async () => {
    const reason = 'can change records, needs --allow-writes'

    expect(await statusesOf({ options: { writes: false } })).toEqual(allAre(reason))
  })

  test('where the service refuses addresses of this machine, and its other checks pass', async () => {
    const answer = (request: Request, body: string): Response | undefined =>
      request.method === 'POST' && body.includes(RECEIVER)
        ? Response.json({ code: 'invalid', message: 'The host is private.' }, { status: 422 })
        : undefined
    const { checks } = await checked({ answer })

    expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(checks.filter(ofEvents).map(({ reason }) => reason)).toEqual(
      ALL.map(() => 'the service accepts no address of this machine for events'),
    )
  })
})

test('a document without webhooks and callbacks listens for nothing', async () => {
  const plain = await loadContract('openapi.yaml')
  const sandbox = createSandbox()
  const { checks } = await verify(BASE, plain, {
    writes: true,
    key: 'sk_sandbox_free',
    fetch: (request) => sandbox.fetch(request),
    listen: () => Promise.reject(new Error('It listens.')),
  })

  expect(checks.filter(ofEvents)).toEqual([])
})

test('a run that fails stops listening, so that its process can end', async () => {
  let isOpen = true
  const listen = async (): Promise<EventReceiver> => ({
    ...{ url: RECEIVER, received: [], quiet: async () => undefined },
    close: async () => {
      isOpen = false
    },
  })
  const onProgress = (): never => {
    throw new Error('The terminal is gone.')
  }

  await expect(verify(BASE, contract, { writes: true, listen, onProgress })).rejects.toThrow(
    'The terminal is gone.',
  )
  expect(isOpen).toBe(false)
})

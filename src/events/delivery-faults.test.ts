import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import type { DeliveryFault } from '../forcing/outcomes.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { EventOptions } from './event-settings.ts'
import { RefusedAddressError } from './targets.ts'

const contract = await loadContract('src/testing/shop-events.yaml')
const HOOK = 'http://127.0.0.1:3000/hooks'

/** A delivery as a receiver gets it. */
interface Received {
  readonly id: string | null
  readonly type: string | null
  readonly body: string
  /** Whether the signature fits. */
  readonly isGenuine: boolean
  /** How old the timestamp is, in seconds. */
  readonly age: number
}

let got: Received[] = []

beforeEach(() => {
  got = []
})

/** A sandbox with a receiver that accepts only what is genuine and new. */
function open(events: EventOptions = {}): Sandbox {
  const sandbox = createSandbox({
    contract,
    events: {
      to: HOOK,
      deliver: async (request) => {
        const received = await read(request, sandbox.events.secret)
        got.push(received)
        return new Response(null, { status: isAcceptable(received) ? 204 : 400 })
      },
      ...events,
    },
  })
  sandbox.clock.freeze()
  return sandbox
}

function isAcceptable({ isGenuine, age, type }: Received): boolean {
  return isGenuine && age < 300 && type === 'application/json'
}

async function read(request: Request, secret: string): Promise<Received> {
  const body = await request.text()
  const id = request.headers.get('webhook-id')
  const timestamp = request.headers.get('webhook-timestamp')
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')

  return {
    id,
    type: request.headers.get('content-type'),
    body,
    isGenuine: request.headers.get('webhook-signature') === `v1,${signature}`,
    age: Date.now() / 1000 - Number(timestamp),
  }
}

async function order(sandbox: Sandbox, item = 'book'): Promise<void> {
  const response = await sandbox.fetch(
    new Request('http://localhost/v1/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ item }),
    }),
  )
  expect(response.status).toBe(201)
}

/** What happens to the event of a new order after a fault is forced. */
async function orderWith(delivery: DeliveryFault, events?: EventOptions): Promise<Sandbox> {
  const sandbox = open(events)
  sandbox.force({ delivery, times: 1 })
  await order(sandbox)
  await sandbox.events.settled()

  return sandbox
}

const GENUINE = { isGenuine: true, type: 'application/json' }

describe('a forced fault of a delivery', () => {
  it('sends the same event twice, or ten times at once', async () => {
    const sandbox = await orderWith('twice')
    expect(got).toMatchObject([GENUINE, { ...GENUINE, id: got[0]?.id, body: got[0]?.body }])
    expect(sandbox.forced()).toEqual([])

    // Each is answered when all of them have come.
    let arrived = 0
    let release = (): void => undefined
    const all = new Promise<void>((resolve) => {
      release = resolve
    })
    const burst = await orderWith('burst', {
      timeout: '2s',
      deliver: async () => {
        arrived += 1
        if (arrived === 10) release()
        await all
        return new Response(null, { status: 204 })
      },
    })
    expect(burst.events.deliveries.map(({ state }) => state)).toEqual(
      Array.from({ length: 10 }, () => 'delivered'),
    )
  })

  it('sends it late on the clock, or never', async () => {
    const sandbox = open()
    sandbox.force({ delivery: 'late', latency: '10m', event: 'order.created', times: 1 })
    await order(sandbox)
    await expect(sandbox.events.settled()).resolves.toEqual({ delivered: 0, failed: 0, pending: 1 })
    sandbox.clock.advance('10m')
    await expect(sandbox.events.settled()).resolves.toMatchObject({ delivered: 1 })
    got = []

    const other = await orderWith('never')
    expect(got).toEqual([])
    expect(other.events.deliveries).toMatchObject([
      { state: 'refused', fault: 'never', reason: 'it is forced never to be sent' },
    ])
  })

  it('sends it after the next event of the receiver, at the latest after a minute', async () => {
    const sandbox = await orderWith('out-of-order')
    expect(got).toEqual([])
    await order(sandbox, 'pen')
    await sandbox.events.settled()
    expect(got.map(({ body }) => JSON.parse(body).data.object.item)).toEqual(['pen', 'book'])
    got = []

    const alone = await orderWith('out-of-order')
    alone.clock.advance('1m')
    await alone.events.settled()
    expect(got).toMatchObject([GENUINE])
  })

  it('sends it with a forged signature first, and then the genuine one', async () => {
    const sandbox = await orderWith('wrong-signature')

    expect(got).toMatchObject([{ isGenuine: false, id: got[1]?.id }, GENUINE])
    expect(sandbox.events.deliveries).toMatchObject([
      { fault: 'wrong-signature', state: 'failed', attempts: [{ status: 400 }] },
      { state: 'delivered' },
    ])
  })

  it('sends it with a genuine signature that is an hour old first', async () => {
    const sandbox = await orderWith('old-timestamp')

    expect(got).toMatchObject([GENUINE, GENUINE])
    expect(got.map(({ age }) => Math.round(age / 60))).toEqual([60, 0])
    expect(sandbox.events.deliveries[0]?.attempts[0]?.age).toBe(3600)
  })

  it('replays what the receiver has accepted before, with the same signature', async () => {
    const sandbox = open()
    await order(sandbox)
    await sandbox.events.settled()
    sandbox.force({ delivery: 'replay' })

    await order(sandbox, 'pen')
    await sandbox.events.settled()

    expect(got.slice(1)).toMatchObject([{ id: got[0]?.id, body: got[0]?.body }, GENUINE])
    expect(got[1]?.isGenuine).toBe(true)
  })

  it('spoils the content type or the body of the first attempt only', async () => {
    for (const delivery of ['wrong-content-type', 'cut-body'] as const) {
      got = []
      const sandbox = await orderWith(delivery)
      sandbox.clock.advance('5s')
      await expect(sandbox.events.settled()).resolves.toMatchObject({ delivered: 1, pending: 0 })
      expect(got).toHaveLength(2)
      expect(got[1]).toMatchObject(GENUINE)
    }
    expect(got[0]).toMatchObject({ isGenuine: false, type: 'application/json' })
  })

  it('applies to the events and subscriptions that the rule names, and not to requests', async () => {
    const sandbox = open()
    sandbox.force({ delivery: 'never', event: 'order.*', skip: 1 })
    const { warnings } = sandbox.force({ delivery: 'twice', subscription: 'hooks/9' })
    const other = open().force({ delivery: 'twice', subscription: 'hoks/9' })

    expect(warnings).toBeUndefined()
    expect(other.warnings).toEqual(['No subscription is at hoks/9. They are in hooks.'])
    await order(sandbox)
    await order(sandbox)
    await sandbox.events.settled()

    expect(sandbox.events.deliveries.map(({ state }) => state)).toEqual(['delivered', 'refused'])
    expect(sandbox.forced()).toMatchObject([
      { delivery: 'never', matched: 2, forced: 1 },
      { delivery: 'twice', matched: 0 },
    ])
  })

  it('says why it has no effect where signatures have no timestamp, or nothing was accepted', async () => {
    const github = await orderWith('old-timestamp', { signature: 'github' })
    const first = await orderWith('replay')
    const plain = await orderWith('wrong-signature', { signature: 'none' })

    const again = github.events.resend(2, { fault: 'old-timestamp' })

    const reasons = [github, first, plain].map(({ events }) => events.deliveries[0]?.reason)
    expect([again.reason, ...reasons]).toEqual([
      'signatures of this form have no timestamp',
      'signatures of this form have no timestamp',
      'the receiver has accepted nothing before',
      'deliveries are not signed',
    ])
  })

  it('is kept by a snapshot', async () => {
    const sandbox = await orderWith('late')
    const saved = JSON.parse(JSON.stringify(await sandbox.snapshot()))
    sandbox.reset()

    await sandbox.restore(saved)
    sandbox.clock.advance('1h')
    await sandbox.events.settled()

    expect(got).toMatchObject([GENUINE])
  })
})

test('a rule for deliveries is kept by a snapshot', async () => {
  const sandbox = open()
  sandbox.force({ delivery: 'never', event: 'order.*', times: 1 })

  await sandbox.restore(JSON.parse(JSON.stringify(await sandbox.snapshot())))
  await order(sandbox)
  await sandbox.events.settled()

  expect(sandbox.events.deliveries).toMatchObject([{ state: 'refused', fault: 'never' }])
})

describe('a receiver that causes the event of which it is told', () => {
  it('gets it twenty times in a row, and then no more', async () => {
    const limits: string[] = []
    const sandbox = createSandbox({
      contract,
      events: {
        to: HOOK,
        onRefusal: ({ reason }) => void limits.push(reason),
        deliver: async () => {
          await sandbox.fetch(
            new Request('http://localhost/v1/orders/1', {
              method: 'PATCH',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ item: String(Math.random()) }),
            }),
          )
          return new Response(null, { status: 204 })
        },
      },
    })

    await sandbox.collection('orders').update(1, { item: 'book' })
    await sandbox.events.settled()

    expect(sandbox.events.deliveries).toHaveLength(22)
    expect(sandbox.events.deliveries.at(-1)).toMatchObject({
      state: 'refused',
      round: 21,
      reason: 'the receiver has caused this event itself 20 times in a row',
    })
    expect(limits).toEqual(['the receiver has caused this event itself 20 times in a row'])
  })
})

test('what may not be sent to its address is refused at once, and not tried again', async () => {
  const refusal = { reason: 'the address is one of the sandbox itself', help: 'Name another one.' }
  const told: unknown[] = []
  const sandbox = open({
    deliver: () => Promise.reject(new RefusedAddressError(refusal)),
    onRefusal: (refused) => void told.push(refused),
  })

  await order(sandbox)
  await sandbox.events.settled()

  expect(sandbox.events.deliveries).toMatchObject([{ state: 'refused', ...refusal, attempts: [] }])
  expect(told).toEqual([{ url: HOOK, ...refusal }])
  expect(sandbox.events.deliveries[0]?.next).toBeUndefined()
})

import { describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import type { Delivery, DeliveryFault } from '../events/delivery.ts'
import type { DeliveryFaultOptions } from '../events/delivery-faults.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const contract = await loadContract('src/testing/shop-events.yaml')

const HOOK = 'http://127.0.0.1:3000/hooks'
const START = '2026-01-01T00:00:00Z'

interface Received {
  readonly type: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** A sandbox whose events go to one receiver, which answers with a status. */
function sandboxWith(status = 200): { readonly sandbox: Sandbox; readonly got: Received[] } {
  const got: Received[] = []
  const sandbox = createSandbox({
    contract,
    events: {
      to: HOOK,
      retries: ['1m'],
      timestamps: 'sandbox',
      deliver: async (request) => {
        const text = await request.text()
        const [, type = ''] = /"type":"([^"]*)"/.exec(text) ?? []
        got.push({ type, text, headers: Object.fromEntries(request.headers) })
        return new Response(null, { status })
      },
    },
  })
  sandbox.clock.set(START)
  return { sandbox, got }
}

async function order(sandbox: Sandbox, item = 'book'): Promise<void> {
  await sandbox.fetch(
    new Request('http://localhost/v1/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ item }),
    }),
  )
  await sandbox.events.settled()
}

/** The deliveries of one order with a fault. */
async function ordered(
  fault: DeliveryFault,
  options?: DeliveryFaultOptions,
): Promise<{
  readonly sandbox: Sandbox
  readonly got: Received[]
  readonly sent: readonly Delivery[]
}> {
  const { sandbox, got } = sandboxWith()
  sandbox.events.force(fault, options)
  await order(sandbox)
  return { sandbox, got, sent: sandbox.events.deliveries }
}

describe('a fault that is forced on deliveries', () => {
  it('never sends one', async () => {
    const { got, sent } = await ordered('never')

    expect(got).toEqual([])
    expect(sent).toMatchObject([{ state: 'refused', reason: 'the fault "never" was forced' }])
  })

  it('sends one late, on the clock of the sandbox', async () => {
    const { sandbox, got } = await ordered('late', { delay: '5m' })
    expect(got).toEqual([])

    sandbox.clock.advance('5m')
    await sandbox.events.settled()

    expect(got).toHaveLength(1)
  })

  it('lets later events overtake one', async () => {
    const { sandbox, got } = sandboxWith()
    sandbox.events.force('out-of-order', { times: 1 })

    await order(sandbox, 'first')
    await order(sandbox, 'second')
    sandbox.clock.advance('5s')
    await sandbox.events.settled()

    expect(got.map(({ text }) => /first|second/.exec(text)?.[0])).toEqual(['second', 'first'])
  })

  it.each([
    ['twice', {}, 2],
    ['burst', { copies: 7 }, 8],
  ] as const)('sends one %s with the same id', async (fault, options, times) => {
    const { got, sent } = await ordered(fault, options)

    expect(got).toHaveLength(times)
    expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(sent.map((one) => one.fault)).toEqual([undefined, ...Array(times - 1).fill(fault)])
  })

  it('follows one by a copy with a wrong signature', async () => {
    const { got } = await ordered('wrong-signature')

    const signatures = got.map(({ headers }) => headers['webhook-signature'])
    expect(got).toHaveLength(2)
    expect(new Set(signatures).size).toBe(2)
  })

  it('follows one by a copy that was signed an hour ago', async () => {
    const { got } = await ordered('old-timestamp')

    const now = Date.parse(START) / 1000
    const times = got.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times).toEqual([now, now - 3600])
  })

  it('sends an earlier request again with its headers', async () => {
    const { sandbox, got } = sandboxWith()
    await order(sandbox, 'first')
    sandbox.events.force('replay')
    sandbox.clock.advance('1m')
    await order(sandbox, 'second')

    const [first, , replayed] = got.map(
      ({ text, headers: { 'x-sandbox-delivery': _, ...others } }) => ({
        text,
        others,
      }),
    )
    expect(got).toHaveLength(3)
    expect(replayed).toEqual(first)
  })

  it.each([
    ['wrong-content-type', (one: Received | undefined) => one?.headers['content-type']],
    ['cut-body', (one: Received | undefined) => one?.text],
  ] as const)('damages only the first attempt: %s', async (fault, part) => {
    const { sandbox, got } = sandboxWith(500)
    sandbox.events.force(fault)
    await order(sandbox)
    sandbox.clock.advance('1m')
    await sandbox.events.settled()

    expect(got).toHaveLength(2)
    expect(part(got[0])).not.toBe(part(got[1]))
    expect(() => JSON.parse(got[1]?.text ?? '')).not.toThrow()
  })

  it('sends a forged copy once, even if the receiver refuses it', async () => {
    const { sandbox } = sandboxWith(401)
    sandbox.events.force('wrong-signature')

    await order(sandbox)

    const forged = sandbox.events.deliveries.find(({ fault }) => fault === 'wrong-signature')
    expect(forged).toMatchObject({ state: 'failed', attempts: [{ status: 401 }] })
  })

  it('concerns the events, receivers and times that it names', async () => {
    const { sandbox, got } = sandboxWith()
    sandbox.events.force('twice', { event: 'order.deleted' })
    sandbox.events.force('twice', { receiver: 'http://127.0.0.1:9/other' })
    sandbox.events.force('twice', { times: 1 })

    await order(sandbox)
    await order(sandbox)

    expect(got).toHaveLength(3)
    expect(sandbox.events.forced().map(({ forced }) => forced)).toEqual([0, 0, 1])
  })

  it('concerns the same deliveries for the same seed', async () => {
    const counts = await Promise.all(
      [1, 2].map(async () => {
        const { sandbox, got } = sandboxWith()
        sandbox.events.force('twice', { probability: 0.5 })
        for (let at = 0; at < 20; at += 1) await order(sandbox)
        return got.length
      }),
    )
    expect(counts[0]).toBe(counts[1])
    expect(counts[0]).toBeGreaterThan(22)
    expect(counts[0]).toBeLessThan(38)
  })

  it('is gone when it is removed, and after a reset', async () => {
    const { sandbox, got } = sandboxWith()
    const { id } = sandbox.events.force('twice')
    sandbox.events.force('burst')
    sandbox.events.unforce(id)
    expect(sandbox.events.forced().map(({ fault }) => fault)).toEqual(['burst'])

    await sandbox.reset()
    await order(sandbox)

    expect(sandbox.events.forced()).toEqual([])
    expect(got).toHaveLength(1)
  })

  it('stays in a snapshot', async () => {
    const { sandbox } = sandboxWith()
    sandbox.events.force('twice', { event: 'order.created' })
    const snapshot = await sandbox.snapshot()
    await sandbox.reset()

    await sandbox.restore(snapshot)

    expect(sandbox.events.forced()).toMatchObject([{ fault: 'twice', event: 'order.created' }])
  })

  it.each([
    ['twise', {}, 'Did you mean "twice"?'],
    ['twice', { probability: 2 }, 'probability must be a number from 0 to 1 (got 2)'],
    ['twice', { copies: 3 }, 'copies are only of burst'],
    ['twice', { delay: 1000 }, 'a delay is only of late and out-of-order'],
    ['twice', { time: 1 }, 'Did you mean "times"?'],
  ])('is refused: %s %o', (fault, options, message) => {
    const { sandbox } = sandboxWith()

    expect(() => Reflect.apply(sandbox.events.force, undefined, [fault, options])).toThrow(message)
  })
})

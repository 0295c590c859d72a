import { afterEach, expect, test, vi } from 'vitest'
import { createClient } from '../client.ts'
import { serveSandbox, stopServers } from '../testing/servers.ts'
import type { Deliver } from './receive.ts'

const RECEIVER = 'http://127.0.0.1:3000/hooks'

afterEach(stopServers)

/** A receiver, and what it got. */
function createReceiver(statusOf: (at: number) => number = () => 204): {
  readonly got: { readonly type: string; readonly body: string; readonly id: string | null }[]
  readonly deliver: Deliver
} {
  const got: { type: string; body: string; id: string | null }[] = []
  return {
    got,
    deliver: async (request, { type }) => {
      const id = request.headers.get('webhook-id')
      got.push({ type, body: await request.text(), id })
      return new Response(null, { status: statusOf(got.length) })
    },
  }
}

test('a client elsewhere receives every event, and the sandbox learns what its receiver has answered', async () => {
  const served = await serveSandbox()
  const client = createClient(served.origin)
  const { got, deliver } = createReceiver()

  const { secret, stop } = await client.events.receive(RECEIVER, deliver)
  await served.sandbox.collection('pets').update(1, { name: 'Milo' })
  await client.events.settled()
  stop()

  expect(secret).toBe(served.sandbox.events.secret)
  expect(got).toMatchObject([{ type: 'pet.updated', body: expect.stringContaining('Milo') }])
  await expect(client.events.deliveries()).resolves.toMatchObject([
    { url: RECEIVER, forwarded: true, state: 'delivered', attempts: [{ status: 204 }] },
  ])
})

test('what its receiver did not accept is repeated', async () => {
  const { origin, sandbox } = await serveSandbox()
  const client = createClient(origin)
  const { got, deliver } = createReceiver((at) => (at === 1 ? 500 : 200))
  await client.events.receive(RECEIVER, deliver)
  await sandbox.events.emit('pet.created')
  await expect(client.events.settled()).resolves.toMatchObject({ pending: 1 })

  sandbox.clock.advance('5s')

  await expect(client.events.settled()).resolves.toMatchObject({ delivered: 1 })
  expect(got[1]?.id).toBe(got[0]?.id)
})

test('it goes on after a reset, a restore and a broken connection', async () => {
  const { origin, sandbox, dropConnections } = await serveSandbox()
  const client = createClient(origin)
  const { got, deliver } = createReceiver()
  await client.events.receive(RECEIVER, deliver)
  const snapshot = await sandbox.snapshot()

  sandbox.reset()
  await sandbox.events.emit('pet.created')
  await sandbox.events.settled()
  await sandbox.restore(snapshot)
  await sandbox.events.emit('pet.updated')
  await sandbox.events.settled()
  dropConnections()
  await vi.waitFor(() => expect(sandbox.events.receivers).toEqual([]), 20_000)
  await vi.waitFor(() => expect(sandbox.events.receivers).toEqual([RECEIVER]), 20_000)
  await sandbox.events.emit('pet.deleted')
  await sandbox.events.settled()

  expect(got.map(({ type }) => type)).toEqual(['pet.created', 'pet.updated', 'pet.deleted'])
})

test('what is due when nobody receives it waits for somebody who does', async () => {
  const { origin, sandbox } = await serveSandbox()
  const client = createClient(origin)
  const first = await client.events.receive(RECEIVER, () => Promise.reject(new Error('not ready')))
  await sandbox.events.emit('pet.created')
  await sandbox.events.settled()
  first.stop()
  await vi.waitFor(() => expect(sandbox.events.receivers).toEqual([]), 20_000)
  sandbox.clock.advance('5s')
  await sandbox.events.settled()
  const { got, deliver } = createReceiver()

  await client.events.receive(RECEIVER, deliver)
  sandbox.clock.advance('5m')
  await sandbox.events.settled()

  expect(got).toHaveLength(1)
  const [delivery] = sandbox.events.deliveries
  expect(delivery?.attempts.map(({ error, status }) => error ?? status)).toEqual([
    'not ready',
    'nobody receives at this address',
    204,
  ])
})

test('an address that is no URL is refused', async () => {
  const { origin } = await serveSandbox()

  await expect(createClient(origin).events.receive('localhost:3000')).rejects.toThrow(
    'Cannot receive deliveries: "localhost:3000" is not a URL with http: or https:.',
  )
})

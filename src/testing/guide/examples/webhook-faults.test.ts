import { once } from 'node:events'
import { join } from 'node:path'
import { createSandbox, type Sandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { matchers } from 'pet-sandbox/vitest'
import { expect, onTestFinished, test } from 'vitest'
import { createReceiver } from './webhook-receiver.ts'

expect.extend(matchers)

const contract = await loadContract(join(import.meta.dirname, 'orders.yaml'))

/** A sandbox of the shop, and the application that it tells of orders. */
async function start(): Promise<Sandbox> {
  const sandbox = createSandbox({ contract })
  const app = createReceiver({ secret: sandbox.events.secret, fetch: sandbox.fetch })
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  sandbox.events.receive(`http://127.0.0.1:${port}/hooks`, fetch)

  return sandbox
}

const FAULTS = [
  ...['twice', 'burst', 'late', 'out-of-order', 'never'],
  ...['wrong-signature', 'old-timestamp', 'replay', 'wrong-content-type', 'cut-body'],
] as const

test.each(FAULTS)('each new order is packed once in spite of the fault %s', async (delivery) => {
  const sandbox = await start()
  await sandbox.collection('orders').create({ item: 'book' })
  await sandbox.events.settled()

  sandbox.force({ delivery, event: 'order.created', times: 1 })
  await sandbox.collection('orders').create({ item: 'pen' })
  await sandbox.collection('orders').create({ item: 'cup' })
  sandbox.clock.advance('1d')
  await sandbox.events.settled()

  const items = (await sandbox.collection('orders').list()).map(({ item }) => item)
  const isLost = delivery === 'never'
  expect(items.slice(-3)).toEqual(['book, packed', isLost ? 'pen' : 'pen, packed', 'cup, packed'])
  expect(sandbox).toHaveBehaved()
})

import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { afterEach, expect, test } from 'vitest'
import { cancelled, POST } from './webhook-route.ts'

const sandbox = createSandbox({
  contract: await loadContract(join(import.meta.dirname, 'orders.yaml')),
  events: { to: 'http://app.test/hooks', deliver: POST },
})
process.env.WEBHOOK_SECRET = sandbox.events.secret

afterEach(() => {
  cancelled.clear()
  return sandbox.reset()
})

async function cancelOrder(): Promise<readonly (number | undefined)[]> {
  await sandbox.fetch(new Request('http://localhost/v1/orders/1/cancel', { method: 'POST' }))
  await sandbox.events.settled()
  return sandbox.events.deliveries.map(({ attempts }) => attempts.at(-1)?.status)
}

test('the application handles an event once that comes twice', async () => {
  sandbox.events.force('twice')

  expect(await cancelOrder()).toEqual([204, 204])
  expect(cancelled.size).toBe(1)
})

test('the application refuses what is forged, and what is old', async () => {
  sandbox.events.force('wrong-signature', { times: 1 })
  expect(await cancelOrder()).toEqual([204, 401])

  await sandbox.reset()
  sandbox.events.force('old-timestamp')
  expect(await cancelOrder()).toEqual([204, 401])
})

test('the application gets a damaged event again', async () => {
  sandbox.events.force('cut-body')
  expect(await cancelOrder()).toEqual([401])

  sandbox.clock.advance('5s')
  expect(await sandbox.events.settled()).toMatchObject({ delivered: 1, pending: 0 })
})

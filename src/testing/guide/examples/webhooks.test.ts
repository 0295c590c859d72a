import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { afterEach, expect, test } from 'vitest'
import { POST } from './webhook-route.ts'

const sandbox = createSandbox({
  contract: await loadContract(join(import.meta.dirname, 'orders.yaml')),
  events: { to: 'http://app.test/hooks', deliver: POST },
})
process.env.WEBHOOK_SECRET = sandbox.events.secret

afterEach(() => sandbox.reset())

test('a cancelled order arrives at the application', async () => {
  const cancelling = new Request('http://localhost/v1/orders/1/cancel', { method: 'POST' })
  await sandbox.fetch(cancelling)

  expect(await sandbox.events.settled()).toEqual({ delivered: 1, failed: 0, pending: 0 })
  expect(sandbox.events.deliveries).toMatchObject([
    { attempts: [{ status: 200, responseBody: 'Order 1 goes back' }] },
  ])
})

test('an event is sent again until the application accepts it', async () => {
  const { WEBHOOK_SECRET } = process.env
  process.env.WEBHOOK_SECRET = 'another one'
  await sandbox.events.emit('order.cancelled')
  expect(await sandbox.events.settled()).toMatchObject({ pending: 1 })

  process.env.WEBHOOK_SECRET = WEBHOOK_SECRET
  sandbox.clock.advance('5s')

  expect(await sandbox.events.settled()).toMatchObject({ delivered: 1 })
})

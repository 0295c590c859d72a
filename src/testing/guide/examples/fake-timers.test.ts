import { createSandbox } from 'pet-sandbox'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers()
  vi.setSystemTime('2027-03-31T23:59:50Z')
})
afterEach(() => vi.useRealTimers())

test('a slow service answers again when the minute is over', async () => {
  const sandbox = createSandbox({ plans: { free: { minute: 1 } }, latency: '2s' })
  await sandbox.ready
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const list = () => sandbox.fetch(new Request('http://localhost/v1/pets', { headers }))

  const listed = list()
  const refused = list()
  await vi.advanceTimersByTimeAsync(2000)
  const statuses = [(await listed).status, (await refused).status]
  expect(statuses).toEqual([200, 429])

  vi.setSystemTime('2027-04-01T00:00:00Z')
  const served = list()
  await vi.advanceTimersByTimeAsync(2000)
  expect((await served).status).toBe(200)
})

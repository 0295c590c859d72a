import { createSandbox } from 'pet-sandbox'
import { expect, test } from 'vitest'

test('a key that has used its quota is served again in the next minute', async () => {
  const sandbox = createSandbox({ plans: { free: { minute: 5, day: 100 } } })
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const list = () => sandbox.fetch(new Request('http://localhost/v1/pets', { headers }))

  sandbox.clock.freeze()
  for (let count = 1; count <= 5; count += 1) await list()
  expect((await list()).status).toBe(429)

  sandbox.clock.advanceToReset('sk_sandbox_free')
  expect((await list()).status).toBe(200)
})

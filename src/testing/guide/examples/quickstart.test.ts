import { createSandbox } from 'pet-sandbox'
import { expect, test } from 'vitest'

const listPets = new Request('http://localhost/v1/pets', {
  headers: { Authorization: 'Bearer sk_sandbox_free' },
})

test('a client that hammers is banned, and may come back after five minutes', async () => {
  const sandbox = createSandbox({ plans: { free: { minute: 5, day: 100 } } })
  sandbox.clock.freeze()

  for (let request = 1; request <= 5; request += 1) await sandbox.fetch(listPets)
  const refused = await sandbox.fetch(listPets)
  expect(refused.status).toBe(429)

  for (let request = 1; request < 10; request += 1) await sandbox.fetch(listPets)
  const banned = await sandbox.fetch(listPets)
  expect(await banned.json()).toMatchObject({ code: 'api_key_banned' })

  sandbox.clock.advance('5m')
  const welcome = await sandbox.fetch(listPets)
  expect(welcome.status).toBe(200)
})

import { createClient } from 'pet-sandbox/client'
import { expect, test } from 'vitest'

const origin = process.env.PET_SANDBOX_URL ?? 'http://127.0.0.1:4010'
const sandbox = createClient(origin)
const headers = { Authorization: 'Bearer sk_sandbox_free' }

test('a record that the test changed is served', async () => {
  await sandbox.reset()
  await sandbox.collection('pets').update(1, { name: 'Sir Winston' })

  const response = await fetch(new URL('/v1/pets/1', origin), { headers })

  expect(await response.json()).toMatchObject({ name: 'Sir Winston' })
  expect(await sandbox.journal.find({ operation: 'getPet' })).toHaveLength(1)
})

test('a request that the sandbox suggests is answered', async () => {
  await sandbox.reset()
  const { path, headers } = await sandbox.sampleRequest('getPet')

  const response = await fetch(new URL(path, origin), { headers: Object.fromEntries(headers) })
  const [exchange] = await sandbox.journal.find({ operation: 'getPet' })

  expect(response.status).toBe(200)
  expect(await sandbox.journal.get(exchange?.id ?? 0)).toMatchObject({ status: 200 })
})

import { createSandbox } from 'pet-sandbox'
import { expect, test } from 'vitest'

test('the journal has the request and its response', async () => {
  const sandbox = createSandbox()
  const headers = { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' }

  // region journal
  await sandbox.fetch(
    new Request('http://localhost/v1/pets', {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Biscuit' }),
    }),
  )
  const [refused] = sandbox.journal.find({ operation: 'createPet', status: '4xx' })

  expect(refused).toMatchObject({ status: 400, plan: 'free' })
  // endregion
})

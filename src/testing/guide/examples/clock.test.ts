import { createSandbox } from 'pet-sandbox'
import { expect, test } from 'vitest'

test('a deprecated operation is gone after its removal', async () => {
  const sandbox = createSandbox()
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const read = () => sandbox.fetch(new Request('http://localhost/v1/pets/1', { headers }))

  sandbox.clock.set('2027-03-01T12:00:00Z')
  expect((await read()).status).toBe(200)

  sandbox.clock.advanceToRemoval('getPet')
  expect(await (await read()).json()).toMatchObject({ code: 'operation_removed' })
})

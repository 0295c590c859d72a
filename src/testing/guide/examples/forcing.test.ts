import { createSandbox } from 'pet-sandbox'
import { expect, test } from 'vitest'

test('two requests fail, and the third is served', async () => {
  const sandbox = createSandbox()
  const headers = { Authorization: 'Bearer sk_sandbox_free' }
  const list = () => sandbox.fetch(new Request('http://localhost/v1/pets', { headers }))

  sandbox.force('unavailable', { operation: 'listPets', times: 2, retryAfter: 1 })
  const responses = [await list(), await list(), await list()]

  expect(responses.map(({ status }) => status)).toEqual([503, 503, 200])
  expect(responses[0]?.headers.get('X-Sandbox-Reason')).toBe('forced:unavailable')
})

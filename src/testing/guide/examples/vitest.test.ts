import { setupServer } from 'msw/node'
import { handlers, sandbox, strict } from 'pet-sandbox/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const server = setupServer(...handlers)
const headers = { Authorization: 'Bearer sk_sandbox_free' }

beforeAll(() => server.listen(strict))
afterEach(() => {
  server.resetHandlers()
  sandbox.reset()
})
afterAll(() => server.close())

test('the second request is served after the first got a 429', async () => {
  sandbox.force('rate-limited', { operation: 'listPets', times: 1, retryAfter: 30 })

  const refused = await fetch('https://api.example.com/v1/pets', { headers })
  const served = await fetch('https://api.example.com/v1/pets', { headers })

  expect(refused.status).toBe(429)
  expect(refused.headers.get('Retry-After')).toBe('30')
  expect(await served.json()).toHaveLength(20)
})

import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { createSandbox } from 'pet-sandbox'
import { strict, toHandlers } from 'pet-sandbox/msw'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

// region handlers
const sandbox = createSandbox({ plans: { free: { minute: 5 } }, latency: '20ms' })
const handlers = toHandlers(sandbox, { baseUrl: 'https://api.example.com/v1' })
// endregion

// region behind
// Your handlers go first. The sandbox answers what they leave.
const myHandlers = [http.get('https://api.example.com/v1/me', () => HttpResponse.json({ id: 7 }))]
const server = setupServer(...myHandlers, ...handlers)
// endregion

beforeAll(() => server.listen(strict))
afterEach(() => sandbox.reset())
afterAll(() => server.close())

test('the handlers of a test and of the sandbox answer side by side', async () => {
  const headers = { Authorization: 'Bearer sk_sandbox_free' }

  const me = await fetch('https://api.example.com/v1/me')
  const pet = await fetch('https://api.example.com/v1/pets/1', { headers })

  expect(await me.json()).toEqual({ id: 7 })
  expect(await pet.json()).toMatchObject({ id: 1, name: 'Winston' })
  expect(pet.headers.get('X-RateLimit-Limit')).toBe('5')
})

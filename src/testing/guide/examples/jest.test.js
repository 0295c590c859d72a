import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { setupServer } from 'msw/node'
import { handlers, sandbox, strict } from 'pet-sandbox/msw'

const server = setupServer(...handlers)

beforeAll(() => server.listen(strict))
afterEach(() => sandbox.reset())
afterAll(() => server.close())

test('a new record gets an id', async () => {
  const response = await fetch('https://api.example.com/v1/pets', {
    method: 'POST',
    headers: { Authorization: 'Bearer sk_sandbox_free', 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Biscuit', categoryId: 2 }),
  })

  expect(response.status).toBe(201)
  expect(await response.json()).toMatchObject({ id: 51, status: 'available' })
})

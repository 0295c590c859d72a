import ky from 'ky'
import { createSandbox } from 'pet-sandbox'
import { matchers } from 'pet-sandbox/vitest'
import { expect, test } from 'vitest'

expect.extend(matchers)

test('the client waits for Retry-After before it retries', async () => {
  const sandbox = createSandbox()
  const client = ky.create({
    fetch: (input, init) => sandbox.fetch(new Request(input, init)),
    prefixUrl: 'http://localhost/v1',
    headers: { Authorization: 'Bearer sk_sandbox_free' },
  })

  sandbox.force('rate-limited', { times: 1, retryAfter: 1 })
  await client.get('pets').json()

  expect(sandbox).toHaveBehaved()
})

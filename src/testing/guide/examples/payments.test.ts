import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { beforeEach, expect, test } from 'vitest'

const folder = import.meta.dirname
const contract = await loadContract(join(folder, 'payments.yaml'), {
  overlays: [join(folder, 'payments-hints.yaml')],
})
const sandbox = createSandbox({ contract })

beforeEach(() => sandbox.reset())

function send(method: string, path: string, form?: Record<string, string>): Promise<Response> {
  return sandbox.fetch(
    new Request(`https://api.payments.example/v1${path}`, {
      method,
      headers: { Authorization: `Basic ${btoa('sk_test_mine:')}` },
      ...(form && { body: new URLSearchParams(form) }),
    }),
  )
}

test('a customer has a prefixed id, and can be changed by a form', async () => {
  const created = await send('POST', '/customers', { name: 'Ada', 'metadata[tier]': 'gold' })
  const customer = await created.json()

  await send('POST', `/customers/${customer.id}`, { email: 'ada@example.com' })

  expect(customer).toMatchObject({ object: 'customer', name: 'Ada', metadata: { tier: 'gold' } })
  expect(customer.id).toMatch(/^cus_[0-9A-Za-z]{14}$/)
  expect(await (await send('GET', `/customers/${customer.id}`)).json()).toMatchObject({
    name: 'Ada',
    email: 'ada@example.com',
  })
})

test('a deleted customer is gone', async () => {
  const { id } = await (await send('POST', '/customers', { name: 'Ada' })).json()

  const deleted = await send('DELETE', `/customers/${id}`)
  const read = await send('GET', `/customers/${id}`)

  expect(await deleted.json()).toEqual({ id, object: 'customer', deleted: true })
  expect(read.status).toBe(404)
  expect(await read.json()).toMatchObject({ error: { code: 'not_found' } })
})

test('a capture succeeds after three seconds, and only once', async () => {
  const form = { amount: '1200', currency: 'eur' }
  const { id } = await (await send('POST', '/payments', form)).json()

  const captured = await (await send('POST', `/payments/${id}/capture`)).json()
  sandbox.clock.advance('3s')
  const later = await (await send('GET', `/payments/${id}`)).json()
  const again = await send('POST', `/payments/${id}/capture`)

  expect(captured).toMatchObject({ amount: 1200, currency: 'eur', status: 'processing' })
  expect(later.status).toBe('succeeded')
  expect(again.status).toBe(409)
})

test('a client reads all customers with starting_after', async () => {
  const ids: string[] = []
  for (let hasMore = true; hasMore; ) {
    const after = ids.length > 0 ? `&starting_after=${ids.at(-1)}` : ''
    const page = await (await send('GET', `/customers?limit=4${after}`)).json()
    ids.push(...page.data.map((one: { id: string }) => one.id))
    hasMore = page.has_more
  }

  expect(ids).toHaveLength(await sandbox.collection('customers').count())
  expect(new Set(ids).size).toBe(ids.length)
})

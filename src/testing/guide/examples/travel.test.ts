import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { beforeEach, expect, test } from 'vitest'

const folder = import.meta.dirname
const contract = await loadContract(join(folder, 'travel.yaml'), {
  overlays: [join(folder, 'travel-hints.yaml')],
})
const sandbox = createSandbox({ contract })

beforeEach(() => sandbox.reset())

function send(method: string, path: string, body?: object): Promise<Response> {
  return sandbox.fetch(
    new Request(`https://api.travel.example/v1${path}`, {
      method,
      headers: { Authorization: 'Bearer my-token', 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
}

/** Books the first trip, and returns the path of the booking. */
async function book(): Promise<string> {
  const { data } = await (await send('GET', '/trips?limit=1')).json()
  const created = await send('POST', '/bookings', {
    tripId: data[0].id,
    passengers: ['Ada Lovelace'],
    contact: { email: 'ada@example.com' },
  })
  const { reference } = await created.json()
  return `/bookings/${reference}`
}

test('a booking is confirmed when it is paid', async () => {
  const booking = await book()

  const pending = await (await send('GET', booking)).json()
  const paid = await send('POST', `${booking}/payment`, { method: 'card' })

  expect(pending).toMatchObject({ status: 'pending', passengers: ['Ada Lovelace'] })
  expect(paid.status).toBe(200)
  expect(await (await send('GET', booking)).json()).toMatchObject({ status: 'confirmed' })
})

test('a cancelled booking cannot be paid', async () => {
  const booking = await book()
  await send('POST', `${booking}/cancellation`)

  const refused = await send('POST', `${booking}/payment`, { method: 'card' })

  expect(refused.status).toBe(409)
  expect(refused.headers.get('Content-Type')).toBe('application/problem+json')
  expect(await refused.json()).toMatchObject({
    title: 'Conflict',
    detail: 'status is "cancelled", and must be "pending".',
  })
})

test('a booking that nobody pays expires after 15 minutes', async () => {
  const booking = await book()

  sandbox.clock.advance('15m')

  expect(await (await send('GET', booking)).json()).toMatchObject({ status: 'expired' })
  const { data } = await (await send('GET', '/bookings?status=expired&limit=50')).json()
  expect(data).toContainEqual(expect.objectContaining({ status: 'expired' }))
})

test('the pages of a list lead to all trips', async () => {
  const { page } = await (await send('GET', '/trips?limit=5')).json()

  const second = await (await send('GET', '/trips?limit=5&page=2')).json()

  expect(page.next).toBe('https://api.travel.example/v1/trips?limit=5&page=2')
  expect(second.page).toMatchObject({ number: 2, total: page.total })
})

import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { beforeEach, expect, test } from 'vitest'
import handlers, { sentMails } from './shop-handlers.ts'

const products = [
  { id: 1, name: 'Red pen', price: 150, stock: 3 },
  { id: 2, name: 'Blue pen', price: 120, stock: 10 },
  { id: 3, name: 'Notebook', price: 400, stock: 5 },
]
// region sandbox
const contract = await loadContract(join(import.meta.dirname, 'shop.yaml'), {
  overlays: [join(import.meta.dirname, 'shop-hints.yaml')],
})
const sandbox = createSandbox({ contract, handlers, records: { products } })
// endregion

beforeEach(() => sandbox.reset())

async function send(method: string, path: string, body?: object) {
  const request = new Request(`https://api.shop.example${path}`, {
    method,
    headers: { 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const response = await sandbox.fetch(request)
  return { status: response.status, body: await response.json() }
}

async function cartWith(lines: readonly object[], cart: object = {}): Promise<string> {
  const { body } = await send('POST', '/carts', cart)
  for (const line of lines) await send('POST', `/carts/${body.id}/lines`, line)
  return `/carts/${body.id}`
}

test('a search finds products by all words, the cheapest first', async () => {
  const { body } = await send('GET', '/product-search?q=pen')

  expect(body).toMatchObject({ total: 2, hits: [{ name: 'Blue pen' }, { name: 'Red pen' }] })
})

test('a line has the price of its product, and a cart the sum of its lines', async () => {
  const cart = await cartWith([
    { productId: 1, quantity: 2 },
    { productId: 3, quantity: 1 },
  ])

  expect((await send('GET', `${cart}/lines`)).body[0]).toMatchObject({ price: 150, quantity: 2 })
  expect((await send('GET', cart)).body.total).toBe(700)
})

test('a line needs a product, and enough pieces of it', async () => {
  const cart = await cartWith([])

  expect(await send('POST', `${cart}/lines`, { productId: 9, quantity: 1 })).toMatchObject({
    status: 404,
    body: { error: 'no_such_product' },
  })
  expect(await send('POST', `${cart}/lines`, { productId: 1, quantity: 4 })).toEqual({
    status: 409,
    body: { error: 'out_of_stock', detail: '3 pieces of Red pen are left.' },
  })
})

test('a coupon halves the total', async () => {
  const cart = await cartWith([{ productId: 3, quantity: 1 }], { coupon: 'HALF' })

  expect((await send('GET', cart)).body.total).toBe(200)
})

test('a checkout makes an order, takes the pieces from the stock and removes the cart', async () => {
  sandbox.clock.set('2027-03-01T12:00:00Z')
  const cart = await cartWith([{ productId: 1, quantity: 2 }])

  const order = await send('POST', `${cart}/checkout`)

  expect(order.status).toBe(201)
  expect(order.body).toMatchObject({ total: 300, status: 'paid' })
  expect(order.body.orderedAt).toBe('2027-03-01T12:00:00.000Z')
  expect((await send('GET', `/orders/${order.body.id}`)).body).toEqual(order.body)
  expect((await send('GET', '/products/1')).body.stock).toBe(1)
  expect((await send('GET', cart)).status).toBe(404)
  expect(sentMails.at(-1)).toBe(`order ${order.body.id}`)
})

test('an order is shipped two days later, unless it was refunded before', async () => {
  const lines = [{ productId: 2, quantity: 1 }]
  const [kept, returned] = [
    (await send('POST', `${await cartWith(lines)}/checkout`)).body,
    (await send('POST', `${await cartWith(lines)}/checkout`)).body,
  ]
  await send('POST', `/orders/${returned.id}/refunds`, { amount: 120 })

  sandbox.clock.advance('47h')
  expect((await send('GET', `/orders/${kept.id}`)).body.status).toBe('paid')
  sandbox.clock.advance('1h')

  expect((await send('GET', `/orders/${kept.id}`)).body.status).toBe('shipped')
  expect((await send('GET', `/orders/${returned.id}`)).body.status).toBe('refunded')
})

test('of two checkouts at once, one gets the last pieces', async () => {
  const lines = [{ productId: 1, quantity: 2 }]
  const carts = [await cartWith(lines), await cartWith(lines)]

  const orders = await Promise.all(carts.map((cart) => send('POST', `${cart}/checkout`)))

  expect(orders.map(({ status }) => status).sort()).toEqual([201, 409])
  expect((await send('GET', '/products/1')).body.stock).toBe(1)
})

test('several lines of a product need the stock of all of them', async () => {
  const line = { productId: 1, quantity: 2 }
  const cart = await cartWith([line, line])

  const { status, body } = await send('POST', `${cart}/checkout`)

  expect({ status, body }).toEqual({ status: 409, body: { error: 'out_of_stock' } })
  expect((await send('GET', '/products/1')).body.stock).toBe(3)
})

test('no more than the total is refunded', async () => {
  const { body } = await send('POST', `${await cartWith([{ productId: 3, quantity: 1 }])}/checkout`)
  const refunds = `/orders/${body.id}/refunds`

  expect((await send('POST', refunds, { amount: 300 })).status).toBe(201)
  expect(await send('POST', refunds, { amount: 300 })).toEqual({
    status: 409,
    body: { error: 'too_much', detail: '100 are left.' },
  })
  expect((await send('POST', refunds, { amount: 100 })).status).toBe(201)
  expect((await send('GET', `/orders/${body.id}`)).body.status).toBe('refunded')
})

// region use
test('a failure of one operation, for one test', async () => {
  sandbox.use({ checkOut: ({ reply }) => reply(409, { error: 'payment_declined' }) })

  const { status, body } = await send('POST', `${await cartWith([])}/checkout`)

  expect({ status, body }).toEqual({ status: 409, body: { error: 'payment_declined' } })
})
// endregion

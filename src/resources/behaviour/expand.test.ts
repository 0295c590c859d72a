import { beforeAll, expect, test } from 'vitest'
import { type OpenedApi, openApi } from '../../testing/documented-api.ts'

const TEXT = { type: 'string' }
const CUSTOMER = { type: 'object', properties: { id: TEXT, name: TEXT } }
const PRODUCT = {
  type: 'object',
  properties: { id: TEXT, name: TEXT, maker: { anyOf: [TEXT, CUSTOMER] } },
}
const ORDER = {
  type: 'object',
  required: ['id', 'customer'],
  properties: {
    id: TEXT,
    customer: { anyOf: [TEXT, CUSTOMER] },
    products: { type: 'array', items: { anyOf: [TEXT, PRODUCT] } },
  },
}
const SENT = { type: 'object', properties: { customer: TEXT, products: { type: 'array' } } }
const NAMED = { type: 'object', properties: { name: TEXT, maker: TEXT } }
const QUERY = { expand: { type: 'array', items: TEXT } }

let api: OpenedApi
let order: unknown

beforeAll(async () => {
  const shown = { type: 'object', properties: { data: { type: 'array', items: ORDER } } }
  api = await openApi({
    'GET /orders': { shown, query: QUERY },
    'POST /orders': { sent: SENT, shown: ORDER, status: [201], query: QUERY },
    'GET /orders/{id}': { shown: ORDER, query: QUERY },
    'POST /customers': { sent: NAMED, shown: CUSTOMER, status: [201] },
    'PATCH /customers/{id}': { sent: NAMED, shown: CUSTOMER },
    'GET /customers/{id}': { shown: CUSTOMER },
    'POST /products': { sent: NAMED, shown: PRODUCT, status: [201] },
    'GET /products/{id}': { shown: PRODUCT },
  })
  const customer = (await api.ask('POST /customers', { name: 'Ada' })).body.id
  const product = (await api.ask('POST /products', { name: 'Ink', maker: customer })).body.id
  order = (await api.ask('POST /orders', { customer, products: [product, 'unknown'] })).body.id
})

test('references that a request names are shown as the records, as they are now', async () => {
  const { body: before } = await api.ask(`GET /orders/${order}?expand=customer`)
  const { id } = Object(before.customer)
  await api.ask(`PATCH /customers/${id}`, { name: 'Grace' })
  const { body: after } = await api.ask(`GET /orders/${order}?expand=customer`)

  expect(before.customer).toEqual({ id, name: 'Ada' })
  expect(after.customer).toEqual({ id, name: 'Grace' })
})

test('references that a request does not name stay ids', async () => {
  const { body } = await api.ask(`GET /orders/${order}`)

  expect(body).toMatchObject({
    customer: expect.any(String),
    products: [expect.any(String), 'unknown'],
  })
})

test('a reference in a list of references, and one below it, is shown; one to no record stays', async () => {
  const { body } = await api.ask(`GET /orders/${order}?expand=products.maker`)

  expect(body.products).toEqual([
    { id: expect.any(String), name: 'Ink', maker: { id: expect.any(String), name: 'Grace' } },
    'unknown',
  ])
})

test('the names of a list may begin with that of its envelope', async () => {
  const { body } = await api.ask('GET /orders?expand=data.customer')
  const found = [body.data].flat().find((one) => Object(one).id === order)

  expect(found).toMatchObject({ customer: { name: 'Grace' } })
})

test('first records have the ids of records that exist, so that they can be expanded', async () => {
  const { body } = await api.ask('GET /orders?expand=data.customer')
  const { body: plain } = await api.ask('GET /orders')

  const customersIn = ({ data }: { readonly data?: unknown }): unknown[] =>
    [data].flat().flatMap((one) => (Object(one).id === order ? [] : Object(one).customer))
  expect(customersIn(plain).length).toBeGreaterThan(1)
  for (const customer of customersIn(plain)) expect(customer).toEqual(expect.any(String))
  for (const customer of customersIn(body))
    expect(customer).toEqual({ id: expect.any(String), name: expect.any(String) })
})

test('a creation shows references that it names as records, too', async () => {
  const customer = (await api.ask('POST /customers', { name: 'Ida' })).body.id
  const { body } = await api.ask('POST /orders?expand=customer', { customer })

  expect(body.customer).toEqual({ id: customer, name: 'Ida' })
})

test('the body of a request may name references, and is no part of the record', async () => {
  const sent = { type: 'object', properties: { customer: TEXT, expand: QUERY.expand } }
  const { ask } = await openApi({
    'POST /orders': { sent, shown: ORDER, status: [201] },
    'GET /orders/{id}': { shown: ORDER },
    'POST /customers': { sent: NAMED, shown: CUSTOMER, status: [201] },
    'GET /customers/{id}': { shown: CUSTOMER },
  })
  const { body: customer } = await ask('POST /customers', { name: 'Ada' })
  const { body: created } = await ask('POST /orders', {
    ...{ customer: customer.id, expand: ['customer'] },
  })

  expect(created.customer).toEqual(customer)
  expect((await ask(`GET /orders/${created.id}`)).body).toMatchObject({ customer: customer.id })
  expect(created).not.toHaveProperty('expand')
})

test('a list that a request sends is the page that records show, with the records that its items name', async () => {
  const line = { type: 'object', properties: { product: CUSTOMER, quantity: { type: 'integer' } } }
  const items = {
    type: 'object',
    properties: { data: { type: 'array', items: line }, has_more: { type: 'boolean' } },
  }
  const sentLine = { type: 'object', properties: { product: TEXT, quantity: { type: 'integer' } } }
  const sent = { type: 'object', properties: { items: { type: 'array', items: sentLine } } }
  const shown = { type: 'object', required: ['id'], properties: { id: TEXT, items } }
  const { ask } = await openApi({
    'POST /carts': { sent, shown, status: [201] },
    'GET /carts/{id}': { shown },
    'POST /products': { sent: NAMED, shown: CUSTOMER, status: [201] },
    'GET /products/{id}': { shown: CUSTOMER },
  })
  const { body: product } = await ask('POST /products', { name: 'Ink' })

  const { body } = await ask('POST /carts', { items: [{ product: product.id, quantity: 2 }] })

  expect(body.items).toMatchObject({ data: [{ product, quantity: 2 }] })
  expect((await ask(`GET /carts/${body.id}`)).body).toEqual(body)
})

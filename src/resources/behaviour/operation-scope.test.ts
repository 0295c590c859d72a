import { beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (schema: object) => ({ content: { 'application/json': { schema } } })
const answer = (schema: object) => ({ description: 'Done.', ...content(schema) })
const refused = answer(ref('Failure'))
const inPath = (name: string) => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'integer' },
})
const list = (operationId: string, name: string) => ({
  operationId,
  responses: { '200': answer({ type: 'array', items: ref(name) }), '404': refused },
})
const one = (operationId: string, name: string) => ({
  operationId,
  responses: { '200': answer(ref(name)), '404': refused },
})
const post = (operationId: string, name: string, properties: object, hints: object) => ({
  operationId,
  requestBody: { required: true, ...content({ type: 'object', properties }) },
  responses: { '201': answer(ref(name)), '400': refused, '404': refused, '409': refused },
  'x-sandbox': hints,
})
const INTEGER = { type: 'integer' }
const TEXT = { type: 'string' }
const object = (properties: object) => ({
  type: 'object',
  properties: { id: INTEGER, ...properties },
})

/** Carts with lines of products, and payments of carts. */
const PATHS = {
  '/products': { get: list('listProducts', 'Product') },
  '/products/{id}': { parameters: [inPath('id')], get: one('getProduct', 'Product') },
  '/carts': {
    'x-sandbox': { unique: { email: { code: 'email_taken' } } },
    get: list('listCarts', 'Cart'),
    post: post(
      'createCart',
      'Cart',
      { email: TEXT, currency: TEXT },
      { set: { label: 'Cart {record.id} of {body.email}', token: '{uuid}', state: 'open' } },
    ),
  },
  '/carts/{cart}': {
    parameters: [inPath('cart')],
    get: one('getCart', 'Cart'),
    patch: { ...post('changeCart', 'Cart', { email: TEXT }, {}), 'x-sandbox': undefined },
    delete: {
      operationId: 'removeCart',
      responses: { '200': answer(ref('Cart')), '404': refused, '409': refused },
      'x-sandbox': {
        set: { state: 'removed' },
        refers: { payment: { in: '/payments', where: { cart: '{path.cart}' } } },
        refuse: [{ unless: { payment: '{absent}' }, code: 'cart_in_use' }],
        also: [{ in: '/products', where: { lastCart: '{record.id}' }, set: { lastCart: null } }],
      },
    },
  },
  '/carts/{cart}/lines': {
    parameters: [inPath('cart')],
    get: list('listLines', 'Line'),
    post: post(
      'addLine',
      'Line',
      { productId: INTEGER, quantity: INTEGER },
      {
        refers: {
          product: {
            in: '/products',
            id: '{body.productId}',
            status: 400,
            code: 'no_such_product',
            message: 'There is no product {body.productId}.',
          },
        },
        refuse: [
          {
            unless: { 'product.stock': { from: '{body.quantity}' } },
            code: 'out_of_stock',
            message: 'Only {product.stock} of {product.name} are left.',
          },
          { unless: { 'parent.state': 'open' }, status: 400, code: 'cart_unexpected_state' },
        ],
        set: { price: '{product.price}', currency: '{parent.currency}' },
        also: [{ in: '/products', id: '{product.id}', set: { lastCart: '{path.cart}' } }],
      },
    ),
  },
  '/carts/{cart}/pay': {
    parameters: [inPath('cart')],
    post: {
      operationId: 'payCart',
      responses: { '200': answer(ref('Cart')), '404': refused, '409': refused },
      'x-sandbox': {
        refuse: [{ unless: { 'record.state': ['open', 'late'] }, code: 'not_open' }],
        set: { state: 'paid', payer: '{record.email}' },
        also: [
          { in: '/payments', set: { cart: '{record.id}', at: '{now}' } },
          { in: '/products', where: { lastCart: '{record.id}' }, set: { sold: true } },
          { in: '/carts/{cart}/lines', where: { productId: 1 }, set: { quantity: 0 } },
        ],
      },
    },
  },
  '/carts/{cart}/void': {
    parameters: [inPath('cart')],
    post: {
      operationId: 'voidCart',
      responses: { '200': answer(ref('Cart')), '404': refused },
      'x-sandbox': {
        set: { state: 'void' },
        also: [
          { in: '/payments', set: { cart: '{record.id}' } },
          { in: '/products', id: '1', set: { stock: 'none' } },
        ],
      },
    },
  },
  '/payments': { get: list('listPayments', 'Payment') },
}

const SCHEMAS = {
  Product: object({
    name: TEXT,
    price: INTEGER,
    stock: INTEGER,
    lastCart: { type: ['integer', 'null'] },
    sold: { type: 'boolean' },
  }),
  Cart: object({ email: TEXT, currency: TEXT, label: TEXT, token: TEXT, state: TEXT, payer: TEXT }),
  Line: object({ productId: INTEGER, quantity: INTEGER, price: INTEGER, currency: TEXT }),
  Payment: object({ cart: INTEGER, at: { type: 'string', format: 'date-time' } }),
  Failure: { type: 'object', required: ['code'], properties: { code: TEXT, message: TEXT } },
}

let contract: Contract

beforeAll(async () => {
  contract = await loadDocumentOf(PATHS, { components: { schemas: SCHEMAS } })
})

function open(): Sandbox {
  const products = [{ id: 1, name: 'Pen', price: 150, stock: 3 }]
  return createSandbox({ contract, records: { products }, auth: false })
}

async function send(sandbox: Sandbox, method: string, path: string, body?: object) {
  const response = await sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, body: await response.json() }
}

async function openCartIn(sandbox: Sandbox, email: string): Promise<{ cart: string }> {
  const { body } = await send(sandbox, 'POST', '/carts', { email, currency: 'CHF' })
  return { cart: `/carts/${body.id}` }
}

async function openCart(): Promise<{ sandbox: Sandbox; cart: string }> {
  const sandbox = open()
  return { sandbox, ...(await openCartIn(sandbox, 'a@b.c')) }
}

describe('a value that an operation sets', () => {
  it('may be of the request and of the record, within a text or with its type', async () => {
    const { sandbox, cart } = await openCart()

    const { body } = await send(sandbox, 'GET', cart)

    expect(body.label).toBe(`Cart ${body.id} of a@b.c`)
    expect(body.token).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f-]{17}$/)
  })

  it('may be of a record that the request refers to, and of the one above it', async () => {
    const { sandbox, cart } = await openCart()

    const { status, body } = await send(sandbox, 'POST', `${cart}/lines`, {
      productId: 1,
      quantity: 2,
    })

    expect(status).toBe(201)
    expect(body).toMatchObject({ price: 150, currency: 'CHF', quantity: 2 })
  })

  it('is the same in each sandbox of a seed', async () => {
    const [one, other] = [await openCart(), await openCart()]

    const tokens = await Promise.all(
      [one, other].map(async ({ sandbox, cart }) => (await send(sandbox, 'GET', cart)).body.token),
    )

    expect(tokens[0]).toBe(tokens[1])
  })

  it('is in the answer of a removal', async () => {
    const { sandbox, cart } = await openCart()

    expect((await send(sandbox, 'DELETE', cart)).body).toMatchObject({ state: 'removed' })
  })
})

describe('a request is refused', () => {
  it('for an unknown reference, with its status and code, and nothing is added', async () => {
    const { sandbox, cart } = await openCart()

    const answered = await send(sandbox, 'POST', `${cart}/lines`, { productId: 9, quantity: 1 })

    expect(answered).toEqual({
      status: 400,
      body: { code: 'no_such_product', message: 'There is no product 9.' },
    })
    expect((await send(sandbox, 'GET', `${cart}/lines`)).body).toEqual([])
  })

  it('by a condition on what it refers to, with a sentence', async () => {
    const { sandbox, cart } = await openCart()

    const answered = await send(sandbox, 'POST', `${cart}/lines`, { productId: 1, quantity: 4 })

    expect(answered).toEqual({
      status: 409,
      body: { code: 'out_of_stock', message: 'Only 3 of Pen are left.' },
    })
  })

  it('by a condition on the record, and on the one above', async () => {
    const { sandbox, cart } = await openCart()
    await send(sandbox, 'POST', `${cart}/pay`)

    const again = await send(sandbox, 'POST', `${cart}/pay`)
    const line = await send(sandbox, 'POST', `${cart}/lines`, { productId: 1, quantity: 1 })

    expect(again).toEqual({
      status: 409,
      body: {
        code: 'not_open',
        message: 'record.state is "paid", and must be "open" or "late".',
      },
    })
    expect(line).toMatchObject({ status: 400, body: { code: 'cart_unexpected_state' } })
  })

  it('for a value that must be unique, also of two at once, and not for its own', async () => {
    const { sandbox, cart } = await openCart()

    const both = await Promise.all(
      [1, 2].map(() => send(sandbox, 'POST', '/carts', { email: 'x@b.c' })),
    )
    const own = await send(sandbox, 'PATCH', cart, { email: 'a@b.c' })
    const taken = await send(sandbox, 'PATCH', cart, { email: 'x@b.c' })

    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(own.status).toBe(201)
    expect(taken).toMatchObject({ status: 409, body: { code: 'email_taken' } })
    expect(sandbox.journal.exchanges.at(-1)?.refusal).toMatchObject({ conflict: 'body.email' })
    await expect(sandbox.collection('carts').create({ email: 'a@b.c' })).rejects.toThrow(
      'must be unique',
    )
  })
})

describe('an operation that changes other records', () => {
  it('keeps what is referred to, or sets the references to null when it is removed', async () => {
    const { sandbox, cart } = await openCart()
    const { cart: paid } = await openCartIn(sandbox, 'p@b.c')
    await send(sandbox, 'POST', `${cart}/lines`, { productId: 1, quantity: 1 })
    await send(sandbox, 'POST', `${paid}/pay`)

    const kept = await send(sandbox, 'DELETE', paid)
    const { refusal } = sandbox.journal.exchanges.at(-1) ?? {}
    const removed = await send(sandbox, 'DELETE', cart)

    expect(refusal).not.toHaveProperty('conflict')
    expect(kept).toMatchObject({
      status: 409,
      body: { code: 'cart_in_use', message: 'payment is present, and must be absent.' },
    })
    expect((await send(sandbox, 'GET', paid)).status).toBe(200)
    expect(removed.status).toBe(200)
    expect((await send(sandbox, 'GET', '/products/1')).body.lastCart).toBeNull()
  })

  it('has changed nothing when one of its changes is refused', async () => {
    const { sandbox, cart } = await openCart()

    const failed = send(sandbox, 'POST', `${cart}/void`)

    await expect(failed).rejects.toThrow('Cannot change products: stock must be integer.')
    expect((await send(sandbox, 'GET', cart)).body.state).toBe('open')
    expect((await send(sandbox, 'GET', '/payments')).body).toEqual([])
  })

  it('adds and changes them', async () => {
    const { sandbox, cart } = await openCart()
    sandbox.clock.set('2027-03-01T12:00:00Z')
    await send(sandbox, 'POST', `${cart}/lines`, { productId: 1, quantity: 1 })

    const paid = await send(sandbox, 'POST', `${cart}/pay`)

    expect(paid.body).toMatchObject({ state: 'paid', payer: 'a@b.c' })
    expect((await send(sandbox, 'GET', '/payments')).body).toMatchObject([
      { cart: paid.body.id, at: '2027-03-01T12:00:00.000Z' },
    ])
    expect((await send(sandbox, 'GET', '/products/1')).body).toMatchObject({
      lastCart: paid.body.id,
      sold: true,
    })
    expect((await send(sandbox, 'GET', `${cart}/lines`)).body).toMatchObject([{ quantity: 0 }])
  })
})

describe('a longer text', () => {
  const event = object({ text: TEXT, token: TEXT })
  const add = { in: '/events', set: { text: 'Order {record.id} at {now}', token: 'key-{uuid}' } }
  const paths = {
    '/orders': {
      get: list('listOrders', 'Order'),
      post: post(
        'createOrder',
        'Order',
        { name: TEXT },
        {
          set: { note: 'created at {now}', code: 'order-{uuid}', at: '{now}' },
          after: [{ delay: '1h', set: { note: 'late at {now}, {record.name}' } }],
          also: [add, add],
          answer: { hint: 'answered at {now}, {uuid}' },
        },
      ),
    },
    '/orders/{id}': { parameters: [inPath('id')], get: one('getOrder', 'Order') },
    '/orders/{id}/renew': {
      parameters: [inPath('id')],
      post: {
        operationId: 'renew',
        responses: { '200': answer(ref('Order')), '404': refused, '409': refused },
        'x-sandbox': {
          refuse: [{ unless: { 'record.at': { after: '{now}' } }, message: 'Too late at {now}.' }],
        },
      },
    },
    '/events': { get: list('listEvents', 'Event') },
  }
  const schemas = {
    Order: object({ name: TEXT, note: TEXT, code: TEXT, at: INTEGER, hint: TEXT }),
    Event: event,
    Failure: SCHEMAS.Failure,
  }
  const openOrders = async () => {
    const given = { contract: await loadDocumentOf(paths, { components: { schemas } }) }
    const sandbox = createSandbox({ ...given, records: { orders: [] } })
    sandbox.clock.set('2027-03-01T12:00:00Z')
    return sandbox
  }

  it('has the time and UUIDs, a different one in each record', async () => {
    const sandbox = await openOrders()

    const { body } = await send(sandbox, 'POST', '/orders', { name: 'Ada {now}' })
    await send(sandbox, 'POST', '/orders', { name: 'Bo' })
    const { body: events } = await send(sandbox, 'GET', '/events')
    sandbox.clock.advance('2h')
    const later = await send(sandbox, 'GET', `/orders/${body.id}`)

    expect(body.note).toBe('created at 2027-03-01T12:00:00.000Z')
    expect(body.code).toMatch(/^order-[0-9a-f-]{36}$/)
    expect(body.at).toBe(Date.parse('2027-03-01T12:00:00Z') / 1000)
    expect(body.hint).toMatch(/^answered at 2027-03-01T12:00:00.000Z, [0-9a-f-]{36}$/)
    expect(later.body.note).toBe('late at 2027-03-01T13:00:00.000Z, Ada {now}')
    const added = events.filter(({ text }: { text: string }) => text.startsWith('Order'))
    expect(added[0].text).toBe(`Order ${body.id} at 2027-03-01T12:00:00.000Z`)
    expect(new Set(added.map(({ token }: { token: string }) => token)).size).toBe(4)
  })

  it('compares with the time, and says it', async () => {
    const sandbox = await openOrders()
    const { body } = await send(sandbox, 'POST', '/orders', { name: 'Ada' })

    const refusal = await send(sandbox, 'POST', `/orders/${body.id}/renew`)
    sandbox.clock.set('2027-03-01T11:00:00Z')
    const renewed = await send(sandbox, 'POST', `/orders/${body.id}/renew`)

    expect(refusal).toMatchObject({
      status: 409,
      body: { message: 'Too late at 2027-03-01T12:00:00.000Z.' },
    })
    expect(renewed.status).toBe(200)
  })
})

describe('a record that nobody created', () => {
  const found = (name: string) => ({ responses: { '200': answer(ref(name)) } })
  const paths = {
    '/shops': { get: list('listShops', 'Shop') },
    '/shops/{shop}': { parameters: [inPath('shop')], get: found('Shop') },
    '/shops/{shop}/orders': {
      parameters: [inPath('shop')],
      get: list('listOrders', 'Order'),
      post: post(
        'createOrder',
        'Order',
        { other: INTEGER },
        {
          refers: { other: { in: '/shops', id: '{body.other}' } },
          set: { currency: '{parent.currency}', other: '{other.currency}' },
        },
      ),
    },
  }
  const schemas = {
    Shop: object({ name: TEXT, currency: TEXT }),
    Order: object({ currency: TEXT, other: TEXT }),
    Failure: SCHEMAS.Failure,
  }

  it('gives placeholders what a GET shows of it, above a collection and as a reference', async () => {
    const given = { contract: await loadDocumentOf(paths, { components: { schemas } }) }
    const sandbox = createSandbox({ ...given, records: 1 })

    const { body } = await send(sandbox, 'POST', '/shops/77/orders', { other: 88 })
    const shops = await Promise.all(
      ['/shops/77', '/shops/88'].map((path) => send(sandbox, 'GET', path)),
    )

    expect(shops.map(({ status }) => status)).toEqual([200, 200])
    expect([body.currency, body.other]).toEqual(shops.map((shop) => shop.body.currency))
    expect(await sandbox.collection('shops').count()).toBe(1)
  })
})

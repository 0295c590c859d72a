import { beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import type { SandboxOptions } from '../../sandbox/options.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { UsageError } from '../../validation/usage-error.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const content = (schema: object) => ({ content: { 'application/json': { schema } } })
const ok = (schema: object) => ({ '200': { description: 'Done.', ...content(schema) } })
const list = (name: string) => ({
  type: 'object',
  properties: {
    object: { type: 'string' },
    data: { type: 'array', items: ref(name) },
    has_more: { type: 'boolean' },
  },
})
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } })

/** A billing service: lists in envelopes, a record in an envelope of its own, and views that differ. */
const BILLING = {
  openapi: '3.1.0',
  info: { title: 'Billing', version: '1' },
  servers: [{ url: '/v1' }],
  paths: {
    '/customers': {
      get: { operationId: 'listCustomers', responses: ok(list('CustomerSummary')) },
      post: {
        operationId: 'createCustomer',
        requestBody: content(ref('NewCustomer')),
        responses: { '201': { description: 'Made.', ...content(ref('Client')) } },
      },
    },
    '/customers/{id}': {
      parameters: [inPath('id')],
      get: { operationId: 'getCustomer', responses: ok(ref('Client')) },
    },
    '/orders': {
      get: {
        operationId: 'listOrders',
        responses: ok({ type: 'array', items: ref('Order') }),
      },
    },
    '/orders/{order_id}': {
      parameters: [inPath('order_id')],
      get: {
        operationId: 'getOrder',
        responses: ok({
          type: 'object',
          required: ['order'],
          properties: { order: ref('Order'), links: { type: 'object' } },
        }),
      },
    },
    '/customers/{customer_id}/orders': {
      parameters: [inPath('customer_id')],
      get: {
        operationId: 'listCustomerOrders',
        responses: ok({ type: 'array', items: ref('Order') }),
      },
    },
    '/customers/{customer_id}/notes': {
      parameters: [inPath('customer_id')],
      get: { operationId: 'listNotes', responses: ok({ type: 'array', items: ref('Note') }) },
      post: {
        operationId: 'addNote',
        requestBody: content(ref('Note')),
        responses: { '201': { description: 'Made.', ...content(ref('Note')) } },
      },
    },
  },
  components: {
    schemas: {
      NewCustomer: {
        type: 'object',
        required: ['email'],
        properties: {
          email: { type: 'string', format: 'email' },
          taxExempt: { type: 'boolean' },
          secret: { type: 'string', writeOnly: true },
        },
      },
      Client: {
        type: 'object',
        required: ['id', 'email'],
        properties: {
          id: { type: 'string' },
          email: { type: 'string', format: 'email' },
          taxExempt: { type: 'boolean' },
          phone: { type: 'string' },
          address: {
            type: 'object',
            properties: { postal_code: { type: 'string' }, line2: { type: 'string' } },
          },
        },
      },
      CustomerSummary: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, label: { type: 'string' } },
      },
      Order: {
        type: 'object',
        required: ['id', 'total'],
        properties: {
          id: { type: 'string' },
          customer_id: { type: 'string' },
          total: { type: 'integer' },
        },
      },
      Note: {
        type: 'object',
        required: ['id', 'text'],
        properties: { id: { type: 'integer', readOnly: true }, text: { type: 'string' } },
      },
    },
  },
}

let contract: Contract

beforeAll(async () => {
  const { paths, ...root } = BILLING
  contract = await loadDocumentOf(paths, root)
})

function open(records: SandboxOptions['records']): Sandbox {
  return createSandbox({ contract, ...(records !== undefined && { records }) })
}

async function bodyOf(sandbox: Sandbox, path: string): Promise<unknown> {
  const response = await sandbox.fetch(new Request(`http://localhost/v1${path}`))
  return response.json()
}

const ANN = { id: 'cus_1', email: 'ann@example.com' }

describe('records of the option `records`', () => {
  it.each<[name: string]>([['customers'], ['/customers'], ['/v1/customers'], ['Client']])(
    'are given under %s',
    async (name) => {
      const sandbox = open({ [name]: [ANN] })

      expect(await bodyOf(sandbox, '/customers/cus_1')).toMatchObject(ANN)
      expect(await sandbox.collection('Client').count()).toBe(1)
    },
  )

  it('are given in the envelope of a list', async () => {
    const sandbox = open({ customers: { object: 'list', data: [ANN], has_more: false } })

    expect(await bodyOf(sandbox, '/customers/cus_1')).toMatchObject(ANN)
  })

  it('are given each in the envelope of a response, or one without a list', async () => {
    const sandbox = open({ orders: { order: { id: 'o_1', total: 3 }, links: {} } })
    const several = open({ orders: [{ order: { id: 'o_1', total: 3 } }, { id: 'o_2', total: 4 }] })

    expect(await bodyOf(sandbox, '/orders/o_1')).toMatchObject({ order: { total: 3 } })
    expect(await several.collection('orders').list()).toMatchObject([{ total: 3 }, { total: 4 }])
  })

  it('may spell their properties in snake or camel case, at any depth', async () => {
    const sandbox = open({
      customers: [{ ...ANN, tax_exempt: true, address: { postalCode: '8000' } }],
    })

    expect(await sandbox.collection('customers').get('cus_1')).toMatchObject({
      taxExempt: true,
      address: { postal_code: '8000' },
    })
  })

  it('may have what only one response or request has', async () => {
    const sandbox = open({ customers: [{ id: 'cus_1', label: 'Ann' }] })
    const withSecret = open({ customers: [{ ...ANN, secret: 'x' }] })

    expect(await bodyOf(sandbox, '/customers')).toMatchObject({
      data: [{ id: 'cus_1', label: 'Ann' }],
    })
    expect(await bodyOf(sandbox, '/customers/cus_1')).toEqual(
      expect.objectContaining({ id: 'cus_1', email: expect.stringContaining('@') }),
    )
    expect(await bodyOf(withSecret, '/customers/cus_1')).not.toHaveProperty('secret')
  })

  it('do not have what is null where the document has no null', async () => {
    const sandbox = open({ customers: [{ ...ANN, phone: null, address: { line2: null } }] })

    const shown = await bodyOf(sandbox, '/customers/cus_1')

    expect(shown).not.toHaveProperty('phone')
    expect(shown).not.toHaveProperty('address.line2')
    expect(shown).toMatchObject(ANN)
  })

  it('have the parent of another path under which they are given', async () => {
    const sandbox = open({
      customers: [ANN],
      '/customers/cus_1/orders': [{ id: 'o_1', total: 3 }],
      orders: [{ id: 'o_2', total: 4, customer_id: 'cus_2' }],
    })

    expect(await bodyOf(sandbox, '/customers/cus_1/orders')).toEqual([
      { id: 'o_1', customer_id: 'cus_1', total: 3 },
    ])
    expect(await sandbox.collection('orders').count()).toBe(2)
  })

  it('list everything that is wrong, with its place and the nearest name', () => {
    const records = {
      customers: {
        data: [
          { ...ANN, emial: 'x', tax_exempt: 'no' },
          { ...ANN, id: 'cus_1' },
        ],
      },
      orders: [{ order: { id: 'o_1', totl: 3, total: '3' } }, 7],
    }

    const error = errorOf(() => open(JSON.parse(JSON.stringify(records))))

    expect(error.errors).toEqual([
      expect.objectContaining({
        location: 'records.customers.data[0].emial',
        suggestion: 'email',
      }),
      expect.objectContaining({
        reason: 'records.customers.data[0].tax_exempt must be boolean',
      }),
      expect.objectContaining({
        reason: 'records.customers.data[1].id must be unique (an earlier record has the id cus_1)',
      }),
      expect.objectContaining({
        location: 'records.orders[0].order.totl',
        suggestion: 'total',
      }),
      expect.objectContaining({ reason: 'records.orders[0].order.total must be integer' }),
      expect.objectContaining({ reason: 'records.orders[1] must be an object (got 7)' }),
    ])
    expect(error.message).toContain('6 mistakes')
  })

  it('list all unknown collections, and say how to name one below a record', () => {
    const error = errorOf(() => open({ customer: [ANN], notes: [{ text: 'Hi' }], nots: [] }))

    expect(error.errors).toEqual([
      expect.objectContaining({ location: 'records.customer', suggestion: 'customers' }),
      expect.objectContaining({ reason: 'records.notes must be an integer ≥ 0 (got array)' }),
      expect.objectContaining({
        location: 'records.nots',
        suggestion: 'customers/{customer_id}/notes',
      }),
    ])
  })

  it('are refused with null where the property must have a value', () => {
    expect(errorOf(() => open({ orders: [{ id: 'o_1', total: null }] })).reason).toBe(
      'records.orders[0].total must be integer',
    )
  })
})

describe('a record that a test or the control interface adds', () => {
  it('is taken as a response or a request shows it', async () => {
    const sandbox = open(0)

    const made = await sandbox.collection('/v1/orders'.slice(3)).create({
      order: { id: 'o_1', total: 3, customerId: 'cus_1' },
      links: {},
    })
    await sandbox.collection('Client').create({ ...ANN, tax_exempt: true, phone: null })
    await sandbox.collection('customers').update('cus_1', { tax_exempt: false })

    expect(made).toEqual({ id: 'o_1', customer_id: 'cus_1', total: 3 })
    expect(await bodyOf(sandbox, '/customers/cus_1')).toMatchObject({ ...ANN, taxExempt: false })
    expect(await bodyOf(sandbox, '/customers/cus_1')).not.toHaveProperty('phone')
  })

  it('is refused with all that is wrong', async () => {
    const customers = open(0).collection('customers')

    const error: unknown = await customers
      .create({ id: 'cus_1', email: 7, phon: '1', adress: {} })
      .catch((reason: unknown) => reason)

    expect(error).toMatchObject({
      errors: [
        { location: 'phon', suggestion: 'phone' },
        { location: 'adress', suggestion: 'address' },
        { location: 'email', reason: 'email must be string' },
      ],
    })
  })
})

function errorOf(open: () => unknown): UsageError {
  try {
    open()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('The records were accepted')
}

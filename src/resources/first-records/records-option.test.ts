import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { loadContract } from '../../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { UsageError } from '../../validation/usage-error.ts'

const ORDERS = `openapi: 3.1.1
info: { title: Orders, version: '1' }
paths:
  /orders:
    get:
      parameters: [{ name: state, in: query, schema: { type: string } }]
      responses:
        '200':
          description: Orders.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Order' } } } }
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewOrder' } } } }
      responses:
        '201':
          description: The order.
          content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } }
components:
  schemas:
    NewOrder:
      type: object
      required: [item, secret]
      properties:
        item: { type: string, minLength: 3 }
        state: { type: string, default: open }
        secret: { type: string, writeOnly: true }
        address: { type: object, properties: { country: { type: string, default: CH } } }
    Order:
      allOf:
        - $ref: '#/components/schemas/NewOrder'
        - type: object
          required: [id, total]
          properties:
            id: { type: integer, readOnly: true }
            created: { type: string, format: date-time, readOnly: true }
            total: { type: number }
`

const NOW = '2027-03-01T12:00:00.000Z'
const SENT = { address: {}, item: 'bread', secret: 'x' }

let folder = ''
let contract: Contract

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  const file = join(folder, 'orders.yaml')
  await writeFile(file, ORDERS)
  contract = await loadContract(file)
})

afterAll(() => rm(folder, { recursive: true }))

function open(): Sandbox {
  const sandbox = createSandbox({ contract, records: 0, auth: false })
  sandbox.clock.set(NOW)
  return sandbox
}

async function post(sandbox: Sandbox, body: unknown): Promise<Response> {
  return sandbox.fetch(
    new Request('http://localhost/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
}

describe('a record that a test adds', () => {
  it('is found by the filter of a property that got its default', async () => {
    const sandbox = createSandbox({ records: 0 })

    await sandbox.collection('pets').create({ name: 'Rex', categoryId: 3 })
    const response = await sandbox.fetch(
      new Request('http://localhost/v1/pets?status=available', {
        headers: { Authorization: 'Bearer sk_sandbox_free' },
      }),
    )

    expect(await response.text()).toBe(
      '[{"id":1,"name":"Rex","categoryId":3,"status":"available"}]',
    )
  })

  it('has what the API sets in a record of the same values', async () => {
    const [byApi, byTest] = [open(), open()]

    await post(byApi, SENT)
    await byTest.collection('orders').create(SENT)

    const [[made], [added]] = await Promise.all([
      byApi.collection('orders').list(),
      byTest.collection('orders').list(),
    ])
    expect(made).toEqual(added)
    expect(added).toEqual({
      id: 1,
      ...SENT,
      address: { country: 'CH' },
      state: 'open',
      created: NOW,
      total: expect.any(Number),
    })
  })

  it('keeps a given id and given read-only properties', async () => {
    const given = { ...SENT, id: 7, total: 12.5, created: '2026-01-01T00:00:00Z' }

    const added = await open().collection('orders').create(given)

    expect(added).toMatchObject({ id: 7, total: 12.5, created: '2026-01-01T00:00:00Z' })
  })

  it.each<[values: Record<string, unknown>, why: string]>([
    [{ item: 'bread' }, 'secret is required'],
    [{ secret: 'x' }, 'item is required'],
    [{ ...SENT, item: 'x' }, 'item must have at least 3 characters'],
  ])('is refused where the API refuses %j', async (values, why) => {
    const sandbox = open()

    const error: unknown = await sandbox
      .collection('orders')
      .create(values)
      .catch((reason: unknown) => reason)

    expect((await post(sandbox, values)).status).toBe(400)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toHaveProperty('message', `Cannot change orders: ${why}.`)
  })
})

describe('records that are given whole', () => {
  const order = { item: 'bread' }
  const whole = { id: 1, ...order, state: 'open', total: 0 }

  it('get the defaults of the contract from a scenario, at the time of its clock', async () => {
    const scenarios = { one: { description: 'One.', clock: NOW, records: { orders: [order] } } }
    const sandbox = createSandbox({ contract, scenarios, scenario: 'one' })

    const [first] = await sandbox.collection('orders').list()

    expect(first).toEqual({ ...whole, created: expect.stringMatching(/^2027-03-01T12:00:/) })
  })

  it('get them from the option `records`', async () => {
    const sandbox = createSandbox({ contract, records: { orders: [order] } })

    const [first] = await sandbox.collection('orders').list()

    expect(first).toEqual({ ...whole, created: expect.any(String) })
  })

  it('may have write-only properties', async () => {
    const sandbox = createSandbox({ contract, records: { orders: [SENT] } })

    const [first] = await sandbox.collection('orders').list()

    expect(first).toMatchObject(SENT)
  })

  it('are put back as they are from a snapshot', async () => {
    const sandbox = open()
    await sandbox.collection('orders').count()
    const snapshot = await sandbox.snapshot()
    const { orders } = snapshot.state.records

    Reflect.set(orders ?? {}, 'rows', [{ id: 1, item: 'bread', total: 3 }])
    await sandbox.restore(snapshot)

    expect(await sandbox.collection('orders').list()).toEqual([{ id: 1, item: 'bread', total: 3 }])
  })

  it('are refused without a property that a client must send', () => {
    const records = { orders: [{ state: 'done' }] }

    expect(() => createSandbox({ contract, records })).toThrow(
      'Cannot create the sandbox: records.orders[0].item is required.',
    )
  })
})

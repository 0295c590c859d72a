import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { type LoadOptions, loadContract } from '../load-contract.ts'

const ORDERS = `swagger: '2.0'
info: { title: Orders, version: '1' }
host: api.example.com
basePath: /v2
paths:
  /orders:
    get:
      responses:
        '200':
          description: The orders.
          schema: { type: array, items: { $ref: '#/definitions/Order' } }
    post:
      parameters:
        - { in: query, name: dryRun, type: boolean }
        - { in: body, name: order, required: true, schema: { $ref: '#/definitions/Order' } }
      responses:
        '201':
          description: The order.
          schema: { $ref: '#/definitions/Order' }
definitions:
  Order:
    type: object
    required: [name]
    properties:
      id: { type: integer, readOnly: true }
      name: { type: string }
`

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function load(text: string, options: LoadOptions = {}): Promise<Contract> {
  const file = join(folder, 'orders.yaml')
  await writeFile(file, text)

  return loadContract(file, options)
}

describe('a Swagger 2.0 document', () => {
  test('is served under its basePath, with its bodies checked', async () => {
    const sandbox = createSandbox({ contract: await load(ORDERS), auth: false })
    const send = (body: object): Promise<Response> =>
      sandbox.fetch(
        new Request('http://localhost/v2/orders', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        }),
      )

    const created = await send({ name: 'Ada' })
    const refused = await send({ name: 7 })

    expect(created.status).toBe(201)
    expect(await created.json()).toMatchObject({ name: 'Ada' })
    expect(refused.status).toBe(400)
  })

  test('is recognised when its version is a number', async () => {
    const contract = await load(ORDERS.replace(`'2.0'`, '2.0'))

    expect(contract.operations.map(({ id }) => id)).toEqual(['GET /orders', 'POST /orders'])
  })

  test('locates a mistake where it is written in Swagger', async () => {
    const document = ORDERS.replace('name: { type: string }', 'name: { type: strng }')
    const loading = load(document, { strict: true })

    await expect(loading).rejects.toThrow('orders.yaml:26:21)')
  })
})

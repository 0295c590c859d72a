import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { loadContract } from '../load-contract.ts'
import type { LoadOptions } from '../load-options.ts'

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

test('a definition with the name of a method of objects is loaded', async () => {
  const text = ORDERS.replaceAll('/Order', '/hasOwnProperty')
    .replace('  Order:', '  hasOwnProperty:')
    .replace('name: {', 'hasOwnProperty: { type: integer }\n      name: {')

  const { operations } = await load(text)

  expect(operations[0]?.responses[0]?.schema?.items?.properties).toHaveProperty('hasOwnProperty')
})

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

describe('a Swagger 2.0 document of several files', () => {
  test('may refer to schemas, parameters, responses and paths, and back to the document', async () => {
    const files = {
      'schemas.yaml': `
Book: { type: object, required: [name], properties: { name: { type: string }, author: { $ref: '#/Author' }, pen: { $ref: 'orders.yaml#/definitions/Pen' } } }
Author: { type: object, properties: { parameters: { $ref: '#/Name' } } }
Name: { type: string, x-nullable: true, maxLength: 3 }
`,
      'shared.yaml': `
parameters: { body: { in: body, name: book, required: true, schema: { $ref: 'schemas.yaml#/Book' } } }
responses: { book: { description: One, schema: { $ref: 'schemas.yaml#/Book' } } }
`,
      'books.yaml': `
post:
  parameters: [{ $ref: 'shared.yaml#/parameters/body' }]
  responses: { '201': { $ref: 'shared.yaml#/responses/book' } }
`,
    }
    await Promise.all(
      Object.entries(files).map(([file, text]) => writeFile(join(folder, file), text)),
    )
    const document = ORDERS.replace('paths:\n', `paths:\n  /books: { $ref: books.yaml }\n`)

    const contract = await load(`${document}  Pen: { type: string }\n`)
    const post = contract.operations.find(({ id }) => id === 'POST /books')

    expect(post?.body?.validate({ name: 'A', author: { parameters: null }, pen: 'P' })).toBe(true)
    expect(post?.body?.validate({ name: 'A', pen: 7 })).toBe(false)
    expect(post?.body?.validate({ name: 'A', author: { parameters: 'long' } })).toBe(false)
    expect(post?.responses.map(({ status }) => status)).toEqual([201])
  })

  test('locates a mistake in its own file', async () => {
    await writeFile(join(folder, 'schemas.yaml'), 'Name:\n  type: strng\n')

    const document = ORDERS.replace('{ type: string }', `{ $ref: 'schemas.yaml#/Name' }`)
    const loading = load(document, { strict: true })

    await expect(loading).rejects.toThrow('schemas.yaml:2:9')
  })

  test('must not refer to other folders', async () => {
    const document = ORDERS.replace('{ type: string }', `{ $ref: '../secret.yaml#/Name' }`)
    const loading = load(document, { strict: true })

    await expect(loading).rejects.toThrow(`points outside the document's folder`)
  })
})

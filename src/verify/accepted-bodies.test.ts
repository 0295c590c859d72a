import { describe, expect, test } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

const text = { type: 'string' }
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const error = { description: 'Invalid.', ...json({ type: 'object' }) }
const zone = {
  type: 'object',
  required: ['name', 'kind', 'servers'],
  properties: {
    name: text,
    kind: { type: 'string', enum: ['native', 'primary'] },
    owner: text,
    note: { type: ['string', 'null'], default: null },
    servers: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['name'], properties: { name: text } },
    },
  },
}

type Refuse = (body: Readonly<Record<string, unknown>>) => string | undefined

/** Verifies a service that creates zones, but for those that a function refuses with a message. */
async function run(refuse: Refuse, invalid: object = { 422: error }): Promise<Verification> {
  const record = { type: 'object', properties: { id: text, ...zone.properties } }
  const contract = await loadDocumentOf({
    '/zones': {
      post: {
        operationId: 'createZone',
        requestBody: { required: true, ...json(zone) },
        responses: { 201: { description: 'Created.', ...json(record) }, ...invalid },
      },
    },
    '/zones/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { operationId: 'getZone', responses: { 200: { description: 'OK', ...json(record) } } },
      delete: { operationId: 'deleteZone', responses: { 204: { description: 'Gone.' } } },
    },
  })
  const zones = new Map<string, object>()

  return await verify('http://api.test', contract, {
    writes: true,
    only: ['createZone'],
    fetch: async (request) => {
      const id = request.url.split('/').at(-1) ?? ''
      if (request.method === 'DELETE') return new Response(null, { status: 204 })
      if (request.method === 'GET')
        return Response.json(zones.get(id) ?? {}, { status: zones.has(id) ? 200 : 404 })
      const body: unknown = await request.json().catch(() => undefined)
      const isZone =
        isObject(body) &&
        typeof body.name === 'string' &&
        ['native', 'primary'].includes(String(body.kind))
      const message = isZone ? refuse(body) : 'invalid'
      if (message !== undefined) return Response.json({ message }, { status: 422 })
      const created = { id: crypto.randomUUID(), note: null, ...(isObject(body) && body) }
      zones.set(created.id, created)
      return Response.json(created, { status: 201 })
    },
  })
}

const hostName: Refuse = ({ name }) =>
  /^[a-z0-9.-]+\.$/.test(String(name)) ? undefined : `${name} is not canonical`

function named({ checks }: Verification, status: string): readonly string[] {
  return checks.filter((one) => one.status === status).map(({ id }) => id)
}

describe('a body that a service refuses, although the document allows it,', () => {
  test('is changed until the service accepts it, and the property is named', async () => {
    const verification = await run(hostName)

    expect(named(verification, 'differs')).toEqual(['createZone/accepts/name'])
    expect(verification.checks).toContainEqual(
      expect.objectContaining({
        id: 'createZone/accepts/name',
        expected: expect.stringMatching(/the server accepts the body with name="verify-.*\."/),
      }),
    )
    expect(verification.created).toBeGreaterThan(0)
    expect(verification.operations.exercised).toBeGreaterThan(0)
  })

  test('is changed inside a list that the message is about', async () => {
    const verification = await run(({ servers = [] }) => {
      const names = Array.isArray(servers) ? servers.map((one) => String(one.name)) : []
      const wrong = names.find((one) => !/^\w+$/.test(one))
      return wrong === undefined ? undefined : `invalid name "${wrong}"`
    })

    expect(named(verification, 'differs')).toContain('createZone/accepts/servers')
  })

  test('is a failure where the document says exactly which values are allowed', async () => {
    const verification = await run(({ kind }) =>
      kind === 'primary' ? undefined : `${kind} is no kind`,
    )

    expect(named(verification, 'failed')).toContain('createZone/accepts/kind')
  })

  test('is a failure where the document allows null', async () => {
    const verification = await run(({ note }) => (note === null ? 'note: not null' : undefined))

    expect(named(verification, 'failed')).toContain('createZone/accepts/note')
  })

  test('is a failure where the document does not have the status', async () => {
    expect(named(await run(hostName, {}), 'failed')).toContain('createZone/accepts/name')
  })

  test('is one decision when the service accepts no other body either', async () => {
    const verification = await run(() => 'the moon is full')

    expect(named(verification, 'failed')).toEqual([])
    expect(named(verification, 'differs')).toHaveLength(1)
    expect(verification.operations.others).toContainEqual({
      operation: 'createZone',
      reason:
        'it refused every body that was made from the document with 422: give one with --data',
    })
  })
})

test('a number is changed to one of a record to which the body refers', async () => {
  const good = {
    type: 'object',
    required: ['price'],
    properties: { price: { type: 'integer', minimum: 1 } },
  }
  const sale = {
    type: 'object',
    required: ['goodId', 'amount'],
    properties: { goodId: text, amount: { type: 'integer', minimum: 1, example: 3 } },
  }
  const paths = (
    name: string,
    schema: { readonly properties: object },
    example: object,
  ): object => {
    const record = { type: 'object', properties: { id: text, ...schema.properties } }
    const shown = { description: 'OK', ...json(record) }
    return {
      [`/${name}`]: {
        post: {
          operationId: `create ${name}`,
          requestBody: { required: true, content: { 'application/json': { schema, example } } },
          responses: { 201: shown, 422: error },
        },
      },
      [`/${name}/{id}`]: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: { operationId: `get ${name}`, responses: { 200: shown, 404: error } },
        delete: { operationId: `delete ${name}`, responses: { 204: { description: 'Gone.' } } },
      },
    }
  }
  const contract = await loadDocumentOf({
    ...paths('goods', good, { price: 7321 }),
    ...paths('sales', sale, { goodId: 'x', amount: 3 }),
  })
  const records = new Map<string, Readonly<Record<string, unknown>>>()

  const { operations } = await verify('http://api.test', contract, {
    writes: true,
    only: ['create sales'],
    fetch: async (request) => {
      const { pathname } = new URL(request.url)
      const known = records.get(pathname)
      if (request.method === 'GET') return Response.json(known ?? {}, { status: known ? 200 : 404 })
      if (request.method === 'DELETE') return new Response(null, { status: 204 })
      const body = Object(await request.json().catch(() => undefined))
      const least = pathname === '/sales' ? records.get(`/goods/${body.goodId}`)?.price : 1
      if (!(Number(body.amount ?? body.price) >= Number(least)))
        return Response.json({ message: 'amount is less than the price' }, { status: 422 })
      const created = { ...body, id: crypto.randomUUID() }
      records.set(`${pathname}/${created.id}`, created)
      return Response.json(created, { status: 201 })
    },
  })

  expect(operations.others).not.toContainEqual(
    expect.objectContaining({ operation: 'create sales' }),
  )
})

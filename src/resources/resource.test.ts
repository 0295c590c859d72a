import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import type { OperationHints, ResourceHints } from '../contract/hints.ts'
import { resolveResource } from '../inference/resolve-resource.ts'
import { listOf, type OperationParts, objectOf, operationOn } from '../testing/operation-on.ts'
import { createResource, type Resource } from './resource.ts'

const BOOK: Schema = {
  type: 'object',
  properties: { id: { type: 'integer' }, title: { type: 'string' }, genre: { type: 'string' } },
}
const BOOKS: ResourceHints = { name: 'books', path: '/books', item: '/books/{bookId}', id: 'id' }

function hinted(
  target: string,
  parts: OperationParts,
  hints: Partial<OperationHints> = {},
): Operation {
  const own: OperationHints = { action: 'read', resource: 'books', record: '', ...hints }
  return { ...operationOn(target, parts), hints: own }
}

function resourceOf(hints: ResourceHints, operations: readonly Operation[]): Resource {
  const byId = new Map(operations.map((one) => [one.id, one]))
  return createResource(resolveResource(hints, operations), byId, false)
}

function resourceWith(
  hints: Partial<ResourceHints>,
  ...operations: readonly Operation[]
): Resource {
  return resourceOf({ ...BOOKS, ...hints }, operations)
}

const read = hinted('GET /books/{bookId}', { shown: BOOK })

describe('the schema of a record', () => {
  it('is that of the response of its view', () => {
    expect(resourceWith({ view: read.id }, read).schema).toBe(BOOK)
  })

  it('is that of an item of a list', () => {
    const list = hinted('GET /books', { shown: listOf(BOOK) }, { action: 'list' })

    expect(resourceWith({ view: list.id }, list).schema).toBe(BOOK)
  })

  it('is at the place of the record in an envelope', () => {
    const shown = objectOf({ data: objectOf({ book: BOOK }) })
    const wrapped = hinted('GET /books/{bookId}', { shown }, { record: '/data/book' })

    expect(resourceWith({ view: wrapped.id }, wrapped).schema).toBe(BOOK)
  })

  it('allows anything when no response shows a record', () => {
    const resource = resourceWith({}, read)

    expect(resource.schema).toEqual({})
    expect(resource.validate(7)).toBe(true)
  })

  it('validates a record by the schema of a list, with paths within the record', () => {
    const validate = new Ajv2020().compile(listOf(BOOK))
    const responses = [{ status: 200, schema: listOf(BOOK), validate }]
    const list = { ...hinted('GET /books', {}, { action: 'list' }), responses }

    const resource = resourceWith({ view: list.id }, list)

    expect(resource.validate({ title: 'Dune' })).toBe(true)
    expect(resource.validate({ title: 7 })).toBe(false)
    expect(resource.validate.errors).toMatchObject([{ instancePath: '/title', keyword: 'type' }])
  })
})

describe('the path of a resource', () => {
  it('has the parameters of its parents', () => {
    expect(resourceWith({ path: '/shops/{shop}/books' })).toMatchObject({
      path: '/shops/{shop}/books',
      parents: ['shop'],
    })
  })

  it('has no parents without parameters', () => {
    expect(resourceWith({})).not.toHaveProperty('parents')
  })

  it('leads to one record by the parameter at the end of its item', () => {
    expect(resourceWith({}).idParameter).toBe('bookId')
    expect(resourceOf({ name: 'books', path: '/books', id: 'id' }, [])).not.toHaveProperty(
      'idParameter',
    )
  })
})

describe('the ids of a resource', () => {
  const USER = objectOf(['id'])

  function readUser(schema: Schema): Operation {
    const validate = new Ajv2020({ formats: { email: /@/, uuid: /^[0-9a-f-]{36}$/ } }).compile(
      schema,
    )
    const id = { name: 'bookId', in: 'path', required: true, schema, validate } as const
    return { ...hinted('GET /books/{bookId}', { shown: USER }), parameters: [id] }
  }

  it('are described by the path parameter when no response shows them', () => {
    const schema: Schema = { type: 'string', pattern: '^u-' }

    expect(resourceWith({ id: '$id', hasHiddenIds: true }, readUser(schema)).idSchema).toBe(schema)
  })

  it('are chosen by the client when the hints say so', () => {
    expect(resourceWith({ ids: 'client' }).hasClientIds).toBe(true)
    expect(resourceWith({}).hasClientIds).toBeUndefined()
  })
})

describe('a resource', () => {
  it('is filtered by the properties that the filters of its operations name', () => {
    const filters = { 'filter[genre]': 'genre', name: 'title', kind: 'genre' }
    const list = hinted('GET /books', { shown: listOf(BOOK) }, { action: 'list', filters })

    expect(resourceWith({}, list).filters).toEqual(['genre', 'title'])
  })

  it('is created by the record in the body of a request', () => {
    const sent = objectOf({ book: BOOK })
    const create = hinted('POST /books', { sent }, { action: 'create', body: '/book' })

    expect(resourceWith({}, create).creation?.schema).toBe(BOOK)
  })

  it('has no creation when a request has no body', () => {
    expect(resourceWith({}, hinted('POST /books', {}, { action: 'create' }))).not.toHaveProperty(
      'creation',
    )
  })

  it('leaves write-only properties out of responses', () => {
    const sent = objectOf({ title: {}, pin: { writeOnly: true } })

    const { hidden } = resourceWith({}, hinted('POST /books', { sent }))
    expect([...hidden]).toEqual(['pin', 'x-sandbox-unchecked'])
  })

  it('has one record when the hints say so', () => {
    expect(resourceWith({ isSingle: true }).isSingle).toBe(true)
  })
})

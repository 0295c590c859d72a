import { describe, expect, it } from 'vitest'
import type { Operation, Parameter, Schema } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import { matches } from '../../generate/matches.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import type { ResourceOperation } from '../collect-examples.ts'
import { findIds } from '../find-ids.ts'
import type { Resource } from '../resource.ts'
import {
  type CreatedRecords,
  createFirstRecords,
  type FirstRecordsRequest,
  openUnmade,
} from './create-first-records.ts'
import type { StartOf } from './references.ts'

interface Given {
  readonly path: string
  readonly properties: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  /** The example of the path parameter. */
  readonly named?: unknown
  readonly read?: unknown
  readonly list?: unknown
  readonly hints?: Partial<OperationHints>
}

function operation(
  method: string,
  path: string,
  example: unknown,
  parameters: readonly Parameter[],
): Operation {
  return {
    ...{ id: `${method} ${path}`, method, path, secured: false, parameters },
    responses: [{ status: 200, schema: {}, validate: () => true, example }],
  }
}

function makeResource(given: Given): Resource {
  const { path, properties, required = [], named, read, list, hints } = given
  const [name = ''] = path.split('/').slice(-1)
  const schema: Schema = { type: 'object', properties, required: ['id', ...required] }
  const { id = {} } = properties
  const parameter: Parameter = {
    ...{ name: 'key', in: 'path', required: true, schema: id },
    ...(named !== undefined && { example: named }),
    validate: (value) => matches(id, value),
  }
  const hinted = (action: OperationHints['action']): OperationHints => ({
    ...{ action, resource: name, record: '' },
    ...hints,
  })
  const operations: ResourceOperation[] = [
    { operation: operation('GET', path, list, []), hints: hinted('list') },
    { operation: operation('GET', `${path}/{key}`, read, [parameter]), hints: hinted('read') },
  ]
  const parents = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, parent = '']) => parent)
  return {
    ...{ name, path, id: 'id', idSchema: id, idParameter: 'key', schema, operations },
    ...(parents.length > 0 && { parents }),
    validate: (value) => matches(schema, value),
    filters: [],
    hidden: new Set(),
  }
}

/** The resource with the ids that its schema and its path allow, whatever the examples are. */
async function withCountedIds(resource: Resource): Promise<Resource> {
  const { idSchema: property, operations = [] } = resource
  const parameters = operations.flatMap(({ operation }) => operation.parameters)
  return {
    ...resource,
    ids: await findIds({ name: 'id', property, parameters, examples: [] }),
  }
}

interface Opening {
  readonly others?: readonly Resource[]
  readonly count?: number
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly name?: string
  readonly startOf?: StartOf
  readonly seed?: number
}

async function open(resource: Resource, opening: Opening = {}): Promise<CreatedRecords> {
  return createFirstRecords(await requestFor(resource, opening))
}

async function requestFor(resource: Resource, opening: Opening): Promise<FirstRecordsRequest> {
  const { others = [], count, parameters = {}, name = resource.name, startOf } = opening
  const [own = resource, ...known] = await Promise.all([resource, ...others].map(withCountedIds))
  const named = [own, ...known].map((one) => ({ ...one, get: () => one }))
  const collections = { resources: () => named, startOf: startOf ?? (() => 'default'), seed: 1 }

  const { seed = 1 } = opening
  return {
    ...{ resource: own, name, parameters, count, collections },
    hasExamples: true,
    seed,
  }
}

async function rowsOf(resource: Resource, opening: Opening = {}): Promise<readonly StoredRecord[]> {
  return (await open(resource, opening)).rows
}

const integer: Schema = { type: 'integer' }
const string: Schema = { type: 'string' }

describe('the first records of a document', () => {
  it('are the examples under their own ids, and then generated ones', async () => {
    const books = makeResource({
      ...{ path: '/books', properties: { id: integer, title: string } },
      read: { id: 12, title: 'Emma' },
      list: [
        { id: 12, title: 'Emma' },
        { id: 7, title: 'Dune' },
      ],
    })

    const rows = await rowsOf(books, { count: 4 })

    expect(rows.slice(0, 2)).toEqual([
      { id: 12, title: 'Emma' },
      { id: 7, title: 'Dune' },
    ])
    expect(rows.slice(2).map(({ id }) => id)).toEqual([13, 14])
  })

  it.each<[where: string, hints: Partial<OperationHints>, list: unknown]>([
    ['in an envelope', { record: '/data/items' }, { data: { items: [{ id: 3 }] } }],
    ['by another name of the id', { id: 'number' }, [{ number: 3 }]],
    ['with other names', { views: { ID: 'id' } }, [{ ID: 3 }]],
    ['as text', {}, '[{"id":3}]'],
  ])('are found %s', async (_where, hints, list) => {
    const books = makeResource({ path: '/books', properties: { id: integer }, list, hints })

    expect((await rowsOf(books, { count: 1 }))[0]).toMatchObject({ id: 3 })
  })

  it('have the ids that the document names for the path', async () => {
    const properties = { id: string, title: string }
    const books = makeResource({ path: '/books', properties, named: 'emma', required: ['title'] })

    const [first] = await rowsOf(books)

    expect(first).toEqual({ id: 'emma', title: expect.any(String) })
  })

  it('have no values of an invalid example', async () => {
    const properties = { id: integer, pages: integer }
    const books = makeResource({ path: '/books', properties, read: { id: 5, pages: 'many' } })

    const [first] = await rowsOf(books)

    expect(first).toEqual({ id: 5, pages: expect.any(Number) })
  })

  it('complete an example that lacks something', async () => {
    const properties = { id: integer, title: string, pages: integer }
    const books = makeResource({
      ...{ path: '/books', properties, required: ['pages'] },
      list: [{ id: 5, title: 'Emma' }],
    })

    const [first] = await rowsOf(books)

    expect(first).toEqual({ id: 5, title: 'Emma', pages: expect.any(Number) })
  })

  it.each<[count: number | undefined, most: number]>([
    [0, 0],
    [2, 2],
    [70, 70],
    [undefined, 25],
  ])('are as many as wanted: %s', async (count, most) => {
    const books = makeResource({ path: '/books', properties: { id: integer } })

    expect(await rowsOf(books, count === undefined ? {} : { count })).toHaveLength(most)
  })

  it('are fewer when they are large', async () => {
    const long: Schema = { type: 'string', minLength: 8000 }
    const books = makeResource({
      ...{ path: '/books', properties: { id: integer, text: long }, required: ['text'] },
    })

    expect(await rowsOf(books)).toHaveLength(4)
  })

  it('fill two pages of the list, at most 50, and 10 below a record', async () => {
    const hints = { paging: { style: 'page', parameter: 'page', size: 'limit' } } as const
    const properties = { id: integer }
    const books = makeResource({ path: '/books', properties, hints })
    const nested = makeResource({ path: '/shelves/{shelf}/books', properties, hints })

    expect(await rowsOf(books)).toHaveLength(40)
    expect(await rowsOf(nested, { parameters: { shelf: 'a' } })).toHaveLength(10)
  })

  it('are half of the ids when records can be created', async () => {
    const id: Schema = { ...integer, maximum: 10 }
    const creation = { required: true, mediaTypes: [], schema: {}, validate: () => true }
    const orders = { ...makeResource({ path: '/orders', properties: { id } }), creation }

    expect(await rowsOf(orders)).toHaveLength(5)
  })

  it('are not those that the example of a creation creates, when the client chooses ids', async () => {
    const properties = { id: { ...string, example: 'emma' } }
    const books = makeResource({ path: '/books', properties, named: 'emma' })
    const creation = { required: true, mediaTypes: [], schema: books.schema, validate: () => true }

    const [first] = await rowsOf({ ...books, creation, hasClientIds: true })

    expect(first?.id).not.toBe('emma')
  })

  it('are as many as there are ids', async () => {
    const id: Schema = { type: 'string', enum: ['free', 'pro'] }
    const plans = makeResource({ path: '/plans', properties: { id } })

    expect((await rowsOf(plans)).map((row) => row.id)).toEqual(['free', 'pro'])
  })
})

describe('the first records of a nested collection', () => {
  const properties = { id: { type: 'string', format: 'uuid' }, org_id: string, name: string }
  const read = { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', org_id: 'github', name: 'docs' }
  const repos = makeResource({ path: '/orgs/{org}/repos', properties, read, required: ['org_id'] })
  const below = (org: string): Opening => ({
    ...{ parameters: { org }, name: `orgs/${org}/repos` },
  })

  it('name their parents, are at most ten, and differ between parents', async () => {
    const [acme, globex] = [
      await rowsOf(repos, below('acme')),
      await rowsOf(repos, below('globex')),
    ]

    expect(acme).toHaveLength(10)
    expect(acme.every((row) => row.org_id === 'acme')).toBe(true)
    expect(acme.map(({ id }) => id)).not.toEqual(globex.map(({ id }) => id))
    expect(await rowsOf(repos, below('acme'))).toEqual(acme)
  })

  it('are examples only where these do not belong to another parent', async () => {
    expect((await rowsOf(repos, below('github')))[0]).toEqual(read)
    expect((await rowsOf(repos, below('acme')))[0]).not.toMatchObject({ id: read.id })
  })
})

describe('references between first records', () => {
  const customers = makeResource({
    path: '/customers',
    properties: {
      ...{ id: { ...string, pattern: '^cus_[a-z]{8}\\d$' }, name: string },
      orders: { type: 'array', items: { type: 'object', properties: { id: integer } } },
    },
    required: ['orders'],
  })
  const orders = makeResource({
    path: '/orders',
    properties: {
      ...{ id: integer, customer_id: string, billingCustomerId: string, note: string },
      customer: { type: 'object', properties: { id: string, name: string } },
    },
    required: ['customer_id', 'billingCustomerId', 'customer'],
  })
  const others = [customers, orders]

  it('are ids of records that exist', async () => {
    const ids = (await rowsOf(customers, { others })).map(({ id }) => id)

    const rows = await rowsOf(orders, { others })

    for (const row of rows) {
      expect(ids).toContain(row.customer_id)
      expect(ids).toContain(row.billingCustomerId)
      expect(row.customer).toMatchObject({ id: row.customer_id })
    }
    expect(new Set(rows.map((row) => row.customer_id)).size).toBe(3)
  })

  it('are the same in both directions', async () => {
    const rows = await rowsOf(orders, { others })

    const [first] = await rowsOf(customers, { others })

    expect(first?.orders).toHaveLength(1)
    expect(first?.orders).toMatchObject([{ id: rows[0]?.id }])
    expect(rows[0]?.customer_id).toBe(first?.id)
  })

  it('are ids of given records', async () => {
    const startOf: StartOf = ({ name }) => (name === 'customers' ? [{ id: 'cus_mine' }] : 'default')

    const [first] = await rowsOf(orders, { others, startOf })

    expect(first?.customer_id).toBe('cus_mine')
  })

  it('stay as they are when the other collection is empty', async () => {
    const startOf: StartOf = ({ name }) => (name === 'customers' ? 0 : 'default')

    const [first] = await rowsOf(orders, { others, startOf })

    expect(first?.customer_id).toEqual(expect.any(String))
  })
})

describe('records that are made when they are read', () => {
  const hinted = makeResource({
    path: '/pets',
    properties: {
      id: integer,
      name: { ...string, 'x-faker': { 'helpers.arrayElement': [['Ada', 'Bo', 'Cy', 'Di']] } },
      kind: { allOf: [{ ...integer, 'x-faker': { 'number.int': [{ min: 1, max: 9 }] } }] },
      note: string,
    },
    required: ['name', 'kind'],
  })
  const customers = makeResource({
    path: '/customers',
    properties: { id: { ...string, format: 'uuid' }, name: string, email: string },
    required: ['name', 'email'],
  })
  const orders = makeResource({
    path: '/orders',
    properties: { id: integer, customer_id: string, total: { type: 'number' } },
    required: ['customer_id', 'total'],
    read: { id: 7, customer_id: 'a', total: 1 },
  })

  it.each<[which: string, resource: Resource, opening: Opening]>([
    ['with hints', hinted, { count: 2500 }],
    ['with hints, of another seed', hinted, { count: 300, seed: 5 }],
    ['of which there is no order of the ids', customers, { count: 300 }],
    ['that refer to others, after an example', orders, { count: 300, others: [customers] }],
  ])('are those that are made in full: records %s', async (_which, resource, opening) => {
    const { rows } = await open(resource, opening)
    const records = await openUnmade(await requestFor(resource, opening))

    const [last, first, other] = [rows.at(-1), rows[0], rows[170]]
    for (const row of [last, first, other]) {
      expect(JSON.stringify(await records?.get(idIn(row)))).toBe(JSON.stringify(row))
    }
    const all = await records?.page({})
    const byId = new Map(all?.records.map((record) => [record.id, record]))
    expect(JSON.stringify(rows.map(({ id }) => byId.get(id)))).toBe(JSON.stringify(rows))
    expect(all?.records).toHaveLength(rows.length)
  })

  it('are the same however many there are', async () => {
    const few = await open(hinted, { count: 100 })
    const many = await openUnmade(await requestFor(hinted, { count: 100_000 }))

    expect((await many?.page({ limit: 100 }))?.records).toEqual(few.rows)
    expect(await many?.count()).toBe(100_000)
    expect(await many?.get(100_000)).toMatchObject({ id: 100_000 })
  })

  it('are made in turn where hints take any number of random numbers', async () => {
    const text = { ...string, 'x-faker': { 'string.alpha': [{ length: { min: 1, max: 9 } }] } }
    const words = makeResource({ path: '/words', properties: { id: integer, text } })
    const listed = makeResource({
      path: '/lists',
      properties: {
        ...{ id: integer },
        numbers: { type: 'array', items: { ...integer, 'x-faker': 'number.int' } },
      },
    })

    expect(await openUnmade(await requestFor(words, { count: 3 }))).toBeUndefined()
    expect(await openUnmade(await requestFor(listed, { count: 3 }))).toBeUndefined()
  })
})

function idIn(row: StoredRecord | undefined): Id {
  const { id } = { ...row }
  return typeof id === 'number' ? id : String(id)
}

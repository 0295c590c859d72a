import { beforeAll, describe, expect, test } from 'vitest'
import { type OpenedApi, openApi } from '../../testing/documented-api.ts'
import { objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const NUMBER = { type: 'number' }
const MOMENT = { type: 'string', format: 'date-time' }

const PET = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: TEXT,
    status: { type: 'string', enum: ['available', 'sold'] },
    price: NUMBER,
    created_at: MOMENT,
    tags: { type: 'array', items: TEXT },
    owner: { type: 'object', properties: { id: { type: 'integer' }, name: TEXT } },
  },
}

const PETS = [
  {
    name: 'Rex',
    status: 'available',
    price: 10,
    created_at: '2026-01-01T00:00:00Z',
    tags: ['big'],
  },
  { name: 'Emma', status: 'sold', price: 20, created_at: '2026-02-01T00:00:00Z', tags: [] },
  { name: 'T-rex', status: 'sold', price: 30, created_at: '2026-03-01T00:00:00Z', tags: ['big'] },
]

interface PetList {
  readonly data: readonly { readonly name: string }[]
  readonly total: number
}

const SHOWN = {
  type: 'object',
  required: ['data', 'total'],
  properties: { data: { type: 'array', items: PET }, total: { type: 'integer' } },
}

let api: OpenedApi

beforeAll(async () => {
  api = await openApi(
    {
      'GET /pets': {
        shown: SHOWN,
        query: {
          status: { type: 'string', enum: ['available', 'sold', 'all'] },
          ids: TEXT,
          min_price: NUMBER,
          'price[lt]': NUMBER,
          created_after: TEXT,
          created_before: TEXT,
          q: TEXT,
          tag: TEXT,
          owner_id: { type: 'integer' },
          created_at: TEXT,
          has_tags: { type: 'boolean' },
          sort: { type: 'string', enum: ['newest', '-price', 'name:desc'] },
          filter: { type: 'object' },
          fields: TEXT,
          limit: { type: 'integer' },
          offset: { type: 'integer' },
        },
      },
      'POST /pets': { sent: PET, shown: PET, status: [201] },
      'GET /pets/{petId}': { shown: PET },
    },
    { records: 0 },
  )
  for (const [at, pet] of PETS.entries())
    await api.ask('POST /pets', { ...pet, owner: { id: at, name: `Owner ${at}` } })
})

async function namesOf(query: string): Promise<readonly string[]> {
  const { body } = await api.ask<PetList>(`GET /pets?${query}`)
  expect(body.total).toBe(body.data.length)
  return body.data.map(({ name }) => name)
}

describe('a list is filtered', () => {
  test.each([
    ['status=all', 'Rex Emma T-rex'],
    ['status=sold', 'Emma T-rex'],
    ['ids=1,3', 'Rex T-rex'],
    ['min_price=20', 'Emma T-rex'],
    ['price[lt]=20', 'Rex'],
    ['min_price=15&price[lt]=25', 'Emma'],
    ['created_after=2026-01-15', 'Emma T-rex'],
    ['created_after=2026-01-15&created_before=2026-02-15T00:00:00Z', 'Emma'],
    ['created_after=soon', 'Rex Emma T-rex'],
    ['q=REX', 'Rex T-rex'],
    ['q=rex&status=sold', 'T-rex'],
    [`q=${encodeURIComponent("name:'Emma'")}`, 'Emma'],
    [`q=${encodeURIComponent('name~"rex" AND status:"sold"')}`, 'T-rex'],
    [`q=${encodeURIComponent('rex is:sold')}`, 'T-rex'],
    [`q=${encodeURIComponent('rex in:name -tag:small price:>=20')}`, 'T-rex'],
    [`q=${encodeURIComponent('status:sold created:<2026-02-15 owner:"Owner 1"')}`, 'Emma'],
    [`q=${encodeURIComponent('created:2026-02-01 color:red')}`, 'Emma'],
    [`q=${encodeURIComponent('color:red')}`, 'Rex Emma T-rex'],
    ['tag=big', 'Rex T-rex'],
    ['owner_id=1', 'Emma'],
    ['created_at=2026-02-01', 'Emma'],
    ['has_tags=true', 'Rex T-rex'],
    ['has_tags=false', 'Emma'],
    ['q=rex&sort=newest', 'T-rex Rex'],
    ['filter[name][_eq]=Emma', 'Emma'],
    ['filter[price][$gte]=20&filter[status]=sold', 'Emma T-rex'],
    ['filter[name][_in][]=Rex&filter[name][_in][]=Emma', 'Rex Emma'],
    ['filter[_or][0][name][_eq]=Rex&filter[_or][1][price][_gt]=20', 'Rex T-rex'],
    ['filter[unknown][_eq]=1', 'Rex Emma T-rex'],
  ])('by ?%s, and has only the total of what remains', async (query, names) => {
    expect((await namesOf(query)).join(' ')).toBe(names)
  })
})

test('a search that a request needs and that compares properties may find nothing', async () => {
  const person = objectOf(['id', 'name', 'email'])
  const { ask } = await openApi({
    'GET /people': { shown: { type: 'array', items: person } },
    'GET /people/{id}': { shown: person },
    'GET /people/search': {
      ...{ shown: { type: 'array', items: person }, query: { query: TEXT }, needs: ['query'] },
    },
  })

  const query = encodeURIComponent("email:'nobody@example.com'")
  expect((await ask(`GET /people/search?query=${query}`)).body).toEqual([])
})

test('the total and the pages of a filtered list are those of what remains', async () => {
  const first = await api.ask<PetList>('GET /pets?q=rex&limit=1')
  const second = await api.ask<PetList>('GET /pets?q=rex&limit=1&offset=1')

  expect([first.body.total, second.body.total]).toEqual([2, 2])
  expect([first, second].flatMap(({ body }) => body.data).map(({ name }) => name)).toEqual([
    'Rex',
    'T-rex',
  ])
})

test('a list shows only the properties that the request names, and all when it names none', async () => {
  const named = await api.ask<PetList>('GET /pets?fields=name,price&limit=1')
  const unknown = await api.ask<PetList>('GET /pets?fields=unknown&limit=1')

  expect(named.body.data).toEqual([{ name: 'Rex', price: 10 }])
  expect(unknown.body.data[0]).toHaveProperty('created_at')
})

test.each([
  ['fields=name,owner.name', { name: 'Rex', owner: { name: 'Owner 0' } }],
  ['fields=name,owner(id,name)', { name: 'Rex', owner: { id: 0, name: 'Owner 0' } }],
  ['fields=name%20price', { name: 'Rex', price: 10 }],
])('?%s shows parts of objects', async (query, expected) => {
  const { body } = await api.ask<PetList>(`GET /pets?${query}&limit=1`)

  expect(body.data).toEqual([expected])
})

test('a search over all parents may name some of them', async () => {
  const issue = objectOf({ id: NUMBER, number: { type: 'integer' }, title: TEXT, state: TEXT })
  const { ask } = await openApi({
    'GET /repos/{owner}/{repo}/issues': { shown: { type: 'array', items: issue } },
    'POST /repos/{owner}/{repo}/issues': { sent: objectOf(['title']), shown: issue, status: [201] },
    'GET /repos/{owner}/{repo}/issues/{number}': { shown: issue, status: [200, 404] },
    'GET /search/issues': {
      shown: objectOf({ total_count: NUMBER, items: { type: 'array', items: issue } }),
      query: { q: TEXT },
    },
  })
  for (const repo of ['api', 'web'])
    await ask(`POST /repos/acme/${repo}/issues`, { title: 'A leak' })
  const totalOf = async (search: string) =>
    (await ask(`GET /search/issues?q=${encodeURIComponent(search)}`)).body.total_count

  expect(await totalOf('leak org:acme')).toBe(2)
  expect(await totalOf('leak repo:acme/web')).toBe(1)
  expect(await totalOf('leak repo:acme/none')).toBe(0)
})

describe('a required parameter', () => {
  const customer = {
    type: 'object',
    required: ['id', 'external_id'],
    properties: { id: TEXT, external_id: TEXT },
  }
  const wallet = {
    ...{ type: 'object', required: ['id', 'external_customer_id', 'currency'] },
    properties: { id: TEXT, external_customer_id: TEXT, currency: TEXT },
  }
  const open = () =>
    openApi({
      'GET /customers': { shown: { type: 'array', items: customer } },
      'POST /customers': { sent: objectOf(['external_id']), shown: customer, status: [201] },
      'GET /customers/{external_id}': { shown: customer, status: [200, 404] },
      'GET /wallets': {
        ...{ shown: { type: 'array', items: wallet }, needs: ['external_customer_id'] },
        query: { external_customer_id: TEXT },
      },
      'POST /wallets': {
        sent: objectOf(['external_customer_id', 'currency']),
        shown: wallet,
        status: [201],
      },
      'GET /wallets/{id}': { shown: wallet, status: [200, 404] },
    })
  const walletsOf = async ({ ask }: OpenedApi, customer: string) => {
    const { body } = await ask<readonly object[]>(`GET /wallets?external_customer_id=${customer}`)
    return body
  }

  test('selects the records with its value, and none for a record that has none', async () => {
    const opened = await open()
    await opened.ask('POST /customers', { external_id: 'ann' })
    await opened.ask('POST /customers', { external_id: 'bob' })
    const { body } = await opened.ask('POST /wallets', {
      external_customer_id: 'ann',
      currency: 'EUR',
    })

    expect(await walletsOf(opened, 'ann')).toEqual([body])
    expect(await walletsOf(opened, 'bob')).toEqual([])
  })

  test('selects all records for what nothing has', async () => {
    const opened = await open()

    expect((await walletsOf(opened, 'nobody')).length).toBeGreaterThan(1)
  })
})

test('a list leaves out archived records, unless its query includes or selects them', async () => {
  const flag = { type: 'boolean' }
  const task = objectOf({ id: { type: 'integer' }, archived: flag, done: flag })
  const { ask } = await openApi({
    'GET /tasks': {
      shown: { type: 'array', items: task },
      query: {
        include_archived: flag,
        show: { type: 'string', enum: ['archived', 'done', 'undone', 'all'] },
      },
    },
    'POST /tasks': { sent: objectOf({ archived: flag, done: flag }), shown: task, status: [201] },
    'GET /tasks/{id}': { shown: task, status: [200, 404] },
  })
  const { body: old } = await ask('POST /tasks', { archived: true, done: false })
  const { body: done } = await ask('POST /tasks', { archived: false, done: true })
  const shows = async (query: string): Promise<readonly boolean[]> => {
    const { body } = await ask<readonly { id: unknown }[]>(`GET /tasks?${query}`)
    return [old, done].map(({ id }) => body.some((one) => one.id === id))
  }

  expect(await shows('')).toEqual([false, true])
  expect(await shows('include_archived=false')).toEqual([false, true])
  expect(await shows('include_archived=true')).toEqual([true, true])
  expect(await shows('show=archived')).toEqual([true, false])
  expect(await shows('show=done')).toEqual([false, true])
  expect(await shows('show=undone&include_archived=true')).toEqual([true, false])
})

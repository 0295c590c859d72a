import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { loadContract } from '../../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'

const BASE = 'https://library.test/api'
const BOOK = { title: 'Dune', genre: 'novel', author: { name: 'Frank Herbert' } }

let library: Contract

beforeAll(async () => {
  library = await loadContract(
    fileURLToPath(new URL('../../testing/library.yaml', import.meta.url)),
  )
})

function openLibrary(records = 0): Sandbox {
  const sandbox = createSandbox({ contract: library, records, auth: false, quota: false })
  sandbox.clock.set('2027-03-01T12:00:00Z')
  return sandbox
}

function ask(sandbox: Sandbox, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
  return sandbox.fetch(new Request(BASE + path, { method, ...sent }))
}

/** A contract of one operation, which no behaviour can be inferred for. */
function contractOf(responses: Operation['responses']): Contract {
  const operation: Operation = {
    id: 'ping',
    method: 'GET',
    path: '/ping',
    secured: false,
    parameters: [],
    responses,
  }
  return { title: 'Ping', version: '1', basePath: '/api', operations: [operation] }
}

describe('a property that is called as one that every object inherits', () => {
  const open = async (): Promise<Sandbox> => {
    const contract = await loadContract('src/testing/accounts.yaml')
    return createSandbox({ contract, records: 3, auth: false })
  }
  const post = (sandbox: Sandbox, body: unknown): Promise<Response> =>
    sandbox.fetch(
      new Request('http://localhost/v1/users', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )

  it('may be left out', async () => {
    const created = await post(await open(), { name: 'Ada', password: 'lovelace' })

    expect(await created.json()).toEqual({ id: 4, name: 'Ada' })
    expect(created.status).toBe(201)
  })

  it('is checked where it is sent', async () => {
    const refused = await post(await open(), { name: 'Ada', password: 'lovelace', constructor: 1 })

    expect(await refused.json()).toMatchObject({ message: 'body.constructor must be string' })
  })

  it('filters only when the query has the parameter', async () => {
    const sandbox = await open()
    await post(sandbox, { name: 'Ada', password: 'lovelace', constructor: 'Babbage' })

    const all = await sandbox.fetch(new Request('http://localhost/v1/users'))
    const some = await sandbox.fetch(new Request('http://localhost/v1/users?constructor=Babbage'))

    expect(await all.json()).toHaveLength(4)
    expect(await some.json()).toEqual([{ id: 4, name: 'Ada', constructor: 'Babbage' }])
  })
})

describe('a contract that is not the shipped one', () => {
  it('is created, read, replaced, updated, listed and deleted in the same way', async () => {
    const sandbox = openLibrary()

    const created = await ask(sandbox, 'POST', '/books', BOOK)
    const path = (created.headers.get('Location') ?? '').slice(BASE.length)
    const book = await created.json()
    const read = await ask(sandbox, 'GET', path)
    const replaced = await ask(sandbox, 'PUT', path, { ...BOOK, title: 'Dune II' })
    const updated = await ask(sandbox, 'PATCH', path, { title: 'Dune III' })
    const listed = await ask(sandbox, 'GET', '/books')
    const deleted = await ask(sandbox, 'DELETE', path)
    const gone = await ask(sandbox, 'GET', path)

    expect(created.status).toBe(201)
    expect(path).toMatch(/^\/books\/[0-9a-f-]{36}$/)
    expect(await read.json()).toEqual(book)
    expect(await replaced.json()).toEqual({ ...book, title: 'Dune II' })
    expect(await updated.json()).toEqual({ ...book, title: 'Dune III' })
    expect(await listed.json()).toEqual([{ ...book, title: 'Dune III' }])
    expect([deleted.status, await deleted.text()]).toEqual([204, ''])
    expect(gone.status).toBe(404)
  })

  it.each(['PUT', 'PATCH', 'DELETE', 'GET'])(
    'answers %s on an unknown id with 404',
    async (method) => {
      const sandbox = openLibrary()
      const body = method === 'PUT' ? BOOK : { title: 'Dune' }

      const response = await ask(
        sandbox,
        method,
        '/books/0f8fad5b-d9cb-469f-a165-70867728950e',
        method === 'PUT' || method === 'PATCH' ? body : undefined,
      )

      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        code: 'not_found',
        message: 'No resource was found at /books/0f8fad5b-d9cb-469f-a165-70867728950e.',
      })
    },
  )

  it('links pages that have every record once, with the parameters of the request', async () => {
    const sandbox = openLibrary(23)
    const ids: unknown[] = []
    const targets: string[] = []

    for (let target: string | undefined = '/books?limit=5&color=red'; target !== undefined; ) {
      const response = await ask(sandbox, 'GET', target)
      for (const { id } of await response.json()) ids.push(id)
      const link = response.headers.get('Link') ?? ''
      const [, next] = /<https:\/\/library\.test\/api([^>]*)>; rel="next"/.exec(link) ?? []
      target = next
      if (next !== undefined) targets.push(next)
    }

    expect(new Set(ids).size).toBe(23)
    expect(ids).toEqual([...ids].sort())
    expect(targets).toHaveLength(4)
    for (const target of targets)
      expect(target).toMatch(/^\/books\?limit=5&color=red&cursor=[\w-]+$/)
  })

  it('refuses a cursor that it did not issue', async () => {
    const response = await ask(openLibrary(), 'GET', '/books?cursor=abc')

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      message: 'query.cursor must be taken from the Link header of the page before',
    })
  })

  it('generates the id of a created record, and ignores one that the client sends', async () => {
    const id = '0f8fad5b-d9cb-469f-a165-70867728950e'

    const response = await ask(openLibrary(), 'POST', '/books', { ...BOOK, id })

    expect(response.status).toBe(201)
    expect(await response.json()).not.toHaveProperty('id', id)
  })
})

describe('an operation that is not inferred', () => {
  const schema: Schema = { type: 'object', properties: { pong: { type: 'boolean' } } }
  const validate = (): boolean => true

  it('answers with the example of the document', async () => {
    const contract = contractOf([{ status: 200, schema, validate, example: { pong: true } }])

    const response = await ask(createSandbox({ contract }), 'GET', '/ping')

    expect([response.status, await response.json()]).toEqual([200, { pong: true }])
  })

  it('answers without a body where the document has none', async () => {
    const response = await ask(
      createSandbox({ contract: contractOf([{ status: 202 }]) }),
      'GET',
      '/ping',
    )

    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  it('answers with a generated value when the document has no example', async () => {
    const generated = contractOf([{ status: 200, schema, validate }])

    const response = await ask(createSandbox({ contract: generated }), 'GET', '/ping')

    expect([response.status, await response.json()]).toEqual([200, { pong: expect.any(Boolean) }])
  })
})

describe('ids', () => {
  const thing: Schema = { type: 'object', properties: { id: { type: 'integer' } } }
  const contract: Contract = {
    title: 'Things',
    version: '1',
    basePath: '/api',
    operations: [
      {
        id: 'readThing',
        method: 'GET',
        path: '/things/{id}',
        secured: false,
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'string' },
            validate: () => true,
          },
        ],
        responses: [{ status: 200, schema: thing, validate: () => true }, { status: 404 }],
        hints: { action: 'read', resource: 'things', record: '' },
      },
    ],
    resources: {
      things: {
        ...{ name: 'things', path: '/things', item: '/things/{id}', id: 'id' },
        ...{ idParameter: 'id', idSchema: { type: 'integer' }, schema: thing },
        ...{ filters: [], operations: ['readThing'], view: 'readThing' },
      },
    },
  }

  it.each([
    ['1', 200],
    ['2', 200],
    ['3', 404],
    ['01', 404],
    ['1.0', 404],
    ['banana', 404],
    ['NaN', 404],
  ])(
    'that are counted are found by the text %s, although the path parameter is no integer: %i',
    async (text, status) => {
      const sandbox = createSandbox({ contract, records: 2 })

      const response = await ask(sandbox, 'GET', `/things/${text}`)

      expect(response.status).toBe(status)
      if (status === 200) expect(await response.json()).toEqual({ id: Number(text) })
    },
  )
})

describe('a list that is asked for again', () => {
  it('depends on the present records and on the request', async () => {
    const sandbox = createSandbox({ records: 2 })
    const pets = sandbox.collection('pets')
    const list = async (query = '', origin = 'http://a.test'): Promise<unknown[]> => {
      const headers = { Authorization: 'Bearer sk_sandbox_pro' }
      const response = await sandbox.fetch(new Request(`${origin}/v1/pets${query}`, { headers }))
      const found: { id: number; name: string }[] = await response.json()
      const link = response.headers.get('link')
      return [link && new URL(link.slice(1, link.indexOf('>'))).host, ...found.map(({ id }) => id)]
    }

    expect(await list('?limit=2')).toEqual([null, 1, 2])
    await pets.create({ name: 'Third', categoryId: 1, status: 'sold' })
    expect(await list('?limit=2')).toEqual(['a.test', 1, 2])
    expect(await list('?limit=2', 'http://b.test')).toEqual(['b.test', 1, 2])
    expect(await list('?status=sold&limit=1')).toEqual(['a.test', 2])
    expect(await list()).toEqual([null, 1, 2, 3])
    await pets.remove(2)
    expect(await list()).toEqual([null, 1, 3])
    expect(await list('?limit=2')).toEqual([null, 1, 3])
  })

  it('has what was changed in between', async () => {
    const sandbox = createSandbox({ records: 2 })
    const headers = { Authorization: 'Bearer sk_sandbox_pro' }
    const list = async (): Promise<unknown> =>
      (await sandbox.fetch(new Request('http://a.test/v1/pets', { headers }))).json()
    await list()

    await sandbox.collection('pets').update(2, { name: 'Renamed' })

    expect(await list()).toMatchObject([{ id: 1 }, { id: 2, name: 'Renamed' }])
  })
})

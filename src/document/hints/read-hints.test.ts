import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Contract, Schema } from '../../contract/contract.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'
import type { Document } from '../document.ts'
import { loadContract } from '../load-contract.ts'
import { parseSource } from '../parse-text.ts'
import { type ReadGivenHints, readGivenHints, readServiceHints } from './read-hints.ts'

/** A document with these hints at the path of a list of books, and at its operation. */
function hintsOf(hints: { path?: unknown; operation?: unknown; root?: unknown }): ReadGivenHints {
  const source = parseSource(
    'books.json',
    pathToFileURL('/books.json'),
    JSON.stringify({
      openapi: '3.1.1',
      info: { title: 'Books', version: '1' },
      'x-sandbox': hints.root,
      paths: {
        '/books': {
          'x-sandbox': hints.path,
          get: {
            operationId: 'listBooks',
            parameters: [
              { name: 'page', in: 'query', schema: { type: 'integer' } },
              { name: 'filter[status]', in: 'query', schema: { type: 'object' } },
            ],
            'x-sandbox': hints.operation,
          },
        },
        '/books/{id}': {},
      },
    }),
  )
  const document: Document = { root: Object(source.value), sources: [source] }
  return readGivenHints(document)
}

describe('the hints of a document', () => {
  test('are read from its paths and operations', () => {
    const path = {
      resource: 'books',
      item: '/books/{id}',
      id: 'isbn',
      ids: 'client',
      single: false,
    }
    const operation = {
      action: 'list',
      record: '/data',
      paging: { style: 'page', parameter: 'page', first: 0 },
      envelope: { '/meta/total': 'total' },
      filters: {},
      sort: false,
    }

    expect(hintsOf({ path, operation })).toEqual({
      hints: {
        inference: true,
        paths: new Map([['/books', path]]),
        operations: new Map([['listBooks', operation]]),
      },
      mistakes: [],
    })
  })

  test('can switch inference off', () => {
    expect(hintsOf({ root: { inference: false } }).hints.inference).toBe(false)
  })

  test('are none without the extension', () => {
    expect(hintsOf({}).hints).toEqual({ inference: true, paths: new Map(), operations: new Map() })
  })

  test('are kept without the field that is wrong', () => {
    const { hints } = hintsOf({ operation: { action: 'lst', record: '/data' } })

    expect(hints.operations.get('listBooks')).toEqual({ record: '/data' })
  })

  test('are kept beside a wrong name of a field with any names', () => {
    const filters = { pge: 'pages', page: 'pages' }
    const { hints } = hintsOf({
      path: { aliases: { '/bokks': {}, '/books/{id}': { id: 'id' } } },
      operation: { filters, envelope: { '/total': 'totl' } },
    })

    expect(hints.paths.get('/books')).toEqual({ aliases: { '/books/{id}': { id: 'id' } } })
    expect(hints.operations.get('listBooks')).toEqual({ filters: { page: 'pages' } })
  })
})

describe('a mistake in a hint is reported with its place', () => {
  test.each<[fact: string, operation: unknown, path: readonly string[], suggestion?: string]>([
    ['an unknown field', { acton: 'list' }, ['acton'], 'action'],
    ['an unknown action', { action: 'lst' }, ['action'], 'list'],
    ['an unknown reason', { action: 'stateless', reason: 'bulky' }, ['reason'], 'bulk'],
    ['a resource that is no text', { resource: true }, ['resource']],
    ['a place that is no pointer', { record: 'data' }, ['record']],
    ['a body that is no pointer', { body: 'data' }, ['body']],
    ['an id that is no text', { id: 1 }, ['id']],
    ['a view that is no name', { views: { gid: 1 } }, ['views', 'gid']],
    ['paging without a style', { paging: { parameter: 'page' } }, ['paging', 'style']],
    [
      'paging by an unknown parameter',
      { paging: { style: 'page', parameter: 'pge' } },
      ['paging', 'parameter'],
      'page',
    ],
    ['an unknown figure', { envelope: { '/total': 'totl' } }, ['envelope', '/total'], 'total'],
    ['a filter by an unknown parameter', { filters: { pag: 'pages' } }, ['filters', 'pag'], 'page'],
    ['a sort without a parameter', { sort: {} }, ['sort', 'by']],
    ['values that are no object', { set: 'cancelled' }, ['set']],
    ['a start that is no object', { from: ['open'] }, ['from']],
    [
      'a change without its time',
      { after: [{ set: { status: 'done' } }] },
      ['after', '0', 'delay'],
    ],
    [
      'a time that is no duration',
      { after: [{ delay: 'soon', set: {} }] },
      ['after', '0', 'delay'],
    ],
    ['hints that are no object', 'list', []],
  ])('%s', (_fact, operation, path, suggestion) => {
    expect(hintsOf({ operation }).mistakes).toEqual([
      expect.objectContaining({
        pointer: ['paths', '/books', 'get', 'x-sandbox', ...path],
        assumed: 'it is ignored',
        ...(suggestion !== undefined && { suggestion }),
      }),
    ])
  })

  test.each<[fact: string, hints: unknown, field: string, suggestion?: string]>([
    ['a resource that is no text', { resource: 1 }, 'resource'],
    ['a collection that is no path', { collection: 'books' }, 'collection'],
    ['an item at an unknown path', { item: '/books/{ide}' }, 'item', '/books/{id}'],
    ['an id that is no text', { id: ['a', 'b'] }, 'id'],
    ['an unknown chooser of ids', { ids: 'clint' }, 'ids', 'client'],
    ['a flag that is a text', { single: 'yes' }, 'single'],
    ['hidden ids that are a text', { hiddenIds: 'yes' }, 'hiddenIds'],
    ['an unknown operation as view', { view: 'listBook' }, 'view', 'listBooks'],
    ['aliases that are a list', { aliases: ['/books'] }, 'aliases'],
  ])('%s', (_fact, path, field, suggestion) => {
    expect(hintsOf({ path }).mistakes).toEqual([
      expect.objectContaining({
        pointer: ['paths', '/books', 'x-sandbox', field],
        ...(suggestion !== undefined && { suggestion }),
      }),
    ])
  })
})

test.each<[fact: string, aliases: object, path: readonly string[], suggestion?: string]>([
  ['an unknown path', { '/bokks': {} }, ['/bokks'], '/books'],
  ['the path itself', { '/books': {} }, ['/books']],
  ['an unknown parameter', { '/books/{id}': { ide: 'id' } }, ['/books/{id}', 'ide'], 'id'],
  ['a value that is no property', { '/books/{id}': { id: false } }, ['/books/{id}', 'id']],
])('aliases with %s are reported, with the place', (_fact, aliases, path, suggestion) => {
  expect(hintsOf({ path: { aliases } }).mistakes).toEqual([
    expect.objectContaining({
      pointer: ['paths', '/books', 'x-sandbox', 'aliases', ...path],
      ...(suggestion !== undefined && { suggestion }),
    }),
  ])
})

const PLANS = { free: { minute: 60, day: 1000 } }

function serviceHintsOf(value: unknown): ReturnType<typeof readServiceHints> {
  return readServiceHints({ 'x-sandbox': value })
}

describe('the hints for the service', () => {
  test('are read from the root of the document', () => {
    const value = {
      auth: 'keys',
      plans: PLANS,
      keys: { sk_free: { plan: 'free' }, sk_spent: { plan: 'free', always: 'rate-limited' } },
      ban: { refusals: 3 },
      bodyLimit: 1024,
      unknownProperties: 'drop',
    }

    expect(serviceHintsOf(value)).toEqual({ hints: value, mistakes: [] })
  })

  test('are absent without the extension', () => {
    expect(readServiceHints({ info: {} })).toBeUndefined()
  })

  test.each([
    ['an unknown field', { athu: 'keys' }, ['athu'], 'auth'],
    ['an unknown mode', { auth: 'kyes' }, ['auth'], 'keys'],
    ['a plan without a window', { plans: { free: { minute: 1 } } }, ['plans', 'free', 'day']],
    [
      'a plan of no requests',
      { plans: { free: { minute: 0, day: 1 } } },
      ['plans', 'free', 'minute'],
    ],
    [
      'a key of an unknown plan',
      { plans: PLANS, keys: { k: { plan: 'fre' } } },
      ['keys', 'k', 'plan'],
      'free',
    ],
    ['a key with a space', { plans: PLANS, keys: { 'a b': { plan: 'free' } } }, ['keys', 'a b']],
    [
      'an unknown outcome',
      { plans: PLANS, keys: { k: { plan: 'free', always: 'band' } } },
      ['keys', 'k', 'always'],
      'banned',
    ],
    ['a ban that is a text', { ban: 'never' }, ['ban']],
    ['a body limit of 0', { bodyLimit: 0 }, ['bodyLimit']],
    ['an unknown treatment', { unknownProperties: 'dorp' }, ['unknownProperties'], 'drop'],
    ['a list', [], []],
  ])('report %s, with its place', (_, value, path, suggestion?: string) => {
    expect(serviceHintsOf(value)?.mistakes).toEqual([
      expect.objectContaining({
        pointer: ['x-sandbox', ...path],
        ...(suggestion && { suggestion }),
      }),
    ])
  })

  test('are used without those that are wrong', () => {
    const value = {
      auth: 'kyes',
      plans: { ...PLANS, gold: { minute: 'many' } },
      keys: { good: { plan: 'free' }, bad: { plan: 'silver' } },
      ban: false,
    }

    expect(serviceHintsOf(value)?.hints).toEqual({
      plans: PLANS,
      keys: { good: { plan: 'free' } },
      ban: false,
    })
  })

  test('may have names that objects inherit', () => {
    const value = JSON.parse('{ "plans": { "__proto__": { "minute": 1, "day": 2 } } }')

    expect(Object.entries(serviceHintsOf(value)?.hints.plans ?? {})).toEqual([
      ['__proto__', { minute: 1, day: 2 }],
    ])
  })
})

const TASKS = `openapi: 3.1.1
info: { title: Tasks, version: '1' }
paths:
  /tasks:
    get:
      parameters:
        - { name: limit, in: query, schema: { type: integer, x-sandbox: { default: 1 } } }
      responses:
        '200':
          description: Tasks.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Task' } } } }
    post:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }
      responses:
        '201':
          description: The task.
          content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } }
        '400': { description: Refused. }
        '503': { $ref: '#/components/responses/Down' }
  /tasks/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put:
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } } }
      responses:
        '200':
          description: The task.
          content: { application/json: { schema: { $ref: '#/components/schemas/Task' } } }
components:
  responses:
    Down: { description: Forced., x-sandbox: { forced: true } }
  schemas:
    State: { type: string, enum: [open, done], default: done }
    Task:
      type: object
      properties:
        id: { type: integer, readOnly: true }
        state: { $ref: '#/components/schemas/State', x-sandbox: { default: open } }
        owner: { type: object, properties: { name: { type: string, x-sandbox: { default: nobody } } } }
        note: { type: string, default: none }
`

let folder = ''
let contract: Contract

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  contract = await load(TASKS)
})

afterAll(() => rm(folder, { recursive: true }))

async function load(text: string): Promise<Contract> {
  const file = join(folder, 'tasks.yaml')
  await writeFile(file, text)
  return loadContract(file, { strict: true })
}

function send(method: string, path: string, body?: unknown): Promise<Response> {
  const sandbox = createSandbox({ contract, records: 3, auth: false })
  return sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'Content-Type': 'application/json' },
      }),
    }),
  )
}

describe('x-sandbox: { default } on a schema', () => {
  it('is the default in the contract and overrides "default"', () => {
    const task = contract.operations.find(({ method }) => method === 'POST')?.body?.schema

    expect(task?.properties?.state).toEqual({
      type: 'string',
      enum: ['open', 'done'],
      default: 'open',
    } satisfies Schema)
    expect(task?.properties?.note?.default).toBe('none')
  })

  it('is set when a record is created, at any depth', async () => {
    const response = await send('POST', '/tasks', { owner: {} })

    expect(await response.json()).toEqual({
      id: 4,
      owner: { name: 'nobody' },
      state: 'open',
      note: 'none',
    })
  })

  it('is set when a record is replaced', async () => {
    const response = await send('PUT', '/tasks/1', { note: 'new' })

    expect(await response.json()).toEqual({ id: 1, note: 'new', state: 'open' })
  })

  it('is the value of an omitted query parameter', async () => {
    const response = await send('GET', '/tasks')

    expect(await response.json()).toHaveLength(1)
  })

  it.each([
    [
      '{ defualt: open }',
      '"x-sandbox" of a schema has an unknown field "defualt"',
      'Did you mean "default"?',
    ],
    ['open', '"x-sandbox" must be an object', 'Write an object with "default".'],
  ])('written as %s is rejected, with its location', async (hint, why, advice) => {
    const wrong = TASKS.replace('{ default: open }', hint)

    await expect(load(wrong)).rejects.toThrow(
      new RegExp(`${why} \\(.*tasks\\.yaml:37:\\d+\\)\\. ${advice.replace('?', '\\?')}`),
    )
  })
})

describe('x-sandbox: { forced } on a response', () => {
  it('removes the response from the contract', () => {
    const create = contract.operations.find(({ method }) => method === 'POST')

    expect(create?.responses.map(({ status }) => status)).toEqual([201, 400])
  })

  it('that is misspelt is rejected, with its location', async () => {
    const wrong = TASKS.replace('{ forced: true }', '{ force: true }')

    await expect(load(wrong)).rejects.toThrow(
      /"x-sandbox" of a response has an unknown field "force" \(.*tasks\.yaml:30:\d+\)\. Did you mean "forced"\?/,
    )
  })
})

describe('a placeholder, a condition or a collection that names nothing is a mistake', () => {
  test.each<[hints: object, reason: string, suggestion: string | undefined]>([
    [{ set: { a: '{recrod.id}' } }, 'unknown name "recrod" in set.a', 'record'],
    [{ set: { a: ['x {query.pge}'] } }, 'unknown name "query.pge" in set.a[0]', 'query.page'],
    [{ set: { a: '{nwo}' } }, 'unknown value "{nwo}" in set.a', '{now}'],
    [{ set: { a: 'at {noww}' } }, 'unknown value "{noww}" in set.a', '{now}'],
    [{ set: { a: 'x {uid}' } }, 'unknown value "{uid}" in set.a', '{uuid}'],
    [
      { set: { a: 'x {absent}' } },
      '{absent} in set.a cannot be a part of a longer text',
      undefined,
    ],
    [{ where: { a: '{uuid}' } }, 'unknown value "{uuid}" in where.a', undefined],
    [
      { refers: { book: { in: '/boks', id: '{query.page}' } } },
      'unknown path "/boks" in refers.book.in',
      '/books',
    ],
    [
      { refers: { book: { in: '/books' } }, set: { a: '{bok.id}' } },
      'unknown name "bok" in set.a',
      'book',
    ],
    [
      { refuse: [{ unless: { 'recrod.a': 1 } }] },
      'unknown name "recrod" in refuse[0].unless.recrod.a',
      'record',
    ],
    [{ also: [{ in: '/book', remove: true }] }, 'unknown path "/book" in also[0].in', '/books'],
    [
      { also: [{ in: '/books/{shelf}', remove: true }] },
      'unknown name "path.shelf" in also[0].in',
      undefined,
    ],
    [{ also: [{ in: '/books', id: '{uuid}', sets: 1 }] }, 'unknown field "also[0].sets"', 'set'],
  ])('%j', (operation, reason, suggestion) => {
    const { mistakes } = hintsOf({ operation })

    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]).toMatchObject({
      reason: `x-sandbox: ${reason}`,
      ...(suggestion !== undefined && { suggestion }),
    })
  })

  test('and those that name something are none', () => {
    const operation = {
      refers: { book: { in: '/books', id: '{query.page}' } },
      refuse: [{ unless: { 'book.title': 'x', record: '{absent}' }, message: '{book.title}' }],
      set: {
        ...{ a: '{uuid}', b: '{now}', c: '{parent.x} of {record.y}', d: '{ "json": 1 }' },
        ...{ e: 'order-{uuid}', f: 'at {now}', g: '{revision}', h: 'Dear {customer}' },
      },
    }

    expect(hintsOf({ operation }).mistakes).toEqual([])
  })

  it('has filters by what is in a parameter that is an object', () => {
    const filters = { 'filter[status][value]': 'status' }

    expect(hintsOf({ operation: { filters } }).mistakes).toEqual([])
  })

  test.each([
    '{size members}',
    '{referring depot_id in vehicles}',
    '{referring /milestone/number in repos/{repo}/issues with state=open}',
  ])('may be %s in the values of new records', (value) => {
    expect(hintsOf({ path: { values: { a: value } } }).mistakes).toEqual([])
  })

  test.each([
    ['{nwo}', 'unknown value "{nwo}" in values.a'],
    ['at {now}', '{now} is not for values.a: an operation can set it, by "set"'],
    ['{body.b}', '{body.b} is not for values.a: an operation can set it, by "set"'],
  ])('as %s in the values of new records', (value, reason) => {
    const { mistakes } = hintsOf({ path: { values: { a: value, b: '{now while state=closed}' } } })

    expect(mistakes).toEqual([expect.objectContaining({ reason: `x-sandbox: ${reason}` })])
  })
})

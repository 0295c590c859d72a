import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { verify } from './verify.ts'

const text = { type: 'string' }
const integer = { type: 'integer' }
const order = {
  type: 'object',
  required: ['code', 'status', 'price'],
  properties: {
    code: text,
    status: { type: 'string', enum: ['open', 'paid', 'sent'] },
    price: { type: 'integer', minimum: 1, maximum: 100 },
    note: text,
  },
}
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answer = (status: number, schema: object = {}): object => ({
  [status]: { description: 'An answer.', ...json(schema) },
})
const page = {
  type: 'object',
  required: ['data', 'total', 'has_more'],
  properties: {
    data: { type: 'array', items: order },
    total: integer,
    has_more: { type: 'boolean' },
  },
}
const inQuery = (name: string, schema: object): object => ({ name, in: 'query', schema })
const inPath = (name: string): object => ({ name, in: 'path', required: true, schema: text })
const body = { required: true, ...json(order) }
const error = { type: 'object', properties: { message: text } }

let contract: Contract

beforeAll(async () => {
  contract = await loadDocumentOf({
    '/shops/{shop}/orders': {
      parameters: [inPath('shop')],
      get: {
        parameters: [
          inQuery('limit', { ...integer, minimum: 1, maximum: 50, default: 10 }),
          inQuery('offset', { ...integer, minimum: 0 }),
          inQuery('status', order.properties.status),
          inQuery('sort', { type: 'string', enum: ['price', '-price'] }),
        ],
        responses: answer(200, page),
      },
      post: { requestBody: body, responses: { ...answer(201, order), ...answer(409, error) } },
    },
    '/shops/{shop}/orders/{code}': {
      parameters: [inPath('shop'), inPath('code')],
      get: { responses: { ...answer(200, order), ...answer(404, error) } },
      patch: {
        requestBody: {
          required: true,
          ...json({ type: 'object', properties: { note: text, price: order.properties.price } }),
        },
        responses: { ...answer(200, order), ...answer(404, error) },
      },
      delete: { responses: { 204: { description: 'Removed.' }, ...answer(404, error) } },
    },
  })
})

type Send = (request: Request) => Promise<Response>
type Between = (request: Request, send: Send) => Promise<Response>

/** The ids of the checks that failed, with something between verify and the sandbox. */
async function failed(between: Between, check = ''): Promise<readonly string[]> {
  const sandbox = createSandbox({ contract })
  const { checks } = await verify('http://target.test', contract, {
    writes: true,
    check,
    data: { shops: ['main'] },
    fetch: (request) => between(request, (one) => sandbox.fetch(one)),
  })
  return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
}

/** A service that reads the query of lists in another way. */
function withQuery(change: (query: URLSearchParams) => void): Between {
  return (request, send) => {
    const url = new URL(request.url)
    if (request.method !== 'GET' || !url.pathname.endsWith('/orders')) return send(request)
    change(url.searchParams)
    return send(new Request(url, request))
  }
}

interface Page {
  readonly data: readonly unknown[]
  readonly total: number
  readonly has_more: boolean
}

/** A service that answers with another page. */
function withPage(change: (page: Page, query: URLSearchParams) => Page): Between {
  return async (request, send) => {
    const response = await send(request)
    const { pathname, searchParams } = new URL(request.url)
    const isPage = request.method === 'GET' && pathname.endsWith('/orders') && response.ok
    return isPage ? Response.json(change(await response.json(), searchParams)) : response
  }
}

/** A service that does the same to all other records that were created. */
function alsoToOther(method: string): Between {
  const created: string[] = []
  return async (request, send) => {
    const copy = request.clone()
    const response = await send(request)
    if (request.method === 'POST' && response.ok) {
      const { code } = await response.clone().json()
      created.push(code)
    }
    if (request.method !== method || !response.ok) return response
    const url = new URL(request.url)
    const named = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
    for (const other of created.filter((code) => code !== named)) {
      url.pathname = url.pathname.replace(/[^/]*$/, encodeURIComponent(other))
      await send(new Request(url, copy.clone()))
    }
    return response
  }
}

const LIST = 'GET /shops/{shop}/orders'
const ITEM = '/shops/{shop}/orders/{code}'

describe('lists in envelopes below a parent', () => {
  test('of the sandbox keep all promises', async () => {
    expect(await failed((request, send) => send(request))).toEqual([])
  })

  test.each<[what: string, check: string, between: Between]>([
    ['ignores the size of pages', `${LIST}/walk/size`, withQuery((query) => query.delete('limit'))],
    [
      'repeats the first page',
      `${LIST}/walk/disjoint`,
      withQuery((query) => query.delete('offset')),
    ],
    [
      'skips a record between two pages',
      `${LIST}/walk/complete`,
      withQuery((query) => {
        const offset = Number(query.get('offset') ?? 0)
        if (offset > 0) query.set('offset', String(offset + 1))
      }),
    ],
    [
      'repeats a record on the next page',
      `${LIST}/walk/disjoint`,
      withQuery((query) => {
        const offset = Number(query.get('offset') ?? 0)
        if (offset > 0) query.set('offset', String(offset - 1))
      }),
    ],
    [
      'counts the records of the page as the total',
      `${LIST}/walk/total`,
      withPage((one) => ({ ...one, total: one.data.length })),
    ],
    [
      'counts less from page to page',
      `${LIST}/walk/total`,
      withPage((one, query) => ({ ...one, total: one.total - Number(query.get('offset') ?? 0) })),
    ],
    [
      'says that no more pages follow',
      `${LIST}/walk/more`,
      withPage((one) => ({ ...one, has_more: false })),
    ],
    ['ignores a filter', `${LIST}/status=open/fits`, withQuery((query) => query.delete('status'))],
    [
      'finds nothing by a filter',
      `${LIST}/status=open/all`,
      withPage((one, query) => (query.has('status') ? { ...one, data: [] } : one)),
    ],
    ['ignores the order', `${LIST}/sort=price/order`, withQuery((query) => query.delete('sort'))],
    [
      'sorts in the other direction',
      `${LIST}/sort=-price/order`,
      withQuery((query) => {
        if (query.get('sort') === '-price') query.set('sort', 'price')
      }),
    ],
  ])('are found to be wrong by a check when a service %s', async (_what, check, between) => {
    expect(await failed(between, check)).toContain(check)
  })
})

describe('a record that nobody names', () => {
  test.each([
    ['PATCH', `PATCH ${ITEM}/others`],
    ['DELETE', `DELETE ${ITEM}/others`],
  ])('is found to be touched by %s', async (method, check) => {
    expect(await failed(alsoToOther(method), check)).toContain(check)
  })
})

test('a removed record that is still listed is found', async () => {
  const removed: unknown[] = []
  const found = await failed(async (request, send) => {
    const code = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '')
    const record =
      request.method === 'DELETE' ? await (await send(new Request(request.url))).json() : undefined
    const response = await withPage((one) => ({ ...one, data: [...one.data, ...removed] }))(
      request,
      send,
    )
    if (record && response.ok && code !== '') removed.push(record)
    return response
  })

  expect(found).toContain(`${LIST}/after/DELETE ${ITEM}`)
})

test('an id that is taken twice is found where the document has a 409', async () => {
  const found = await failed(async (request, send) => {
    const copy = request.clone()
    const response = await send(request)
    return response.status === 409 ? Response.json(await copy.json(), { status: 201 }) : response
  })

  expect(found).toContain('POST /shops/{shop}/orders/conflict')
})

describe('lists by cursors that are longer than a page can be', () => {
  const note = {
    type: 'object',
    required: ['id', 'title', 'kind'],
    properties: {
      id: { ...text, readOnly: true },
      title: text,
      kind: { type: 'string', enum: ['memo', 'letter', 'list'] },
    },
  }
  const notes = {
    type: 'object',
    required: ['data', 'total', 'has_more', 'next_cursor'],
    properties: {
      data: { type: 'array', items: note },
      total: integer,
      has_more: { type: 'boolean' },
      next_cursor: { type: ['string', 'null'] },
    },
  }
  let document: Contract

  beforeAll(async () => {
    document = await loadDocumentOf({
      '/notes': {
        get: {
          parameters: [
            inQuery('limit', { ...integer, minimum: 1, maximum: 4, default: 3 }),
            inQuery('cursor', text),
            inQuery('kind', note.properties.kind),
          ],
          responses: answer(200, notes),
        },
        post: { requestBody: { required: true, ...json(note) }, responses: answer(201, note) },
      },
      '/notes/{id}': {
        parameters: [inPath('id')],
        get: { responses: { ...answer(200, note), ...answer(404, error) } },
      },
    })
  })

  async function failing(change: (page: Page, query: URLSearchParams) => Page): Promise<unknown> {
    const sandbox = createSandbox({ contract: document, records: { notes: 9 } })
    const { checks } = await verify('http://target.test', document, {
      check: 'walk',
      fetch: async (request) => {
        const response = await sandbox.fetch(request)
        const { searchParams } = new URL(request.url)
        return response.ok ? Response.json(change(await response.json(), searchParams)) : response
      },
    })
    return checks.filter(({ status }) => status === 'failed').map(({ id }) => id)
  }

  test('of the sandbox keep all promises', async () => {
    expect(await failing((page) => page)).toEqual([])
  })

  test.each<[what: string, check: string, change: (page: Page, query: URLSearchParams) => Page]>([
    [
      'lacks the first record of later pages',
      'GET /notes/walk/complete',
      (page, query) => (query.has('cursor') ? { ...page, data: page.data.slice(1) } : page),
    ],
    [
      'has more after a full page that is the last one',
      'GET /notes/walk/full',
      (page, query) => ({
        ...page,
        has_more: page.data.length === Number(query.get('limit') ?? 3),
      }),
    ],
  ])('are seen when a service %s', async (_, check, change) => {
    expect(await failing(change)).toContain(check)
  })
})

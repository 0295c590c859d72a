import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

const text = { type: 'string' }
const number = { type: 'integer' }
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answer = (status: number, schema: object): object => ({
  [status]: { description: 'An answer.', ...json(schema) },
})
const refused = answer(400, { type: 'object' })
const absent = answer(404, { type: 'object' })
const removed = { 204: { description: 'Removed.' } }
const record = (properties: object, required = Object.keys(properties)): object => ({
  type: 'object',
  required,
  properties,
})
const bodyOf = (properties: object): object => ({
  requestBody: { required: true, ...json(record(properties)) },
})
const parameter = (name: string, schema: object = text): { readonly parameters: object[] } => ({
  parameters: [{ name, in: 'path', required: true, schema }],
})

/** Books with loans that name them, shelves with codes that clients choose, and labels that PUT creates. */
const CODE = { type: 'string', pattern: '^[A-Z]{2,8}$' }
const BOOK = { id: number, title: text, postCode: { type: 'string', pattern: '^[0-9]{5}$' } }
const LOAN = { id: number, bookId: number, note: text }
const SHELF = { code: CODE, name: text }
const LABEL = { name: text, color: text }
const DOCUMENT = {
  '/books': {
    get: { responses: answer(200, { type: 'array', items: record(BOOK) }) },
    post: {
      ...bodyOf({ title: text, postCode: BOOK.postCode }),
      responses: { ...answer(201, record(BOOK)), ...refused },
    },
  },
  '/books/{id}': {
    ...parameter('id', number),
    get: { responses: { ...answer(200, record(BOOK)), ...absent } },
    delete: { responses: { ...removed, ...absent } },
  },
  '/loans': {
    get: { responses: answer(200, { type: 'array', items: record(LOAN) }) },
    post: {
      ...bodyOf({ bookId: number, note: text }),
      responses: { ...answer(201, record(LOAN)), ...answer(422, { type: 'object' }) },
    },
  },
  '/loans/{id}': {
    ...parameter('id', number),
    get: { responses: { ...answer(200, record(LOAN)), ...absent } },
    put: {
      ...bodyOf({ bookId: number, note: text }),
      responses: { ...answer(200, record(LOAN)), ...absent, ...answer(422, { type: 'object' }) },
    },
    delete: { responses: { ...removed, ...absent } },
  },
  '/shelves': {
    get: { responses: answer(200, { type: 'array', items: record(SHELF) }) },
    post: {
      ...bodyOf(SHELF),
      responses: {
        ...answer(201, record(SHELF)),
        ...refused,
        ...answer(409, { type: 'object' }),
      },
    },
  },
  '/shelves/{code}': {
    ...parameter('code', CODE),
    get: { responses: { ...answer(200, record(SHELF)), ...absent } },
    delete: { responses: { ...removed, ...absent } },
  },
  '/labels': { get: { responses: answer(200, { type: 'array', items: record(LABEL) }) } },
  '/labels/{name}': {
    ...parameter('name'),
    get: { responses: { ...answer(200, record(LABEL)), ...absent } },
    put: {
      ...bodyOf({ color: text }),
      responses: { ...answer(200, record(LABEL)), ...answer(201, record(LABEL)), ...refused },
    },
    delete: { responses: { ...removed, ...absent } },
  },
}

let contract: Contract
/** The whole run against the sandbox itself. */
let whole: Outcome

beforeAll(async () => {
  contract = await loadDocumentOf(DOCUMENT)
  whole = await run()
})

type Send = (request: Request) => Promise<Response>
type Between = (request: Request, send: Send) => Promise<Response>

interface Outcome extends Verification {
  readonly failed: readonly string[]
  /** The requests that were sent, such as `POST /books`. */
  readonly sent: readonly string[]
}

async function run(
  between: Between = (request, send) => send(request),
  options: VerifyOptions = {},
): Promise<Outcome> {
  const sandbox = createSandbox({ contract })
  const sent: string[] = []
  const verification = await verify('http://target.test', contract, {
    writes: true,
    fetch: (request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname}`)
      return between(request, (one) => sandbox.fetch(one))
    },
    ...options,
  })
  const failed = verification.checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
  return { ...verification, failed, sent }
}

function isAt(request: Request, method: string, path: RegExp): boolean {
  return request.method === method && path.test(new URL(request.url).pathname)
}

test('records with chosen ids, references and PUT are all exercised, and removed at the end', () => {
  const { failed, operations, left } = whole

  expect(failed).toEqual([])
  expect(operations.others).toEqual([])
  expect(left).toEqual([])
})

test('bodies refer to records of the run, which is so exercised where a service refuses all others', async () => {
  const own = new Set<number>()
  const refusals: unknown[] = []
  const { failed, operations } = await run(async (request, send) => {
    if (isAt(request, 'POST', /^\/loans$/)) {
      const body = await request
        .clone()
        .json()
        .catch(() => undefined)
      const isValid = typeof body?.note === 'string' && Number.isInteger(body.bookId)
      if (isValid && !own.has(body.bookId)) {
        refusals.push(body)
        return Response.json({}, { status: 422 })
      }
    }
    const response = await send(request)
    if (isAt(request, 'POST', /^\/books$/) && response.status === 201)
      own.add((await response.clone().json()).id)
    return response
  })

  expect(failed).toEqual([])
  expect(refusals).toEqual([])
  expect(operations.others).toEqual([])
})

test('something is moved to another record than the one in which it is', async () => {
  const listOf = (schema: object): object => ({
    responses: answer(200, { type: 'array', items: schema }),
  })
  const created = (shown: object): object => ({ ...answer(201, shown), ...answer(409, {}) })
  const STAY = { id: number, bedId: number, name: text }
  const MOVE = { id: number, stayId: number, toBedId: number }
  const BED = { id: number, label: text }
  const beds = await loadDocumentOf({
    '/beds': {
      get: listOf(record(BED)),
      post: { ...bodyOf({ label: text }), responses: created(record(BED)) },
    },
    '/beds/{bedId}': {
      ...parameter('bedId', number),
      get: { responses: { ...answer(200, record(BED)), ...absent } },
    },
    '/beds/{bedId}/stays': {
      ...parameter('bedId', number),
      get: listOf(record(STAY)),
      post: { ...bodyOf({ name: text }), responses: { ...created(record(STAY)), ...absent } },
    },
    '/beds/{bedId}/stays/{id}': {
      parameters: ['bedId', 'id'].flatMap((name) => parameter(name, number).parameters),
      get: { responses: { ...answer(200, record(STAY)), ...absent } },
    },
    '/moves': {
      get: listOf(record(MOVE)),
      post: {
        ...bodyOf({ stayId: number, toBedId: number }),
        responses: created(record(MOVE)),
      },
    },
  })
  const sandbox = createSandbox({ contract: beds })
  const bedOf = new Map<number, number>()
  let moves = 0

  const { operations } = await verify('http://target.test', beds, {
    writes: true,
    fetch: async (request) => {
      const isMove = isAt(request, 'POST', /^\/moves$/)
      const { stayId, toBedId } = isMove
        ? await request
            .clone()
            .json()
            .catch(() => ({}))
        : {}
      if (isMove && bedOf.get(stayId) === toBedId) return Response.json({}, { status: 409 })
      const response = await sandbox.fetch(request)
      const [, bedId] = /^\/beds\/(\d+)\/stays$/.exec(new URL(request.url).pathname) ?? []
      if (request.method === 'POST' && bedId !== undefined && response.status === 201)
        bedOf.set((await response.clone().json()).id, Number(bedId))
      if (isMove && response.status === 201) moves += 1
      return response
    },
  })

  expect(operations.others).toEqual([])
  expect(moves).toBeGreaterThan(1)
})

test('a PUT that creates is sent only after a GET has found nothing at its path', () => {
  const { sent } = whole

  const puts = sent.filter((one) => one.startsWith('PUT /labels/'))
  expect(puts.length).toBeGreaterThan(0)
  for (const put of new Set(puts))
    expect(sent.indexOf(put.replace('PUT', 'GET'))).toBeLessThan(sent.indexOf(put))
})

test('what a run may create is told with the collection of records that PUT creates', () => {
  const { changes } = whole

  expect(changes.creations.map(({ path }) => path)).toContain('/labels')
})

describe('verify finds that a service', () => {
  const changed = async (
    response: Response,
    change: (json: Record<string, unknown>) => void,
  ): Promise<Response> => {
    const json = await response.clone().json()
    change(json)
    return Response.json(json, { status: response.status })
  }
  const CASES: readonly (readonly [what: string, check: string, between: Between])[] = [
    [
      'takes an id in another case',
      'POST /shelves/code-in-the-other-case',
      async (request, send) =>
        isAt(request, 'POST', /^\/shelves$/) && /"code":"[a-z]+"/.test(await request.clone().text())
          ? Response.json({ code: 'ABCDEFGH', name: 'x' }, { status: 201 })
          : send(request),
    ],
    [
      'drops the zero at the start of a text of digits',
      'POST /books/values/digits/shown',
      async (request, send) => {
        const response = await send(request)
        return response.status === 201 && isAt(request, 'POST', /^\/books$/)
          ? changed(response, (json) => {
              json.postCode = String(json.postCode).replace(/^0+/, '').padEnd(5, '0')
            })
          : response
      },
    ],
    [
      'answers a second removal as the first, although the document has a 404',
      'DELETE /books/{id}/twice',
      async (request, send) => {
        const response = await send(request)
        const isGone = isAt(request, 'DELETE', /^\/books\//) && response.status === 404
        return isGone ? new Response(null, { status: 204 }) : response
      },
    ],
    [
      'lists a record twice that PUT has changed',
      'GET /labels/after/PUT /labels/{name}',
      async (request, send) => {
        const response = await send(request)
        if (!isAt(request, 'GET', /^\/labels$/)) return response
        const list = await response.json()
        return Response.json([...list, ...list])
      },
    ],
  ]
  test.each(CASES)('%s', async (_what, check, between) => {
    const { failed } = await run(between, { check })

    expect(failed).toContain(check)
  })
})

describe('records of collections that are only read', () => {
  const listed = (properties: object): object => ({
    get: { responses: answer(200, { type: 'array', items: record(properties) }) },
  })
  const uuid = { type: 'string', format: 'uuid' }
  const FILM = { id: number, title: text, genreId: number, userId: uuid }
  const FILMS = {
    '/genres': listed({ id: number, name: text }),
    '/users': listed({ id: uuid, name: text }),
    '/films': {
      get: { responses: answer(200, { type: 'array', items: record(FILM) }) },
      post: {
        ...bodyOf({ title: text, genreId: number, userId: uuid }),
        responses: { ...answer(201, record(FILM)), ...refused },
      },
    },
    '/films/{id}': {
      ...parameter('id', number),
      get: { responses: { ...answer(200, record(FILM)), ...absent } },
      delete: { responses: { ...removed, ...absent } },
    },
  }

  test('are named in new records, but nobody is', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(FILMS) })
    const idsAt = async (path: string): Promise<readonly unknown[]> => {
      const response = await sandbox.fetch(new Request(`http://target.test${path}`))
      return (await response.json()).map((one: { readonly id: unknown }) => one.id)
    }
    const [genres, users] = [await idsAt('/genres'), await idsAt('/users')]
    const films: (typeof FILM)[] = []

    await verify('http://target.test', sandbox.contract, {
      writes: true,
      fetch: async (request) => {
        const response = await sandbox.fetch(request)
        if (request.method === 'POST' && response.status === 201)
          films.push(await response.clone().json())
        return response
      },
    })

    const [named, people] = [films.map(({ genreId }) => genreId), films.map(({ userId }) => userId)]
    expect(named.length).toBeGreaterThan(2)
    expect(genres).toEqual(expect.arrayContaining(named))
    expect(people.filter((one) => users.includes(one))).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { createTexts } from '../document/document-texts.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import type { VerifyOptions } from './session/options.ts'
import type { CheckResult } from './verification.ts'
import { verify } from './verify.ts'

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const ok = (schema: object): object => ({ 200: { description: 'OK', ...json(schema) } })
const integer = { type: 'integer' }
const text = { type: 'string' }
const record = { type: 'object', properties: { id: integer, name: text } }
const path = (name: string, schema: object, more: object = {}): object => ({
  name,
  in: 'path',
  required: true,
  schema,
  ...more,
})

interface Ran {
  readonly failed: readonly string[]
  readonly checks: readonly CheckResult[]
  readonly sent: readonly string[]
}

/** Verifies what a function answers. */
async function run(
  paths: Readonly<Record<string, object>>,
  answer: (request: Request) => Response | Promise<Response>,
  options: VerifyOptions = {},
  document: object = {},
): Promise<Ran> {
  const contract = await loadDocumentOf(paths, document)
  const sent: string[] = []
  const { checks } = await verify('http://api.test', contract, {
    ...options,
    fetch: async (request) => {
      sent.push(`${request.method} ${request.url.slice('http://api.test'.length)}`)
      return await answer(request)
    },
  })
  const failed = checks.filter(({ status }) => status === 'failed')

  return { failed: failed.map(({ id }) => id), checks, sent }
}

const none = (): Response => Response.json({ message: 'none' }, { status: 404 })

describe('no failure is', () => {
  test('an undocumented 404 for an id that nobody knows', async () => {
    const paths = {
      '/status/{code}': { parameters: [path('code', text)], get: { responses: ok(record) } },
    }

    const { failed, checks } = await run(
      { ...paths, '/health': { get: { responses: ok(record) } } },
      ({ url }) => (url.endsWith('/health') ? Response.json({ id: 1 }) : none()),
    )

    expect(failed).toEqual([])
    expect(checks).toContainEqual(
      expect.objectContaining({
        id: 'GET /status/{code}/valid',
        status: 'left-out',
        reason: 'no record of the server is known, and the id in the path got a 404',
      }),
    )
  })

  test('a documented 403 for what is of a record that another key may own', async () => {
    const unowned = { 403: { description: 'The station is of somebody else.' } }
    const { failed, checks } = await run(
      {
        '/stations': { get: { responses: ok({ type: 'array', items: record }) } },
        '/stations/{station}/crew': {
          parameters: [path('station', integer)],
          get: { operationId: 'readCrew', responses: { ...ok(text), ...unowned } },
        },
      },
      ({ url }) =>
        url.endsWith('/stations')
          ? Response.json([{ id: 7, name: 'North' }])
          : Response.json({}, { status: 403 }),
    )

    expect(failed).toEqual([])
    expect(checks).toContainEqual(
      expect.objectContaining({
        id: 'readCrew/served',
        status: 'left-out',
        reason: 'the record may be of somebody else, for which the document has the status',
      }),
    )
  })

  test('a 404 instead of a 401 for an id that nobody knows', async () => {
    const unauthorized = { 401: { description: 'No key.' } }
    const { failed } = await run(
      {
        '/health': { get: { responses: { ...ok(record), ...unauthorized } } },
        '/status/{code}': {
          parameters: [path('code', text)],
          get: { responses: { ...ok(record), ...unauthorized } },
        },
      },
      ({ url, headers }) => {
        if (!url.endsWith('/health')) return none()
        const isKnown = headers.get('Authorization') === 'Bearer sk_of_the_service'
        return isKnown ? Response.json({ id: 1 }) : new Response(null, { status: 401 })
      },
      { key: 'sk_of_the_service' },
      {
        components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
        security: [{ key: [] }],
      },
    )

    expect(failed).toEqual([])
  })

  test('2^63 for an integer without a limit, which is not sent', async () => {
    const limit = (schema: object): object => ({ name: 'from', in: 'query', schema })
    const sentFor = async (schema: object): Promise<readonly string[]> => {
      const responses = { ...ok(record), 400: { description: 'Invalid.' } }
      const paths = { '/logs': { get: { parameters: [limit(schema)], responses } } }
      return (await run(paths, () => Response.json({ id: 1 }))).sent
    }

    expect((await sentFor(integer)).join()).not.toContain('9223372036854775808')
    expect((await sentFor({ ...integer, format: 'int64' })).join()).toContain('9223372036854775808')
  })

  test('an empty list for 2^63, which only a format forbids', async () => {
    const parameters = [{ name: 'owner', in: 'query', schema: { ...integer, format: 'int64' } }]
    const responses = { ...ok({ type: 'array', items: record }), 400: { description: 'Invalid.' } }

    const { failed } = await run({ '/logs': { get: { parameters, responses } } }, ({ url }) => {
      const owner = new URL(url).searchParams.get('owner') ?? '1'
      return Number.isInteger(Number(owner))
        ? Response.json(owner === '1' ? [{ id: 1 }] : [])
        : Response.json({ message: 'no integer' }, { status: 400 })
    })

    expect(failed).toEqual([])
  })

  test('a date that is not in the future where its name means one', async () => {
    const date = {
      type: 'string',
      format: 'date-time',
      example: '2020-01-01T00:00:00Z',
    }
    const silence = {
      type: 'object',
      required: ['startsAt', 'endsAt'],
      properties: {
        startsAt: date,
        endsAt: date,
      },
    }
    interface Silence {
      readonly startsAt: string
      readonly endsAt: string
    }
    const isDate = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-/.test(value)
    const isSilence = (body: unknown): body is Silence =>
      isObject(body) && isDate(body.startsAt) && isDate(body.endsAt)
    const bodies: Silence[] = []

    await run(
      {
        '/silences/{id}': { parameters: [path('id', integer)], get: { responses: ok(silence) } },
        '/silences': {
          get: { responses: ok({ type: 'array', items: silence }) },
          post: {
            requestBody: { required: true, ...json(silence) },
            responses: { 201: { description: 'Created.', ...json(record) } },
          },
        },
      },
      async (request) => {
        const headers = { Date: 'Tue, 01 Jan 2030 00:00:00 GMT' }
        if (request.method !== 'POST') return Response.json([], { headers })
        const body = await request.json().catch(() => undefined)
        if (isSilence(body)) bodies.push(body)
        return Response.json({ id: 7 }, { status: 201, headers })
      },
      { writes: true },
    )

    expect(bodies.length).toBeGreaterThan(0)
    for (const { startsAt, endsAt } of bodies) {
      expect(startsAt < endsAt).toBe(true)
      expect(endsAt > '2030').toBe(true)
    }
  })

  test('a parent that does not exist, when the user named one that does', async () => {
    const list = { get: { responses: ok({ type: 'array', items: record }) } }
    const org = path('org', text, { example: 'octocat' })

    const { failed, sent } = await run(
      { '/orgs/{org}/repos': { parameters: [org], ...list } },
      ({ url }) => (url.includes('/orgs/acme/') ? Response.json([]) : none()),
      { data: { orgs: ['acme'] } },
    )

    expect(failed).toEqual([])
    expect(sent).toContain('GET /orgs/acme/repos')
  })

  test('a 429 of one route, which says nothing about the others', async () => {
    const get = { get: { responses: ok(record) } }
    const { failed, sent, checks } = await run(
      { '/a': get, '/slow': get, '/b': get, '/c': get },
      ({ url }) =>
        url.endsWith('/slow')
          ? Response.json({}, { status: 429, headers: { 'Retry-After': '3600' } })
          : Response.json({ id: 1 }),
    )

    expect(failed).toEqual([])
    expect(sent).toEqual(expect.arrayContaining(['GET /a', 'GET /b', 'GET /c']))
    expect(
      checks.filter(({ id, status }) => /served$/.test(id) && status === 'passed'),
    ).toHaveLength(3)
  })

  test('a limit of one route in headers, which says nothing about the others', async () => {
    const get = { get: { responses: ok(record) } }
    const reset = Math.ceil(Date.now() / 1000) + 3600
    const { failed, sent } = await run(
      { '/a': get, '/slow': get, '/b': get, '/c': get },
      ({ url }) => {
        const [limit, remaining] = url.endsWith('/slow') ? ['2', '0'] : ['1000', '900']
        const headers = {
          'X-RateLimit-Limit': limit,
          'X-RateLimit-Remaining': remaining,
          'X-RateLimit-Reset': String(reset),
        }
        return Response.json({ id: 1 }, { headers })
      },
    )

    expect(failed).toEqual([])
    expect(sent).toEqual(expect.arrayContaining(['GET /a', 'GET /slow', 'GET /b', 'GET /c']))
  })

  test('another decision than that of the sandbox, unless decisions count', async () => {
    const list = { '/users': { get: { responses: ok({ type: 'array', items: record }) } } }
    const answer = (): Response => Response.json([])

    expect((await run(list, answer)).failed).toEqual([])
    expect((await run(list, answer, { decisions: true })).failed).toContain('unknown-path')
  })
})

test('what depends on the state of other records, and a number that grows by one, are no failures', async () => {
  const state = { type: 'string', enum: ['available', 'on_loan'], readOnly: true }
  const copy = { type: 'object', properties: { id: integer, status: state } }
  const game = { type: 'object', properties: { id: integer, name: text, extensions: integer } }
  const created = (schema: object): object => ({ 201: { description: 'Made.', ...json(schema) } })
  const refusal = { 404: { description: 'None.' }, 409: { description: 'A conflict.' } }
  const bodyOf = (properties: object): object => ({
    requestBody: { required: true, ...json({ type: 'object', properties }) },
  })
  const below = { parameters: [path('id', integer)] }
  const paths = {
    '/games': { post: { ...bodyOf({ name: text }), responses: created(game) } },
    '/games/{id}': {
      ...below,
      get: { responses: { ...ok(game), ...refusal } },
      delete: {
        operationId: 'removeGame',
        description: '409 while a copy is on loan.',
        responses: { 204: { description: 'Gone.' }, ...refusal },
      },
    },
    '/games/{id}/copies': {
      ...below,
      post: { ...bodyOf({ note: text }), responses: { ...created(copy), ...refusal } },
    },
    '/games/{id}/extend': {
      ...below,
      post: {
        operationId: 'extendGame',
        description: 'Moves the end by days and adds one to `extensions`.',
        ...bodyOf({ days: { ...integer, minimum: 2, maximum: 9 } }),
        responses: { ...ok(game), ...refusal },
      },
    },
  }
  const games = new Map<string, { extensions: number }>()
  const answer =
    (step: number) =>
    (request: Request): Response => {
      const [, , id = '', below] = new URL(request.url).pathname.split('/')
      const found = games.get(id)
      const made = { status: 201 }
      if (id === '') {
        games.set(String(games.size + 1), { extensions: 0 })
        return Response.json({ id: games.size, name: 'a', extensions: 0 }, made)
      }
      if (!found) return none()
      if (below === 'copies') return Response.json({ id: 1, status: 'available' }, made)
      if (below === 'extend') found.extensions += step
      if (request.method !== 'DELETE') return Response.json({ id: Number(id), name: 'a', ...found })
      games.delete(id)
      return new Response(null, { status: 204 })
    }
  const texts = createTexts({ paths })
  const about = ({ failed }: Ran): readonly string[] =>
    failed.filter((id) => /^(removeGame\/stated|extendGame\/told)/.test(id))

  expect(about(await run(paths, answer(1), { writes: true, texts }))).toEqual([])
  const twice = await run(paths, answer(2), { writes: true, texts })
  expect(about(twice)).toEqual(['extendGame/told/extensions'])
})

test('what is unique among the records of a section is the number, and not the section', async () => {
  const sent = {
    section: { ...text, enum: ['east', 'west'] },
    number: { ...integer, minimum: 1, maximum: 400 },
  }
  const plot = { type: 'object', properties: { id: integer, ...sent } }
  const body = {
    requestBody: {
      required: true,
      ...json({ type: 'object', required: ['section', 'number'], properties: sent }),
    },
  }
  const description = 'Replaces a plot. The number must stay unique in its section (409).'
  const taken = { 409: { description: 'The number is taken.', ...json({}) } }
  const paths = {
    '/plots': {
      get: { responses: ok({ type: 'array', items: plot }) },
      post: { ...body, responses: { 201: { description: 'Made.', ...json(plot) }, ...taken } },
    },
    '/plots/{id}': {
      parameters: [path('id', integer)],
      get: { responses: ok(plot) },
      put: {
        operationId: 'replacePlot',
        description,
        ...body,
        responses: { ...ok(plot), ...taken },
      },
    },
  }
  interface Plot {
    readonly id: number
    readonly section: string
    readonly number: number
  }
  const service = (refuses: boolean): ((request: Request) => Promise<Response>) => {
    const plots = new Map<number, Plot>()
    const store = async (request: Request, id: number): Promise<Response> => {
      const given: Omit<Plot, 'id'> = await request.json()
      const isNew = !plots.has(id)
      const isTaken = [...plots.values()].some(
        (one) => one.id !== id && one.section === given.section && one.number === given.number,
      )
      if (isTaken && (refuses || isNew)) return Response.json({}, { status: 409 })
      plots.set(id, { ...given, id })
      return Response.json(plots.get(id), { status: isNew ? 201 : 200 })
    }
    return async (request) => {
      const named = new URL(request.url).pathname.split('/')[2]
      if (named === undefined)
        return request.method === 'POST'
          ? store(request, plots.size + 1)
          : Response.json([...plots.values()])
      const id = Number(named)
      if (!plots.has(id)) return none()
      return request.method === 'PUT' ? store(request, id) : Response.json(plots.get(id))
    }
  }
  const texts = createTexts({ paths })
  const about = ({ failed }: Ran): readonly string[] =>
    failed.filter((id) => id.startsWith('replacePlot/stated'))

  expect(about(await run(paths, service(true), { writes: true, texts }))).toEqual([])
  const other = await run(paths, service(false), { writes: true, texts })
  expect(about(other)).toEqual([expect.stringMatching(/stated\/once\/.*number/)])
})

test('what is unique together is tried together, and all of it at once may be taken', async () => {
  const film = {
    title: { ...text, minLength: 1, maxLength: 80 },
    year: { ...integer, minimum: 1900, maximum: 2099 },
    isOpening: { type: 'boolean', default: false },
  }
  const shown = { type: 'object', properties: { id: integer, ...film } }
  const paths = {
    '/films': {
      get: { responses: ok({ type: 'array', items: shown }) },
      post: {
        operationId: 'addFilm',
        description:
          'Two films with the same title (without regard to case) and the same year answer 409.',
        requestBody: {
          required: true,
          ...json({ type: 'object', required: ['title', 'year'], properties: film }),
        },
        responses: {
          201: { description: 'Added.', ...json(shown) },
          409: { description: 'There is one.', ...json({}) },
        },
      },
    },
    '/films/{id}': { parameters: [path('id', integer)], get: { responses: ok(shown) } },
  }
  interface Film {
    readonly title: string
    readonly year: number
    readonly isOpening?: boolean
  }
  const service = (ignores: (one: Film) => unknown): ((request: Request) => Promise<Response>) => {
    const films: (Film & { readonly id: number })[] = []
    return async (request) => {
      const named = new URL(request.url).pathname.split('/')[2]
      const found = films[Number(named) - 1]
      if (named !== undefined) return found ? Response.json(found) : none()
      if (request.method !== 'POST') return Response.json(films)
      const given: Film = await request.json()
      const isTaken = films.some(
        (one) =>
          (ignores(one) === ignores(given) && one.year === given.year) ||
          (given.isOpening && given.year === 1900),
      )
      if (isTaken) return Response.json({}, { status: 409 })
      films.push({ isOpening: false, ...given, id: films.length + 1 })
      return Response.json(films.at(-1), { status: 201 })
    }
  }
  const texts = createTexts({ paths })
  const about = ({ failed }: Ran): readonly string[] =>
    failed.filter((id) => id.startsWith('addFilm/'))

  const rightly = service((one) => one.title.toLowerCase())
  expect(about(await run(paths, rightly, { writes: true, texts }))).toEqual([])
  const exactly = service((one) => one.title)
  expect(about(await run(paths, exactly, { writes: true, texts }))).toEqual([
    'addFilm/conflict/title/case',
  ])
})

test('a place after the end of a list is the last one, and no other place is changed', async () => {
  const step = { type: 'object', properties: { id: integer, name: text, position: integer } }
  const sent = {
    name: text,
    position: { ...integer, minimum: 1, maximum: 900 },
  }
  const paths = {
    '/steps': {
      post: {
        operationId: 'addStep',
        requestBody: { required: true, ...json({ type: 'object', properties: sent }) },
        responses: { 201: { description: 'Made.', ...json(step) } },
      },
    },
    '/steps/{id}': { parameters: [path('id', integer)], get: { responses: ok(step) } },
  }
  const answer =
    (placed: (position: number) => number) =>
    async (request: Request): Promise<Response> => {
      const { position = 1, ...values } = await request.json().catch(() => ({}))
      return Response.json({ id: 1, ...values, position: placed(position) }, { status: 201 })
    }
  const about = ({ failed }: Ran): readonly string[] =>
    failed.filter((id) => /^addStep\/(created|values)/.test(id))

  const [last, next] = [
    answer((position) => Math.min(position, 3)),
    answer((position) => position + 1),
  ]

  expect(about(await run(paths, last, { writes: true }))).toEqual([])
  expect(about(await run(paths, next, { writes: true }))).toContain('addStep/values/full/shown')
})

test('one wrong response is one failure, with its consequences', async () => {
  const { checks, failed } = await run(
    {
      '/health': {
        get: { responses: { ...ok(record), 500: { description: 'No.', ...json(record) } } },
      },
      '/about': { get: { responses: ok(record) } },
    },
    ({ url }) =>
      url.endsWith('/health')
        ? Response.json({ id: 'none' }, { status: 500 })
        : Response.json({ id: 1 }),
  )

  expect(failed).toEqual(
    expect.arrayContaining(['GET /health/served', 'GET /health/500/body', 'errors/server']),
  )
  const causes = checks.filter(({ status, consequenceOf }) => status === 'failed' && !consequenceOf)
  expect(causes.map(({ id }) => id)).toEqual(['GET /health/served'])
})

describe('one finding is', () => {
  const invalid = { 400: { description: 'Invalid.', ...json(record) } }
  const query = (name: string): object => ({ name, in: 'query', schema: { type: 'boolean' } })

  test('a service that refuses invalid input with another status than the documented one', async () => {
    const book = { ...record, required: ['name', 'id'] }
    const { checks } = await run(
      {
        '/books': {
          post: {
            requestBody: { required: true, ...json(book) },
            responses: { 201: { description: 'Created.', ...json(record) }, ...invalid },
          },
        },
        '/books/{id}': { parameters: [path('id', integer)], get: { responses: ok(record) } },
      },
      async (request) => {
        const body: unknown = await request.json().catch(() => undefined)
        const isBook = isObject(body) && typeof body.name === 'string' && Number.isInteger(body.id)
        return isBook ? Response.json(body, { status: 201 }) : Response.json({}, { status: 422 })
      },
      { writes: true },
    )

    const causes = checks.filter(({ id, status, consequenceOf }) =>
      Boolean(status === 'failed' && !consequenceOf && /missing|no-body|=/.test(id)),
    )
    expect(causes).toHaveLength(1)
  })

  test('an operation that does not check the types of its parameters', async () => {
    const { checks } = await run(
      {
        '/alerts': {
          get: {
            parameters: ['active', 'silenced', 'muted'].map(query),
            responses: { ...ok(record), ...invalid },
          },
        },
      },
      () => Response.json({ id: 1 }),
    )

    const failed = checks.filter(({ status }) => status === 'failed')
    expect(failed.map(({ id }) => id)).toEqual(
      ['active', 'silenced', 'muted'].map((name) => `GET /alerts/${name}=abc`),
    )
    expect(failed.map(({ consequenceOf }) => consequenceOf)).toEqual([
      undefined,
      'GET /alerts/active=abc',
      'GET /alerts/active=abc',
    ])
  })
})

test('a path that the server does not have says nothing about keys', async () => {
  const unauthorized = { 401: { description: 'No key.' } }
  const config = { '/config': { get: { responses: { ...ok(record), ...unauthorized } } } }
  const { checks } = await run(
    { '/health': { get: { responses: { ...ok(record), ...unauthorized } } }, ...config },
    ({ url, headers }) => {
      if (url.endsWith('/config')) return none()
      const isKnown = headers.get('Authorization') === 'Bearer sk_of_the_service'
      return isKnown ? Response.json({ id: 1 }) : new Response(null, { status: 401 })
    },
    { key: 'sk_of_the_service' },
    {
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
      security: [{ key: [] }],
    },
  )

  const ofKeys = checks.filter(({ id }) => /^GET \/config\/(no-key|wrong-case)$/.test(id))
  expect(ofKeys.map(({ reason }) => reason)).toEqual([
    'with a valid key, the server returns 404, too',
    'with a valid key, the server returns 404, too',
  ])
})

test('a documented 404 for the record in the path says nothing about an invalid body', async () => {
  const errors = { 400: { description: 'Invalid.' }, 404: { description: 'Unknown.' } }
  const item = { parameters: [path('id', integer)] }
  const { checks } = await run(
    {
      '/books': {
        post: {
          requestBody: { required: true, ...json(record) },
          responses: { 201: { description: 'Created.', ...json(record) } },
        },
      },
      '/books/{id}': { ...item, get: { responses: ok(record) } },
      '/books/{id}/lend/': {
        ...item,
        post: {
          requestBody: { required: true, ...json({ ...record, required: ['name'] }) },
          responses: { ...ok(record), ...errors },
        },
      },
    },
    async ({ method, url }) => {
      if (method !== 'POST') return Response.json({ id: 7 })
      return url.endsWith('/books') ? Response.json({ id: 7 }, { status: 201 }) : none()
    },
    { writes: true },
  )

  const rejections = checks.filter(({ id }) => /^POST .books.{id}.lend.*(body|missing)/.test(id))
  expect(rejections.length).toBeGreaterThan(0)
  expect(rejections.filter(({ status }) => status === 'failed')).toEqual([])
})

describe('a service with references, defaults and keys that have records of their own', () => {
  const PROJECT = {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: integer, name: text },
  }
  const ENTRY = {
    type: 'object',
    required: ['id', 'projectId', 'minutes', 'tagIds'],
    properties: {
      ...{ id: integer, projectId: integer, minutes: integer, memberId: integer },
      tagIds: { type: 'array', items: integer },
    },
  }
  const sentEntry = {
    type: 'object',
    required: ['projectId', 'minutes'],
    properties: {
      ...{ projectId: { ...integer, minimum: 1 }, minutes: { ...integer, minimum: 1 } },
      memberId: { ...integer, minimum: 1 },
      tagIds: { type: 'array', items: integer, default: [] },
    },
  }
  const errors = Object.fromEntries(
    [400, 401, 404, 422].map((status) => [status, { description: 'Refused.' }]),
  )
  const page = (items: object): object => ({
    ...{ type: 'object', required: ['data'] },
    properties: { data: { type: 'array', items } },
  })
  const many = (shown: object, sent: object, parameters: readonly object[] = []): object => ({
    get: { parameters, responses: { ...ok(page(shown)), ...errors } },
    post: {
      requestBody: { required: true, ...json(sent) },
      responses: { 201: { description: 'Created.', ...json(shown) }, ...errors },
    },
  })
  const one = (shown: object): object => ({
    parameters: [path('id', integer)],
    get: { responses: { ...ok(shown), ...errors } },
    delete: { responses: { 204: { description: 'Removed.' }, ...errors } },
  })
  const day = (name: string, example: string): object => ({
    ...{ name, in: 'query', required: true },
    schema: { type: 'string', format: 'date', example },
  })
  const PATHS = {
    '/projects': many(PROJECT, { ...PROJECT, required: ['name'], properties: { name: text } }),
    '/projects/{id}': one(PROJECT),
    '/entries': many(ENTRY, sentEntry),
    '/entries/{id}': one(ENTRY),
    '/report': {
      get: {
        parameters: [day('from', '2025-03-01'), day('to', '2025-01-01')],
        responses: { ...ok(record), ...errors },
      },
    },
  }
  const SECURED = {
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
  }

  type Records = Record<string, unknown>[]

  /** Both keys have records with the ids 1, 2 and so on. */
  function service(): (request: Request) => Promise<Response> {
    const keys = new Map(
      ['one', 'another'].map((key) => {
        const entries: Records = [{ id: 1, projectId: 1, minutes: key.length, tagIds: [] }]
        return [`Bearer ${key}`, new Map<string, Records>([['entries', entries]])]
      }),
    )
    return async (request) => {
      const own = keys.get(request.headers.get('Authorization') ?? '')
      if (!own) return new Response(null, { status: 401 })
      const { pathname, searchParams } = new URL(request.url)
      const [, name = '', id] = pathname.split('/')
      if (name === 'report') return report(searchParams)
      const records = own.get(name) ?? []
      own.set(name, records)
      if (id !== undefined) return onRecord(request.method, id, records)
      if (request.method === 'GET') return Response.json({ data: records })
      return await creation(request, name, own)
    }
  }

  function report(query: URLSearchParams): Response {
    const [from, to] = ['from', 'to'].map((name) => Date.parse(query.get(name) ?? ''))
    const isOrdered = Number(from) <= Number(to)
    return isOrdered ? Response.json({ id: 1, name: 'all' }) : refusal('from is after to', 400)
  }

  function onRecord(method: string, id: string, records: Records): Response {
    const at = records.findIndex((item) => String(item.id) === id)
    if (at < 0) return none()
    if (method !== 'DELETE') return Response.json(records[at])
    records.splice(at, 1)
    return new Response(null, { status: 204 })
  }

  async function creation(
    request: Request,
    name: string,
    own: ReadonlyMap<string, Records>,
  ): Promise<Response> {
    const records = own.get(name) ?? []
    const body: unknown = await request.json().catch(() => undefined)
    const problem = name === 'projects' ? problemOfProject(body) : problemOfEntry(body, own)
    if (problem || !isObject(body)) return refusal(problem ?? 'no object', 422)
    const last = Math.max(0, ...records.map((item) => Number(item.id)))
    const made = { ...(name === 'entries' && { tagIds: [] }), ...body, id: last + 1 }
    records.push(made)
    return Response.json(made, { status: 201 })
  }

  function refusal(message: string, status: number): Response {
    return Response.json({ message }, { status })
  }

  function problemOfProject(body: unknown): string | undefined {
    const isNamed = isObject(body) && typeof body.name === 'string'
    return isNamed ? undefined : 'name must be a text'
  }

  function problemOfEntry(body: unknown, own: ReadonlyMap<string, Records>): string | undefined {
    if (!isObject(body)) return 'the body must be an object'
    const { projectId, memberId = 7, minutes, tagIds = [] } = body
    const areTags = Array.isArray(tagIds) && tagIds.every((tag) => Number.isInteger(tag))
    if (!areTags) return 'tagIds must be a list of integers'
    if (!(Number.isInteger(minutes) && Number(minutes) > 0)) return 'minutes must be at least 1'
    const isKnown = own.get('projects')?.some(({ id }) => id === projectId) === true
    if (!isKnown) return 'projectId names a project that does not exist'
    return memberId === 7 ? undefined : 'memberId names a member who does not exist'
  }

  test('has no failed check', async () => {
    const { failed, checks } = await run(
      PATHS,
      service(),
      { key: 'one', otherKey: 'another', writes: true, seed: 1 },
      SECURED,
    )

    expect(failed).toEqual([])
    const passed = checks.flatMap(({ id, status }) => (status === 'passed' ? id : []))
    expect(passed).toEqual(
      expect.arrayContaining([
        'POST /entries/served',
        'POST /entries/defaults',
        'POST /entries/values/full',
        'GET /entries/other-key-list',
        'GET /report/served',
      ]),
    )
  })
})

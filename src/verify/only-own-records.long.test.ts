import { afterEach, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import {
  type CarelessOptions,
  type CarelessService,
  serveCarelessly,
} from '../testing/careless-service.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { stopServers } from '../testing/servers.ts'
import type { VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

afterEach(stopServers)

const KEY = 'sk_live_of_the_service'

/** What the service has before a run. The examples of the documents name it. */
const EXISTING = {
  '/users/1': { id: 1, name: 'admin', password: 'secret', email: 'admin@example.com' },
  '/users/2147483647': { id: 2_147_483_647, name: 'the last' },
  '/users/0': { id: 0, name: 'the first' },
  '/environments/1': { id: 1, name: 'production', enabled: true },
  '/teams/1': { id: 1, name: 'owners' },
  '/teams/1/members/1': { id: 1, name: 'admin' },
  '/teams/1/fans/1': { id: 1, name: 'admin' },
  '/orgs/acme': { id: 'acme', name: 'acme' },
  '/orgs/acme/repos/1': { id: 1, name: 'main' },
  '/orgs/other/repos/1': { id: 1, name: 'main' },
  '/maintenance': { enabled: false },
  '/settings': { theme: 'dark' },
  '/settings/limits': { most: 10 },
} as const

const COLLECTIONS = /^\/(users|environments|teams|teams\/\d+\/members|orgs\/\w+\/repos)$/

const json = (schema: object, more: object = {}): object => ({
  content: { 'application/json': { schema, ...more } },
})
const integer = { type: 'integer' }
const text = { type: 'string' }
const thing = {
  type: 'object',
  required: ['name'],
  properties: {
    id: integer,
    name: text,
    email: text,
    password: text,
    enabled: { type: 'boolean' },
    most: { type: 'integer', minimum: 0, maximum: 10 },
  },
}
const example = { id: 1, name: 'admin', email: 'admin@example.com', password: 'example' }
const sent = { required: true, ...json(thing, { example }) }
const optional = json({ type: 'object', properties: { id: integer, enabled: { type: 'boolean' } } })
const parameter = (name: string, schema: object, given: unknown): object => ({
  name,
  in: 'path',
  required: true,
  schema,
  example: given,
})
const id = parameter('id', integer, 1)

/** The paths of a document whose lists and records are the body, or are in `data`. */
function pathsOf(hasEnvelopes: boolean): Readonly<Record<string, object>> {
  const shown = (schema: object): object =>
    json(
      hasEnvelopes ? { type: 'object', required: ['data'], properties: { data: schema } } : schema,
    )
  const ok = (schema: object): object => ({ 200: { description: 'OK', ...shown(schema) } })
  const none = { 404: { description: 'None', ...json({ type: 'object' }) } }
  const invalid = { 400: { description: 'Invalid', ...json({ type: 'object' }) } }
  const collection = {
    get: { responses: ok({ type: 'array', items: thing }) },
    post: {
      requestBody: sent,
      responses: { 201: { description: 'Created', ...shown(thing) }, ...invalid },
    },
  }
  const item = {
    get: { responses: { ...ok(thing), ...none } },
    put: { requestBody: sent, responses: { ...ok(thing), ...invalid, ...none } },
    patch: { requestBody: sent, responses: { ...ok(thing), ...invalid, ...none } },
    delete: { responses: { 204: { description: 'Removed' }, ...none } },
  }
  const action = { post: { requestBody: optional, responses: { ...ok({}), ...none } } }
  const change = { requestBody: sent, responses: ok({}) }

  return {
    '/users': collection,
    '/users/{id}': { parameters: [id], ...item },
    '/users/{id}/change-password': { parameters: [id], ...action },
    '/user-admin/{id}/change-password': { parameters: [id], ...action },
    '/users/bulk': { post: change, delete: { responses: ok({}) } },
    '/users/import': { post: change },
    '/users/{id}:archive': { parameters: [id], ...action },
    '/environments': collection,
    '/environments/{id}': { parameters: [id], get: item.get, post: change },
    '/environments/{id}/off': { parameters: [id], ...action },
    '/environments/{id}/on': { parameters: [id], ...action },
    '/teams': collection,
    '/teams/{id}': { parameters: [id], ...item },
    '/teams/{id}/archive': { parameters: [id], ...action },
    '/teams/{id}/members': { parameters: [id], ...collection, put: change },
    '/teams/{id}/members/{member}': {
      parameters: [id, parameter('member', integer, 1)],
      ...item,
    },
    '/teams/{id}/fans': { parameters: [id], get: collection.get },
    '/teams/{id}/fans/{userId}': {
      parameters: [id, parameter('userId', integer, 1)],
      put: {
        requestBody: sent,
        responses: { ...ok(thing), 201: { description: 'Created', ...shown(thing) }, ...none },
      },
      delete: item.delete,
    },
    '/orgs/{org}/repos': { parameters: [parameter('org', text, 'acme')], ...collection },
    '/orgs/{org}/repos/{id}': { parameters: [parameter('org', text, 'acme'), id], ...item },
    '/orgs/{org}': { parameters: [parameter('org', text, 'acme')], ...item },
    '/maintenance': { get: { responses: ok({}) }, post: change, put: change },
    '/settings': { get: { responses: ok({}) }, put: change, patch: change, delete: item.delete },
    '/settings/limits': { get: { responses: ok({}) }, put: change, post: change },
    '/login': { post: change },
    '/search': { post: change },
    '/toggle': { post: action.post },
    '/cache/reset': { post: { responses: ok({}) } },
    '/users/{id}/reset': { parameters: [id], get: { responses: ok({}) } },
  }
}

const SECURED = {
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  security: [{ key: [] }],
}

interface Ran {
  readonly verification: Verification
  readonly service: CarelessService
  readonly contract: Contract
}

async function run(
  paths: Readonly<Record<string, object>>,
  options: VerifyOptions = {},
  { key, hasEnvelopes = false }: Partial<CarelessOptions> = {},
): Promise<Ran> {
  const contract = await loadDocumentOf(paths, key === undefined ? {} : SECURED)
  const service = await serveCarelessly({
    state: EXISTING,
    collections: COLLECTIONS,
    hasEnvelopes,
    ...(key !== undefined && { key }),
  })
  const verification = await verify(service.origin, contract, {
    writes: true,
    decisions: true,
    budget: 2000,
    ...(key !== undefined && { key }),
    ...options,
  })
  return { verification, service, contract }
}

/** Runs once. The tests that only read what the run did share it. */
function once(start: () => Promise<Ran>): () => Promise<Ran> {
  let ran: Promise<Ran> | undefined
  return () => {
    ran ??= start()
    return ran
  }
}

const runWhole = once(() => run(pathsOf(false)))
const runNamed = once(() => run(pathsOf(false), ACME))
const runWithKey = once(() => run(pathsOf(false), {}, { key: KEY }))

/** The records from before a run, byte for byte. */
function existingIn({ state }: CarelessService): unknown {
  return Object.fromEntries(Object.keys(EXISTING).map((path) => [path, state.get(path)]))
}

const UNCHANGED = Object.fromEntries(
  Object.entries(EXISTING).map(([path, record]) => [path, JSON.stringify(record)]),
)

const reasonOf = ({ operations }: Verification, operation: string): string | undefined =>
  operations.others.find((one) => one.operation === operation)?.reason

const ACME = { data: { orgs: [{ id: 'acme' }] } }

describe('a service that performs every request', () => {
  test.each<[what: string, runOnce: () => Promise<Ran>]>([
    ['bare lists', runWhole],
    ['bare lists, and a named parent', runNamed],
    ['bare lists and a key', runWithKey],
    ['envelopes', () => run(pathsOf(true), {}, { hasEnvelopes: true })],
    [
      'envelopes, a key, and a named parent',
      () => run(pathsOf(true), ACME, { key: KEY, hasEnvelopes: true }),
    ],
    ['bare lists, beside a sandbox', () => run(pathsOf(false), { twin: true })],
  ])('keeps every record that it had, byte for byte: with %s', async (_what, runOnce) => {
    const { service, verification } = await runOnce()

    expect(verification.unusable).toBeUndefined()
    expect(service.received.filter(({ method }) => method === 'POST').length).toBeGreaterThan(10)
    expect(existingIn(service)).toEqual(UNCHANGED)
    expect([...service.state.keys()].filter((path) => path.startsWith('/user-admin'))).toEqual([])
  })

  test.each(Object.keys(pathsOf(false)))(
    'keeps every record that it had when the document has nothing but %s',
    async (path) => {
      const { service } = await run({ [path]: pathsOf(false)[path] ?? {} }, ACME)

      expect(existingIn(service)).toEqual(UNCHANGED)
    },
  )

  test('has its actions exercised on records of the run', async () => {
    const { verification, service } = await runWhole()

    const done = service.received.filter(({ path }) => /change-password|\/off$/.test(path))
    expect(done.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\/users\/\d+\/change-password$/),
        expect.stringMatching(/^\/environments\/\d+\/off$/),
      ]),
    )
    const exercised = Object.keys(pathsOf(false)).filter((path) =>
      verification.operations.others.every(({ operation }) => !operation.endsWith(` ${path}`)),
    )
    expect(exercised).toEqual(
      expect.arrayContaining([
        '/users',
        '/users/{id}',
        '/users/{id}/change-password',
        '/environments/{id}',
        '/environments/{id}/off',
        '/teams/{id}/archive',
        '/teams/{id}/members/{member}',
      ]),
    )
  })

  test('gets entries that name a user of the run, below a team of the run', async () => {
    const { verification, service } = await runWhole()

    expect(reasonOf(verification, 'PUT /teams/{id}/fans/{userId}')).toBeUndefined()
    expect(reasonOf(verification, 'DELETE /teams/{id}/fans/{userId}')).toBeUndefined()
    const changes = service.received.filter(
      ({ method, path }) => method !== 'GET' && /^\/teams\/[^/]+\/fans\//.test(path),
    )
    expect(changes.length).toBeGreaterThan(5)
    const posted = service.received.flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
    expect(posted).toEqual(expect.arrayContaining(['/teams', '/users']))
    expect(
      changes.filter(({ path }) => /^\/teams\/1\/|\/fans\/(0|1|2147483647)$/.test(path)),
    ).toEqual([])
  })

  test('has no more records after the run, where they can be removed', async () => {
    const { service } = await runWhole()

    const removable = [...service.state.keys()].filter((path) => /^\/(users|teams)\//.test(path))
    expect(removable.filter((path) => !Object.hasOwn(EXISTING, path))).toEqual([])
  })

  test('is asked for no method that the document does not have, except one that changes nothing', async () => {
    const { service, contract } = await runWithKey()

    const documented = new Set(contract.operations.map(({ method }) => method))
    const others = service.received.filter(({ method }) => !documented.has(method))
    expect(new Set(others.map(({ method }) => method))).toEqual(new Set(['HEAD', 'PROPFIND']))
    const wholes = service.received.filter(
      ({ method, path }) => /^(PUT|PATCH|DELETE)$/.test(method) && COLLECTIONS.test(path),
    )
    expect(wholes.filter(({ path }) => !/^\/teams\/\d+\/members$/.test(path))).toEqual([])
    const unknown = others.filter(({ method }) => method === 'PROPFIND')
    expect(unknown.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  })
})

describe('an operation that could change what a run did not create', () => {
  test.each([
    ['POST /maintenance', /^it changes what this run did not create/],
    ['PUT /settings', /^it changes what this run did not create/],
    ['POST /login', /^it changes what this run did not create/],
    ['POST /user-admin/{id}/change-password', '/user-admin/{id}, which no operation creates'],
    ['POST /users/{id}:archive', 'its path does not show which record it changes'],
  ])('is listed as not exercised, with the reason: %s', async (operation, reason) => {
    const { verification } = await runWhole()

    expect(reasonOf(verification, operation)).toMatch(reason)
  })

  test('is listed as not exercised when it creates below a parent that only others create', async () => {
    const path = '/orgs/{org}/repos'
    const { verification } = await run({ [path]: pathsOf(false)[path] ?? {} })

    expect(reasonOf(verification, `POST ${path}`)).toBe(
      'it creates below /orgs/{org}, which no operation creates and --data does not name',
    )
  })

  test('is sent below a parent that the user names, and changes no other', async () => {
    const { verification, service } = await runNamed()

    expect(reasonOf(verification, 'POST /orgs/{org}/repos')).toBeUndefined()
    expect(reasonOf(verification, 'DELETE /orgs/{org}/repos/{id}')).toBeUndefined()
    const changed = service.received.filter(
      ({ method, path }) => method !== 'GET' && path.startsWith('/orgs/'),
    )
    expect(changed.filter(({ path }) => !/^\/orgs\/(acme\/repos|verify)/.test(path))).toEqual([])
    expect(existingIn(service)).toEqual(UNCHANGED)
  })
})

test('a record that a creation returned instead of a new one is not changed', async () => {
  const contract = await loadDocumentOf(pathsOf(false))
  const service = await serveCarelessly({
    state: EXISTING,
    collections: COLLECTIONS,
    hasEnvelopes: false,
  })

  await verify(service.origin, contract, {
    writes: true,
    fetch: async (request) =>
      request.method === 'POST' && request.url.endsWith('/users')
        ? Response.json(EXISTING['/users/1'])
        : await fetch(request),
  })

  const changes = service.received.filter(({ method }) => method !== 'GET')
  expect(changes.filter(({ path }) => /^\/users\/1(\/|$)/.test(path))).toEqual([])
})

test('a creation that returned a record from before the run is not sent again', async () => {
  const schema = {
    type: 'object',
    required: ['kind'],
    properties: { id: { type: 'integer', readOnly: true }, kind: { enum: ['theme', 'language'] } },
  }
  const contract = await loadDocumentOf({
    '/flags': {
      get: { responses: { 200: { description: 'OK', ...json({ type: 'array', items: schema }) } } },
      post: {
        requestBody: { required: true, ...json(schema) },
        responses: { 200: { description: 'OK', ...json(schema) } },
      },
    },
  })
  const existing = { id: 1, kind: 'theme' }
  const sent: string[] = []

  const { checks } = await verify('http://127.0.0.1', contract, {
    writes: true,
    fetch: async ({ method, url }) => {
      sent.push(method)
      if (new URL(url).pathname !== '/flags') return Response.json({}, { status: 404 })
      return Response.json(method === 'POST' ? existing : [existing])
    },
  })

  expect(sent.filter((method) => method === 'POST')).toHaveLength(1)
  expect(checks.map(({ reason }) => reason)).toContain(
    'it returned a record that existed before the run, which it may have changed',
  )
})

/** The paths that an id of a user is written into. */
const USERS = Object.fromEntries(
  Object.entries(pathsOf(false)).filter(([path]) => path.startsWith('/users')),
)

test.each(['..', '.', '%2e%2e', '', '*', 'bulk', '../users/1', 'a/b'])(
  'the id %j of a created record leads to no other record',
  async (unusual) => {
    const contract = await loadDocumentOf(USERS)
    const service = await serveCarelessly({
      state: EXISTING,
      collections: COLLECTIONS,
      hasEnvelopes: false,
    })

    await verify(service.origin, contract, {
      writes: true,
      fetch: async (request) =>
        request.method === 'POST' && request.url.endsWith('/users')
          ? Response.json(
              { id: unusual, name: 'new' },
              { status: 201, headers: { Location: '/users/1' } },
            )
          : await fetch(request),
    })

    expect(existingIn(service)).toEqual(UNCHANGED)
  },
)

test('a request with a wrong key has no valid one in another place', async () => {
  const schemes = {
    one: { type: 'apiKey', in: 'query', name: 'key' },
    two: { type: 'apiKey', in: 'cookie', name: 'session' },
    three: { type: 'http', scheme: 'bearer' },
    four: { type: 'apiKey', in: 'header', name: 'X-Key' },
  }
  const service = await serveCarelessly({
    state: EXISTING,
    collections: COLLECTIONS,
    hasEnvelopes: false,
  })
  const contract = await loadDocumentOf(pathsOf(false), {
    components: { securitySchemes: schemes },
    security: [{ one: [], two: [] }, { three: [] }, { four: [] }],
  })

  await verify(service.origin, contract, { key: KEY, writes: true, check: 'wrong-key' })

  const wrong = service.received.filter((request) =>
    JSON.stringify([request.headers, request.query.get('key')]).includes(`${KEY}x`),
  )
  expect(wrong.length).toBeGreaterThan(2)
  for (const { headers, query } of wrong) {
    const values = [query.get('key'), headers.authorization, headers['x-key'], headers.cookie]
    expect(values.join(' ').split(/[ =;]/)).not.toContain(KEY)
  }
})

import { afterEach, describe, expect, test } from 'vitest'
import { serveCarelessly } from '../testing/careless-service.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { stopServers } from '../testing/servers.ts'
import type { Progress, VerifyOptions } from './session/options.ts'
import type { Verification } from './verification.ts'
import { preview, verify } from './verify.ts'

afterEach(stopServers)

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const ok = (schema: object): object => ({ 200: { description: 'OK', ...json(schema) } })
const objectOf = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  ...more,
})
const text = { type: 'string' }
const boolean = { type: 'boolean' }
const integer = { type: 'integer' }
const change = (schema: object, example?: object): object => ({
  requestBody: {
    required: true,
    content: { 'application/json': { schema, ...(example && { example }) } },
  },
  responses: ok({}),
})
const id = { name: 'id', in: 'path', required: true, schema: integer }

const THEME = objectOf({ theme: text, size: { type: 'integer', minimum: 1 }, accent: text })
const SWITCH = objectOf({ enabled: boolean, reason: text }, { required: ['enabled'] })
const ACCOUNT = objectOf({ email: text, password: text })
const SERVER = objectOf({ host: text, credentials: text })
const MASKED = objectOf({ host: text, pin: text })

/** What exists once. Bodies are like those of administrators: switches, settings, and passwords. */
const SETTINGS = {
  '/settings': {
    get: { responses: ok(THEME) },
    put: change(THEME, { theme: 'light', size: 9, accent: 'red' }),
    patch: change(THEME, { theme: 'blue' }),
  },
  '/maintenance': {
    get: { responses: ok(SWITCH) },
    post: change(SWITCH, { enabled: true }),
  },
  '/account': { get: { responses: ok(ACCOUNT) }, put: change(ACCOUNT) },
  '/mail': { get: { responses: ok(SERVER) }, put: change(SERVER) },
  '/proxy': { get: { responses: ok(MASKED) }, put: change(MASKED) },
  '/hidden': { put: change(THEME) },
  '/users/bulk': { put: change({ type: 'array', items: objectOf({ id: integer }) }) },
}

const STATE = {
  '/settings': { theme: 'dark', size: 3 },
  '/maintenance': { enabled: false },
  '/account': { email: 'admin@example.com', password: 'secret' },
  '/mail': { host: 'mail', credentials: 'a' },
  '/proxy': { host: 'proxy', pin: '****' },
  '/hidden': { theme: 'dark' },
  '/users/1': { id: 1, name: 'admin' },
} as const

const BEFORE = Object.fromEntries(
  Object.entries(STATE).map(([path, record]) => [path, JSON.stringify(record)]),
)

type Change = (request: Request) => Promise<Response | undefined>

async function run(
  paths: Readonly<Record<string, object>>,
  options: VerifyOptions = {},
  between: Change = async () => undefined,
): Promise<{
  readonly verification: Verification
  readonly state: ReadonlyMap<string, string>
  readonly writes: readonly string[]
}> {
  const contract = await loadDocumentOf(paths)
  const { origin, state, received } = await serveCarelessly({
    state: STATE,
    collections: /^\/users$/,
    hasEnvelopes: false,
  })
  const verification = await verify(origin, contract, {
    writes: true,
    budget: 500,
    fetch: async (request) => (await between(request.clone())) ?? (await fetch(request)),
    ...options,
  })
  const writes = received.filter(({ method }) => !/^(GET|HEAD|PROPFIND)$/.test(method))

  return { verification, state, writes: writes.map(({ method, path }) => `${method} ${path}`) }
}

const reasonOf = ({ operations }: Verification, operation: string): string | undefined =>
  operations.others.find((one) => one.operation === operation)?.reason

describe('what exists once', () => {
  test('is not changed without permission', async () => {
    const { verification, writes } = await run(SETTINGS)

    expect(writes).toEqual([])
    expect(reasonOf(verification, 'PUT /settings')).toBe(
      'it changes what exists once, needs --allow-changes',
    )
    expect(verification.changes.settings).toEqual([])
  })

  test('is changed, and restored byte for byte', async () => {
    const { verification, state, writes } = await run(SETTINGS, { changes: true })

    expect(Object.fromEntries(state)).toEqual(BEFORE)
    expect(new Set(writes)).toEqual(
      new Set(['PUT /settings', 'PATCH /settings', 'POST /maintenance']),
    )
    expect(verification.left).toEqual([])
    expect(verification.changes.settings).toEqual(['/maintenance', '/settings', '/proxy'])
    expect(reasonOf(verification, 'PUT /settings')).toBeUndefined()
    expect(reasonOf(verification, 'PATCH /settings')).toBeUndefined()
  })

  test.each([
    ['PUT /account', 'it changes a secret (password), so that it could not be written back'],
    ['PUT /mail', 'it changes a secret (credentials), so that it could not be written back'],
    ['PUT /proxy', 'it has a secret (pin), so that it could not be written back'],
    [
      'PUT /hidden',
      'it changes what this run did not create: its path names no record that the run could create',
    ],
  ])('is not changed when it could not be written back: %s', async (operation, reason) => {
    const { verification } = await run(SETTINGS, { changes: true })

    expect(reasonOf(verification, operation)).toBe(reason)
  })

  test('is listed with a command when it could not be restored', async () => {
    let writes = 0
    const { verification } = await run(
      { '/settings': SETTINGS['/settings'] },
      { changes: true },
      async ({ method }) => {
        if (method === 'GET') return undefined
        writes += 1
        return writes > 1 ? Response.json({}, { status: 500 }) : undefined
      },
    )

    expect(verification.left).toEqual([
      {
        what: '/settings',
        reason: '"theme" was "dark", and is "light"; 500 to the write',
        curl: expect.stringMatching(
          /^curl -i -X PUT -H 'Content-Type: application\/json' --data-raw '\{"theme":"dark","size":3\}' 'http/,
        ),
      },
    ])
    expect(reasonOf(verification, 'PATCH /settings')).toBe(
      'what it changes could not be restored before',
    )
  })

  test('needs permission to write, too', async () => {
    await expect(run(SETTINGS, { changes: true, writes: false })).rejects.toThrow(
      'Cannot use the option changes: a run that only reads changes nothing. Give --allow-writes, too.',
    )
  })
})

const USER = objectOf({ id: integer, name: text }, { required: ['name'] })
const LIST = { get: { responses: ok({ type: 'array', items: USER }) } }
const CREATE = {
  post: {
    requestBody: { required: true, ...json(USER) },
    responses: { 201: { description: 'Created', ...json(USER) }, 400: { description: 'Invalid' } },
  },
}
const READ = { get: { responses: { ...ok(USER), 404: { description: 'None' } } } }
const REMOVE = {
  delete: { responses: { 204: { description: 'Removed' }, 404: { description: 'None' } } },
}
const USERS = {
  '/users': { ...LIST, ...CREATE },
  '/users/{id}': { parameters: [id], ...READ, ...REMOVE },
}

describe('what a run created', () => {
  test('is removed, and counted', async () => {
    const { verification, state } = await run(USERS)

    expect(Object.fromEntries(state)).toEqual(BEFORE)
    expect(verification.created).toBeGreaterThan(2)
    expect(verification.left).toEqual([])
    expect(verification.changes.creations).toEqual([
      { path: '/users', records: expect.any(Number), isRemovable: true },
    ])
    expect(verification.changes.creations[0]?.records).toBeGreaterThanOrEqual(verification.created)
  })

  test('is listed when no operation removes it', async () => {
    const { verification } = await run({
      '/users': USERS['/users'],
      '/users/{id}': { parameters: [id], ...READ },
    })

    expect(verification.left).toHaveLength(verification.created)
    expect(verification.left[0]).toEqual({
      what: expect.stringMatching(/^\/users\/\d+$/),
      reason: 'no operation of the document removes it',
    })
    expect(verification.changes.creations[0]?.isRemovable).toBe(false)
  })

  test('is listed with a command when its removal fails', async () => {
    const { verification, writes } = await run(USERS, {}, async ({ method }) =>
      method === 'DELETE' ? Response.json({}, { status: 500 }) : undefined,
    )

    expect(verification.left.length).toBe(verification.created)
    expect(verification.left[0]).toEqual({
      what: expect.stringMatching(/^\/users\/\d+$/),
      reason: 'DELETE returned 500',
      curl: expect.stringMatching(/^curl -i -X DELETE 'http:\/\/127.0.0.1:\d+\/users\/\d+'$/),
    })
    expect(verification.left.at(-1)?.reason).toBe(
      'several removals in a row failed, so that no more were sent',
    )
    expect(writes.filter((one) => one.startsWith('DELETE'))).toEqual([])
  })

  test('is listed when its removal changes nothing', async () => {
    const { verification } = await run(USERS, {}, async ({ method }) =>
      method === 'DELETE' ? new Response(null, { status: 204 }) : undefined,
    )

    expect(verification.left.map(({ reason }) => reason)).toContain(
      'its removal succeeded, but a removed record is still there',
    )
  })

  test('is listed when its removal is excluded', async () => {
    const { verification, writes } = await run(USERS, { exclude: ['DELETE'] })

    expect(writes.filter((one) => one.startsWith('DELETE'))).toEqual([])
    expect(verification.left[0]?.reason).toBe('excluded by --exclude')
    expect(verification.changes.creations[0]?.isRemovable).toBe(false)
  })

  test('is found in the list and removed when its creation got no response', async () => {
    const { verification, state } = await run(USERS, {}, async (request) => {
      if (request.method !== 'POST') return undefined
      await fetch(request)
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
      })
    })

    const left = [...state.values()].filter((one) => one.includes('verify-'))
    expect(left).toEqual([])
    expect(verification.created).toBeGreaterThan(0)
    expect(verification.left).toEqual([
      {
        what: expect.stringMatching(/^perhaps (a|\d+) records? in \/users$/),
        reason:
          'POST got no response: the server closed the connection before the response was complete',
      },
    ])
  })

  test('is found in the list and removed when its creation returned an error or no id', async () => {
    const { verification, state } = await run(USERS, {}, async (request) => {
      if (request.method !== 'POST') return undefined
      const isError = /Zo/.test(await request.clone().text())
      await fetch(request)
      return Response.json({}, { status: isError ? 500 : 200 })
    })

    const left = [...state.values()].filter((one) => one.includes('verify-'))
    expect(left).toEqual([])
    expect(verification.left).toContainEqual({
      what: expect.stringMatching(/^perhaps \d+ records in \/users$/),
      reason: 'the response to POST shows no id',
    })
  })

  test('may be left when its creation got no response, and there is no list', async () => {
    const { verification } = await run(
      { '/users': CREATE, '/users/{id}': USERS['/users/{id}'] },
      {},
      async ({ method }) => (method === 'POST' ? Response.json({}, { status: 500 }) : undefined),
    )

    expect(verification.left[0]).toEqual({
      what: expect.stringMatching(/^perhaps \d+ records in \/users$/),
      reason: expect.stringMatching(/^POST returned 500; search for "verify-\w{12}"/),
    })
  })

  test('is removed in reverse order, with what is below it', async () => {
    const paths = {
      ...USERS,
      '/users/{id}/keys': { parameters: [id], ...LIST, ...CREATE },
      '/users/{id}/keys/{key}': { parameters: [id, { ...id, name: 'key' }], ...READ, ...REMOVE },
    }
    const contract = await loadDocumentOf(paths)
    const { origin, state, received } = await serveCarelessly({
      state: STATE,
      collections: /^\/users(\/\d+\/keys)?$/,
      hasEnvelopes: false,
    })

    const { left } = await verify(origin, contract, { writes: true })

    expect(left).toEqual([])
    expect(Object.fromEntries(state)).toEqual(BEFORE)
    const removed = received.filter(({ method }) => method === 'DELETE').map(({ path }) => path)
    const lastKey = removed.findLastIndex((path) => path.includes('/keys/'))
    expect(removed.slice(lastKey + 1).every((path) => /^\/users\/\d+$/.test(path))).toBe(true)
  })
})

describe('a run that ends early', () => {
  test('after it was interrupted while a service did not answer, removes what it created', async () => {
    const stop = new AbortController()
    let reads = 0
    const { verification, state } = await run(
      USERS,
      { signal: stop.signal, timeout: '10m' },
      async ({ method, url }) => {
        if (method !== 'GET' || !/users\/\d+$/.test(url) || stop.signal.aborted) return undefined
        reads += 1
        if (reads < 3) return undefined
        queueMicrotask(() => stop.abort())
        return await new Promise<Response>(() => undefined)
      },
    )

    expect(verification.stopped).toBe('the run was interrupted')
    expect(verification.created).toBeGreaterThan(0)
    expect(Object.fromEntries(state)).toEqual(BEFORE)
  })

  test('does not end because a connection ends before a response to a read', async () => {
    const seen = new Set<string>()
    const { verification } = await run(USERS, {}, async ({ method, url }) => {
      if (method !== 'GET' || seen.has(url)) return undefined
      seen.add(url)
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
      })
    })

    const received = verification.checks.map((one) => one.received ?? '')
    expect(seen.size).toBeGreaterThan(2)
    expect(received.filter((text) => text.includes('closed the connection'))).toEqual([])
  })

  test('after it was interrupted, removes what it created', async () => {
    const stop = new AbortController()
    const { verification, state } = await run(
      USERS,
      { signal: stop.signal },
      async ({ method }) => {
        if (method === 'POST') stop.abort()
        return undefined
      },
    )

    expect(verification.stopped).toBe('the run was interrupted')
    expect(verification.created).toBe(1)
    expect(verification.left).toEqual([])
    expect(Object.fromEntries(state)).toEqual(BEFORE)
    expect(verification.checks.map(({ reason }) => reason)).toContain('the run was interrupted')
  })

  test('does not go on waiting after it was interrupted', async () => {
    const stop = new AbortController()
    const { verification } = await run(
      USERS,
      {
        signal: stop.signal,
        onProgress: ({ kind }) => {
          if (kind === 'wait') stop.abort()
        },
      },
      async ({ method }) =>
        method === 'POST'
          ? Response.json({}, { status: 429, headers: { 'Retry-After': '60' } })
          : undefined,
    )

    expect(verification.stopped).toBe('the run was interrupted')
    expect(verification.duration).toBeLessThan(30_000)
  })

  test('after its time limit, removes what it created', async () => {
    let time = 0
    const { verification, state } = await run(
      USERS,
      { timeLimit: '1s', now: () => time },
      async ({ method }) => {
        if (method === 'POST') time += 1000
        return undefined
      },
    )

    expect(verification.stopped).toBe('the time limit of 1 s is reached')
    expect(verification.created).toBe(1)
    expect(Object.fromEntries(state)).toEqual(BEFORE)
  })

  test('because the server cannot be tested, removes what it created', async () => {
    let posts = 0
    const { verification, state } = await run(USERS, {}, async ({ method }) => {
      posts += method === 'POST' ? 1 : 0
      return posts > 1 && method !== 'DELETE' ? Response.error() : undefined
    })

    expect(verification.created).toBe(1)
    expect(Object.fromEntries(state)).toEqual(BEFORE)
  })
})

test('a run says what it may change before the first request', async () => {
  const steps: Progress[] = []
  const { verification } = await run(
    { ...USERS, ...SETTINGS },
    {
      changes: true,
      onProgress: (step) => {
        steps.push(step)
      },
    },
  )

  const { target, contract, changes } = verification
  expect(steps[0]).toEqual({ kind: 'start', target, contract, changes })
})

test('only the selected operations are tested, and excluded ones are never sent', async () => {
  const { verification, writes } = await run(USERS, { only: ['/users/{id}'], exclude: ['DELETE'] })

  const tested = new Set(verification.checks.map(({ operation }) => operation))
  expect([...tested]).toEqual(['GET /users/{id}'])
  expect(reasonOf(verification, 'DELETE /users/{id}')).toBe('excluded by --exclude')
  expect(writes.filter((one) => one.startsWith('DELETE'))).toEqual([])
})

describe('a preview', () => {
  test('lists all requests in their order, without sending any', async () => {
    const contract = await loadDocumentOf(USERS)
    const sent: string[] = []

    const { requests, target, changes } = await preview('https://api.test/v7', contract, {
      writes: true,
      fetch: async ({ url }) => {
        sent.push(url)
        return Response.error()
      },
    })

    expect(sent).toEqual([])
    expect(target).toBe('https://api.test/v7')
    expect(changes.creations).toHaveLength(1)
    expect(requests[0]).toEqual({
      method: 'GET',
      url: 'https://api.test/v7/users',
      credentials: 'key',
      fromResponses: [],
    })
    const created = requests.findIndex(({ method }) => method === 'POST')
    expect(requests[created + 1]).toEqual({
      method: 'GET',
      url: 'https://api.test/v7/users/{id}',
      credentials: 'key',
      fromResponses: [{ name: 'id', request: created + 1 }],
    })
    expect(requests.findLast(({ method }) => method !== 'GET')).toMatchObject({
      method: 'DELETE',
      url: 'https://api.test/v7/users/{id}',
    })
  })

  test('has the same requests as a run against a sandbox, in number and kind', async () => {
    const contract = await loadDocumentOf(USERS)
    const { createSandbox } = await import('../index.ts')
    const sandbox = createSandbox({ contract })
    const sent: string[] = []

    await verify('http://api.test', contract, {
      writes: true,
      fetch: (request) => {
        sent.push(request.method)
        return sandbox.fetch(request)
      },
    })
    const { requests } = await preview('http://api.test', contract, { writes: true })

    expect(requests.map(({ method }) => method)).toEqual(sent)
  })

  test('reads only, without permission to write', async () => {
    const contract = await loadDocumentOf(USERS)
    const { requests, changes } = await preview('http://api.test', contract, { decisions: true })

    expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET', 'HEAD']))
    expect(changes).toEqual({ creations: [], settings: [] })
  })
})

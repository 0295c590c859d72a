import { describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../index.ts'
import { loadContract } from '../load.ts'
import { createMemoryHost } from '../sandbox/memory-host.ts'
import { openControl, readControlResponse } from '../testing/control.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { type Control, createControlOf, UNKNOWN_DOCUMENT } from './control.ts'

interface Sample {
  readonly method: string
  readonly path: string
  readonly query: [string, string][]
  readonly headers: [string, string][]
  readonly body?: string
  readonly contentType?: string
}

/** Sends a request that the control interface has suggested. */
function send(sandbox: Sandbox, sample: Sample): Promise<Response> {
  const { method, path, query, body, contentType } = sample
  const headers = new Headers(sample.headers)
  if (contentType !== undefined) headers.set('Content-Type', contentType)
  const url = `http://localhost${path}?${new URLSearchParams(query)}`

  return sandbox.fetch(new Request(url, { method, headers, ...(body !== undefined && { body }) }))
}

/** Media types, and the content types that requests state. */
const BODIES: readonly [mediaType: string, type: RegExp][] = [
  ['application/x-www-form-urlencoded', /^application\/x-www-form-urlencoded$/],
  ['multipart/form-data', /^multipart\/form-data; boundary=\S+$/],
  ['application/xml', /^application\/xml$/],
  ['application/merge-patch+json', /^application\/merge-patch\+json$/],
]

describe('the request for an operation', () => {
  test.each(['listPets', 'createPet', 'getPet'])('%s is valid', async (operation) => {
    const { sandbox, callControl } = openControl()

    const { body } = await callControl<Sample>('GET', `/operations/${operation}/request`)

    expect((await send(sandbox, body)).ok).toBe(true)
  })

  test('of each operation of another document is valid, in a world too', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    const { sandbox, callControl } = openControl({}, { contract, records: 3 })

    for (const { id } of contract.operations) {
      const path = `/operations/${encodeURIComponent(id)}/request`
      const { body } = await callControl<Sample>('GET', path)
      const inWorld = await callControl('GET', `/worlds/one${path}`)

      expect([id, (await send(sandbox, body)).status < 400]).toEqual([id, true])
      expect(inWorld.body.path).toBe(`/worlds/one${body.path}`)
    }
  })

  test.each(BODIES)('has a body of %s that the operation accepts', async (mediaType, type) => {
    const schema = {
      type: 'object',
      required: ['name', 'sizes'],
      properties: {
        name: { type: 'string', minLength: 3 },
        sizes: { type: 'array', minItems: 1, items: { type: 'integer' } },
        photo: { type: 'string', format: 'binary' },
      },
    }
    const contract = await loadDocumentOf({
      '/things': {
        post: {
          operationId: 'addThing',
          requestBody: { required: true, content: { [mediaType]: { schema } } },
          responses: { '201': { description: 'Added.' } },
        },
      },
    })
    const { sandbox, callControl } = openControl({}, { contract })

    const { body } = await callControl<Sample>('GET', '/operations/addThing/request')

    expect(body.contentType).toMatch(type)
    expect((await send(sandbox, body)).status).toBe(201)
  })

  test('has the key that is given', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('GET', '/operations/listPets/request?key=sk_sandbox_pro')

    expect(body.headers).toEqual([['Authorization', 'Bearer sk_sandbox_pro']])
  })
})

describe('the details of an operation', () => {
  test('have its parameters, its body and its responses', async () => {
    const { callControl } = openControl()

    const list = await callControl('GET', '/operations/listPets')
    const create = await callControl('GET', '/operations/createPet')

    expect(list.body).toMatchObject({
      operation: 'listPets',
      behaviour: 'list',
      secured: true,
      parameters: expect.arrayContaining([
        expect.objectContaining({ name: 'limit', in: 'query', required: false }),
      ]),
      responses: expect.arrayContaining([{ status: 429, examples: expect.anything() }]),
    })
    expect(create.body.body).toMatchObject({
      required: true,
      contentTypes: ['application/json'],
      schema: { required: ['name', 'categoryId'] },
    })
  })

  test('have the removal of a deprecated operation', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('GET', '/operations/getPet')

    expect(body).toMatchObject({ deprecated: true, removal: '2030-12-05T00:00:00.000Z' })
  })
})

test('a request is checked by the check of the API, and nothing counts it', async () => {
  const { sandbox, callControl } = openControl()
  const check = async (operation: string, request: object): Promise<unknown> => {
    const { body } = await callControl('POST', `/operations/${operation}/check`, { body: request })
    return body.errors
  }
  const json = { path: '/pets', contentType: 'application/json' }

  expect(await check('listPets', { path: '/pets', query: 'limit=0' })).toMatchObject([
    { location: 'query.limit', keyword: 'minimum' },
  ])
  expect(await check('createPet', { ...json, body: '{"name":1}' })).toMatchObject([
    { location: 'body.categoryId', message: 'is required' },
    { location: 'body.name', message: 'must be string' },
  ])
  expect(await check('createPet', { ...json, body: '{' })).toMatchObject([{ location: 'body' }])
  expect(await check('createPet', { ...json, contentType: 'a/b', body: '{}' })).toEqual([
    {
      location: 'body',
      message: 'The Content-Type of the body must be application/json (got a/b).',
    },
  ])
  expect(await check('createPet', { path: '/pets' })).toEqual([])
  expect(await check('getPet', { path: '/pets/x' })).toMatchObject([{ location: 'path' }])
  expect(await check('getPet', { path: '/pets' })).toMatchObject([{ location: 'path' }])
  expect(sandbox.journal.last).toBe(0)
})

describe('the mistakes of the document', () => {
  test('are counted for each operation, and listed in its details', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    const diagnostic = {
      reason: '"type" has the invalid value "objct"',
      location: 'library.yaml:11:30',
      assumed: 'the value is ignored',
      suggestion: 'object',
      allowed: ['object', 'string'],
    }
    const [first, second] = contract.operations.map(({ id }) => id)
    const control = createControlOf(
      createMemoryHost(createSandbox({ contract })),
      {},
      {
        ...UNKNOWN_DOCUMENT,
        operationDiagnostics: async () => new Map([[first ?? '', [diagnostic]]]),
      },
    )
    const read = (path: string): Promise<unknown> => readControl(control, path)

    expect(await read('/operations?diagnostics=true')).toMatchObject([
      { operation: first, diagnosticCount: 1 },
      ...contract.operations.slice(1).map(({ id }) => ({ operation: id, diagnosticCount: 0 })),
    ])
    expect(await read(`/operations/${first}`)).toMatchObject({ diagnostics: [diagnostic] })
    expect(await read(`/operations/${second}`)).toMatchObject({ diagnostics: [] })
    expect(await read(`/operations/${first}?diagnostics=false`)).toMatchObject({ diagnostics: [] })
  })
})

test('an operation says how sure it is what it does, and how many handlers it has until they are removed', async () => {
  const sandbox = createSandbox({ handlers: { listPets: ({ next }) => next() } })
  const { callControl } = openControl({}, sandbox)
  const remove = sandbox.use({ 'GET /pets': ({ next }) => next() })
  const read = async (): Promise<unknown> => {
    const [list, details] = await Promise.all([
      callControl<readonly object[]>('GET', '/operations'),
      callControl('GET', '/operations/listPets'),
    ])
    return [...list.body.slice(0, 2), details.body]
  }

  expect(await read()).toMatchObject([
    { operation: 'listPets', certainty: 'sure', handlers: 2 },
    { operation: 'createPet', certainty: 'sure' },
    { operation: 'listPets', certainty: 'sure', handlers: 2 },
  ])
  remove()
  expect(await read()).toMatchObject([
    { handlers: 1 },
    expect.not.objectContaining({ handlers: expect.anything() }),
    { handlers: 1 },
  ])
})

test('the descriptions of an operation are parts of CommonMark when they are asked for', async () => {
  const contract = await loadContract('src/testing/library.yaml')
  const [{ id } = { id: '' }] = contract.operations
  const documentation = {
    ...{ parameters: [], responses: [], schemas: {} },
    description: 'All **books** of <b>it</b>',
  }
  const control = createControlOf(
    createMemoryHost(createSandbox({ contract })),
    {},
    { ...UNKNOWN_DOCUMENT, documentation: async () => documentation },
  )

  expect(await readControl(control, `/operations/${id}`)).toMatchObject({ documentation })
  expect(await readControl(control, `/operations/${id}?texts=true`)).toMatchObject({
    documentation: {
      ...documentation,
      texts: {
        [documentation.description]: [
          {
            kind: 'paragraph',
            parts: ['All ', { kind: 'strong', parts: ['books'] }, ' of ', '<b>', 'it', '</b>'],
          },
        ],
      },
    },
  })
})

/** What a GET of the control interface answers. */
async function readControl(control: Control, path: string): Promise<unknown> {
  const request = new Request(`http://localhost/__sandbox${path}`)
  const response = await control.fetch(request, { address: '127.0.0.1' })
  return (await readControlResponse('GET', path, response)).body
}

test.each(['/operations/listPet', '/operations/listPet/request'])(
  'an unknown operation is a 404 that suggests another: %s',
  async (path) => {
    const { callControl } = openControl()

    const { status, body } = await callControl('GET', path)

    expect(status).toBe(404)
    expect(body.suggestion).toBe('listPets')
  },
)

test('the details of an operation tell what it does for some requests', async () => {
  const id = { type: 'integer' }
  const thing = { type: 'object', required: ['id'], properties: { id, name: { type: 'string' } } }
  const content = { 'application/json': { schema: thing } }
  const sent = { type: 'object', properties: { id, method: { type: 'string' } } }
  const when = { 'body.method': ['get', 'read'] }
  const cases = [{ when, resource: 'things', action: 'read', ids: '/id', record: '' }]
  const contract = await loadDocumentOf(
    {
      '/rpc': {
        post: {
          operationId: 'call',
          'x-sandbox': { resource: false, cases },
          requestBody: { content: { 'application/json': { schema: sent } } },
          responses: { 200: { description: '', content } },
        },
      },
    },
    {
      'x-sandbox': { resources: { '/things': { resource: 'things', schema: 'Thing' } } },
      components: { schemas: { Thing: thing } },
    },
  )
  const { callControl } = openControl({}, { contract })

  const { body } = await callControl('GET', '/operations/call')

  expect(body).toMatchObject({
    behaviour: 'stateless',
    cases: [{ when: 'body.method is ["get","read"]', behaviour: 'read', resource: 'things' }],
  })
})

test('an operation below records, and a request for it, read only what its path leads to', async () => {
  const id = { type: 'string' }
  const thing = { type: 'object', required: ['id'], properties: { id, name: { type: 'string' } } }
  const shown = (schema: object) => ({
    responses: { 200: { description: '', content: { 'application/json': { schema } } } },
  })
  const inPath = { name: 'shopId', in: 'path', required: true, schema: id }
  const contract = await loadDocumentOf({
    '/shops': { get: shown({ type: 'array', items: thing }) },
    '/shops/{shopId}': { get: { ...shown(thing), parameters: [inPath] } },
    '/shops/{shopId}/pens': {
      get: {
        ...shown({ type: 'array', items: thing }),
        operationId: 'listPens',
        parameters: [inPath],
      },
    },
    '/shops/{shopId}/towers/{tower}/bells': { get: shown({ type: 'array', items: thing }) },
    '/towns': { get: shown({ type: 'array', items: thing }) },
  })
  const reads: string[] = []
  const operations = contract.operations.map((one) =>
    Object.create(one, {
      hints: {
        get: () => {
          reads.push(one.path)
          return one.hints
        },
      },
    }),
  )
  const { callControl } = openControl({}, { contract: { ...contract, operations } })

  const { body: pens } = await callControl('GET', '/operations/listPens')
  const { body } = await callControl('GET', '/operations/listPens/request')
  const { body: shops } = await callControl<{ id: string }[]>('GET', '/records/shops?limit=1')

  expect(pens).toMatchObject({ behaviour: 'list', certainty: 'sure' })
  expect(body.path).toBe(`/shops/${shops[0]?.id}/pens`)
  expect(reads).not.toContain('/towns')
  expect(reads).not.toContain('/shops/{shopId}/towers/{tower}/bells')
})

import { describe, expect, test } from 'vitest'
import { openControl } from '../testing/control.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { JsonObject } from '../testing/responses.ts'

const NODE = {
  type: 'object',
  required: ['id', 'name', 'state'],
  properties: {
    id: { type: 'integer', readOnly: true },
    name: { type: 'string', minLength: 1 },
    state: { type: 'string', enum: ['open', 'closed'], default: 'open' },
    created: { type: 'string', format: 'date-time', readOnly: true },
    children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
  },
}

/** The paths of a collection and its items. */
function collectionPaths(path: string): object {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } }
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const parameters = (given: readonly (string | undefined)[]): readonly object[] =>
    given.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  const one = { '200': { description: 'One', content } }

  return {
    [path]: {
      parameters: parameters(names),
      get: {
        responses: {
          '200': {
            description: 'All',
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
              },
            },
          },
        },
      },
      post: { requestBody: { content }, responses: { '201': { description: 'New', content } } },
    },
    [`${path}/{nodeId}`]: {
      parameters: parameters([...names, 'nodeId']),
      get: { responses: one },
    },
  }
}

async function open(): Promise<ReturnType<typeof openControl>> {
  const paths = { ...collectionPaths('/nodes'), ...collectionPaths('/orgs/{org}/repos') }
  const components = { schemas: { Node: NODE } }
  return openControl({}, { contract: await loadDocumentOf(paths, { components }) })
}

describe('the description of a collection', () => {
  test('has each property of a record, and whether a new record needs it', async () => {
    const { callControl } = await open()

    const { body } = await callControl<{ properties: JsonObject[] }>('GET', '/collections/nodes')

    const facts = body.properties.map(
      ({ name, required, readOnly }) => [name, required, readOnly] as const,
    )
    expect(facts).toEqual([
      ['id', false, true],
      ['name', true, false],
      ['state', false, false],
      ['created', false, true],
      ['children', false, false],
    ])
    expect(body).toMatchObject({ name: 'nodes', id: 'id', count: expect.any(Number) })
    expect(body.properties[2]?.schema).toMatchObject({ enum: ['open', 'closed'] })
  })

  test('ends where a schema contains itself', async () => {
    const { callControl } = await open()

    const { body } = await callControl<{ schema: { properties: JsonObject } }>(
      'GET',
      '/collections/nodes',
    )

    expect(body.schema.properties.name).toEqual({ type: 'string', minLength: 1 })
    expect(JSON.stringify(body).length).toBeLessThan(10_000)
  })

  test.each(['orgs/acme/repos', 'orgs%2Facme%2Frepos'])(
    'is found for a collection below records by the path %s',
    async (path) => {
      const { control } = await open()
      const request = new Request(`http://localhost/__sandbox/collections/${path}`)

      const response = await control.fetch(request, { address: '127.0.0.1' })

      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ name: 'orgs/acme/repos', id: 'id' })
    },
  )

  test('suggests a name for an unknown one', async () => {
    const { callControl } = await open()

    const { status, body } = await callControl('GET', '/collections/node')

    expect(status).toBe(404)
    expect(body.suggestion).toBe('nodes')
  })
})

test('the mistake of a record has the location of its property', async () => {
  const { callControl } = await open()

  const { status, body } = await callControl('POST', '/records/nodes', {
    body: { name: 'a', state: 'ajar' },
  })

  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_record', location: 'state' })
})

test('all mistakes of a record are listed, in a message of one line', async () => {
  const { callControl } = await open()

  const { body } = await callControl('POST', '/records/nodes', {
    body: { nme: 'a', name: '', state: 'ajar' },
  })

  expect(body.message).toMatch(
    /^Cannot change nodes: 3 mistakes\. unknown property "nme"\. Did you/,
  )
  expect(body.message).not.toContain('\\n')
  expect(body.errors).toMatchObject([
    { location: 'nme', suggestion: 'name' },
    { location: 'name' },
    { location: 'state' },
  ])
})

test.each<[changes: object, location: string]>([
  [{ name: '' }, 'name'],
  [{ state: 'ajar' }, 'state'],
  [{ created: 'today' }, 'created'],
])('an edit with %j is refused with the location %s', async (changes, location) => {
  const { callControl } = await open()
  const created = await callControl('POST', '/records/nodes', { body: { name: 'a' } })
  const path = `/records/nodes/${created.body.id}`

  const { status, body } = await callControl('PATCH', path, { body: changes })

  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_record', location })
  expect((await callControl('GET', path)).body).toEqual(created.body)
})

test('a collection says which properties refer to other collections, and which refer to it', async () => {
  const record = (properties: object) => ({
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer', readOnly: true }, ...properties },
  })
  const list = (schema: object) => ({
    get: {
      responses: {
        '200': {
          description: 'All',
          content: { 'application/json': { schema: { type: 'array', items: schema } } },
        },
      },
    },
  })
  const contract = await loadDocumentOf({
    '/zoos': list(record({ name: { type: 'string' } })),
    '/animals': list(record({ zooId: { type: 'integer' } })),
  })
  const { callControl } = openControl({}, { contract })
  const read = async (path: string) => (await callControl('GET', `/collections/${path}`)).body

  expect((await read('animals')).properties).toMatchObject([
    { name: 'id' },
    { name: 'zooId', refersTo: 'zoos' },
  ])
  expect(await read('zoos')).not.toHaveProperty('referredBy')
  expect(await read('zoos?links=true')).toMatchObject({
    below: [],
    referredBy: [{ collection: 'animals', property: 'zooId' }],
  })
})

describe('the list of collections', () => {
  test('has no counts of those that were not counted within the wait', async () => {
    const { callControl } = await open()
    await callControl('GET', '/records?counts=false')

    const { body } = await callControl('GET', '/records?wait=0')
    const { body: all } = await callControl('GET', '/records?wait=5000')

    expect(body).toEqual([{ name: 'nodes' }, { name: 'orgs/{org}/repos' }])
    expect(all).toEqual([
      { name: 'nodes', count: 25 },
      { name: 'orgs/{org}/repos', count: 0, opened: [] },
    ])
  })
})

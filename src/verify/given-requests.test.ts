import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import type { NamedRequests } from './session/given-requests.ts'
import { verify } from './verify.ts'

const text = { type: 'string' }
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const properties = {
  name: text,
  kind: text,
  ownerId: { type: 'integer' },
  servers: { type: 'array', items: text },
}
const record = {
  type: 'object',
  properties: { id: { type: 'integer', readOnly: true }, ...properties },
}
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }

const contract = await loadDocumentOf({
  '/zones': {
    get: {
      operationId: 'listZones',
      parameters: [
        { name: 'view', in: 'query', required: true, schema: text },
        { name: 'region', in: 'query', schema: text },
      ],
      responses: { 200: { description: 'OK', ...json({ type: 'array', items: record }) } },
    },
    post: {
      operationId: 'createZone',
      requestBody: { required: true, ...json({ type: 'object', required: ['name'], properties }) },
      responses: { 201: { description: 'Created.', ...json(record) } },
    },
  },
  '/zones/{id}': {
    parameters: [id],
    get: { operationId: 'getZone', responses: { 200: { description: 'OK', ...json(record) } } },
    delete: { operationId: 'deleteZone', responses: { 204: { description: 'Gone.' } } },
  },
  '/reports/{year}': {
    parameters: [{ name: 'year', in: 'path', required: true, schema: { type: 'integer' } }],
    get: { operationId: 'getReport', responses: { 200: { description: 'OK', ...json(record) } } },
  },
})

/** The requests of a run with values that the user gave. */
async function sentWith(requests: NamedRequests, only: readonly string[]): Promise<Request[]> {
  const sandbox = createSandbox({ contract })
  const sent: Request[] = []
  await verify('http://api.test', contract, {
    ...{ writes: true, only, requests },
    fetch: async (request) => {
      sent.push(request.clone())
      return await sandbox.fetch(request)
    },
  })
  return sent
}

test('a body that is given is sent, with a new name for each record', async () => {
  const body = { name: 'example.org', kind: 'primary', ownerId: 77, servers: ['ns1', 'ns2'] }

  const sent = await sentWith({ 'POST /zones': { body } }, ['createZone'])

  const bodies = await Promise.all(
    sent.filter(({ method }) => method === 'POST').map((one): Promise<unknown> => one.json()),
  )
  const given = bodies.filter((one) => isObject(one) && one.kind === 'primary').filter(isObject)
  expect(given.length).toBeGreaterThan(1)
  expect(given).toContainEqual(expect.objectContaining({ ownerId: 77, servers: ['ns1', 'ns2'] }))
  expect(new Set(given.map(({ name }) => name)).size).toBe(given.length)
})

test('parameters that are given are sent, optional ones too, and those of the path in requests that read', async () => {
  const list = { parameters: { view: 'internal', region: 'north east' } }

  const sent = await sentWith({ listZones: list, getReport: { parameters: { year: 2019 } } }, [
    'listZones',
    'getReport',
  ])

  const urls = sent.map(({ url }) => new URL(url))
  const lists = urls.filter(({ pathname }) => pathname === '/zones')
  expect(lists.map(({ searchParams }) => Object.fromEntries(searchParams))).toContainEqual({
    view: 'internal',
    region: 'north east',
  })
  expect(urls.map(({ pathname }) => pathname)).toContain('/reports/2019')
})

test.each<[NamedRequests, string]>([
  [{ createZones: { body: {} } }, 'Did you mean "createZone"?'],
  [{ createZone: { parameters: { nme: 1 } } }, 'unknown parameter "nme"'],
  [{ listZones: { parameters: { vew: 1 } } }, 'Did you mean "view"?'],
  [{ listZones: { body: {} } }, 'the operation has no body'],
])('values for %j are refused', async (requests, message) => {
  await expect(sentWith(requests, [])).rejects.toThrow(message)
})

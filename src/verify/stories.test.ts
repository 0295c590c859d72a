import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { createTexts } from '../document/document-texts.ts'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { verify } from './verify.ts'

const text = { type: 'string' }
const repo = {
  type: 'object',
  required: ['slug', 'title'],
  properties: { slug: { type: 'string', readOnly: true }, title: text, stars: { type: 'integer' } },
}
const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answer = (status: number, schema: object): object => ({
  [status]: { description: 'An answer.', ...json(schema) },
})
const one = { type: 'object', required: ['repo'], properties: { repo } }
const many = {
  type: 'object',
  required: ['items'],
  properties: { items: { type: 'array', items: repo } },
}
const body = {
  required: true,
  ...json({ type: 'object', required: ['repo'], properties: { repo } }),
}
const notFound = answer(404, { type: 'object', properties: { message: text } })
const parameter = (name: string): object => ({ name, in: 'path', required: true, schema: text })

let contract: Contract

beforeAll(async () => {
  contract = await loadDocumentOf({
    '/orgs/{org}/repos': {
      parameters: [parameter('org')],
      get: { responses: answer(200, many) },
      post: { requestBody: body, responses: answer(201, one) },
    },
    '/orgs/{org}/repos/{slug}': {
      parameters: [parameter('org'), parameter('slug')],
      get: { responses: { ...answer(200, one), ...notFound } },
      patch: { requestBody: body, responses: { ...answer(200, one), ...notFound } },
      delete: { responses: { 204: { description: 'Removed.' }, ...notFound } },
    },
  })
})

type Send = (request: Request) => Promise<Response>

/** The outcomes of the checks by id, with something between verify and the sandbox. */
async function outcomes(
  between: (request: Request, send: Send) => Promise<Response>,
): Promise<Readonly<Record<string, string>>> {
  const sandbox = createSandbox({ contract })
  const { checks } = await verify('http://target.test', contract, {
    writes: true,
    data: { orgs: ['acme'] },
    fetch: (request) => between(request, (one) => sandbox.fetch(one)),
  })
  return Object.fromEntries(checks.map(({ id, status }) => [id, status]))
}

const READ = 'GET /orgs/{org}/repos/{slug}'
const LIST = 'GET /orgs/{org}/repos'
const CHANGE = 'PATCH /orgs/{org}/repos/{slug}'
const REMOVE = 'DELETE /orgs/{org}/repos/{slug}'

describe('the records of a resource below a parent, in envelopes,', () => {
  test('are created, read, listed, changed and removed', async () => {
    const found = await outcomes((request, send) => send(request))

    expect(Object.values(found)).not.toContain('failed')
    expect(found).toMatchObject({
      [`${READ}/listed`]: 'passed',
      [`${READ}/absent=verify-absent`]: 'passed',
      [`${READ}/created`]: 'passed',
      [`${LIST}/created`]: 'passed',
      [`${CHANGE}/created`]: 'passed',
      [`${READ}/after/${CHANGE}`]: 'passed',
      [`${REMOVE}/created`]: 'passed',
      [`${READ}/after/${REMOVE}`]: 'passed',
    })
  })

  test.each<[what: string, id: string, method: string]>([
    ['forgets what is created', `${READ}/created`, 'POST'],
    ['forgets what is changed', `${READ}/after/${CHANGE}`, 'PATCH'],
    ['keeps what is removed', `${READ}/after/${REMOVE}`, 'DELETE'],
  ])('are missed by a check when the server %s', async (_what, id, method) => {
    const found = await outcomes(async (request, send) => {
      if (request.method !== method) return send(request)
      const { pathname } = new URL(request.url)
      if (method === 'DELETE') return new Response(null, { status: 204 })
      const { repo: sent } = JSON.parse(await request.text())
      const slug = method === 'POST' ? 'forgotten' : pathname.split('/').at(-1)
      const status = method === 'POST' ? 201 : 200
      return Response.json({ repo: { ...sent, slug } }, { status })
    })

    expect(found[id]).toBe('failed')
  })
})

test.each([
  ['a bed takes a second stay', 'createStay', 'createStay/stated/status=occupied'],
  ['a bed is removed with its stay', 'removeBed', 'removeBed/stated/status=occupied'],
])('what is below a record brings it into the state in which %s', async (_what, fault, check) => {
  const number = { type: 'integer' }
  const status = { type: 'string', enum: ['free', 'occupied'], readOnly: true }
  const bed = { type: 'object', properties: { id: { ...number, readOnly: true }, status } }
  const stay = { type: 'object', properties: { id: { ...number, readOnly: true }, name: text } }
  const refusals = { ...notFound, 409: { description: 'A conflict.' } }
  const inBed = { parameters: [{ ...parameter('bedId'), schema: number }] }
  const paths = {
    '/beds': { post: { requestBody: json(bed), responses: answer(201, bed) } },
    '/beds/{bedId}': {
      ...inBed,
      get: { responses: { ...answer(200, bed), ...notFound } },
      delete: {
        operationId: 'removeBed',
        description: 'An occupied bed cannot be removed (409).',
        responses: { 204: { description: 'Removed.' }, ...refusals },
      },
    },
    '/beds/{bedId}/stays': {
      ...inBed,
      post: {
        operationId: 'createStay',
        description: '409 when the bed is occupied.',
        requestBody: { required: true, ...json(stay) },
        responses: { ...answer(201, stay), ...refusals },
      },
    },
    '/beds/{bedId}/stays/{id}': {
      parameters: ['bedId', 'id'].map((name) => ({ ...parameter(name), schema: number })),
      get: { responses: { ...answer(200, stay), ...notFound } },
    },
  }
  const beds = await loadDocumentOf(paths)
  const conflict = (): Response => Response.json({}, { status: 409 })
  const failedWith = async (broken: string): Promise<readonly string[]> => {
    const sandbox = createSandbox({ contract: beds })
    const occupied = new Set<string>()
    const onStays = async (request: Request, id: string): Promise<Response> => {
      const isNew = request.method === 'POST'
      if (isNew && occupied.has(id) && broken !== 'createStay') return conflict()
      const response = await sandbox.fetch(request)
      if (isNew && response.status === 201) occupied.add(id)
      return response
    }
    const onBed = async (request: Request, id: string): Promise<Response> => {
      const isRemoval = request.method === 'DELETE'
      if (isRemoval && occupied.has(id) && broken !== 'removeBed') return conflict()
      const response = await sandbox.fetch(request)
      if (response.status > 201) return response
      const shown = { ...(await response.json()), status: occupied.has(id) ? 'occupied' : 'free' }
      return Response.json(shown, { status: response.status })
    }
    const { checks } = await verify('http://beds.test', beds, {
      ...{ writes: true, texts: createTexts({ paths }) },
      fetch: (request) => {
        const [, , id = '', below] = new URL(request.url).pathname.split('/')
        return below === undefined ? onBed(request, id) : onStays(request, id)
      },
    })
    return checks.flatMap(({ id, status: outcome }) => (outcome === 'failed' ? [id] : []))
  }

  expect(await failedWith('none')).not.toContain(check)
  expect(await failedWith(fault)).toContain(check)
})

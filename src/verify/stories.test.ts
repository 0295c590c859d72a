import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
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

import { expect, test } from 'vitest'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { verify } from '../verify.ts'

const json = (schema: object): object => ({ content: { 'application/json': { schema } } })
const text = { type: 'string' }
const version = { ETag: { required: true, schema: text } }
const note = {
  ...{ type: 'object', required: ['text'] },
  properties: { id: { type: 'integer', readOnly: true }, text },
}
const body = { requestBody: { required: true, ...json(note) } }
const empty = (...statuses: readonly number[]): object =>
  Object.fromEntries(statuses.map((one) => [one, { description: 'An answer.' }]))
const contract = await loadDocumentOf({
  '/notes': { post: { ...body, responses: { 201: { description: 'New.', ...json(note) } } } },
  '/notes/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: {
      responses: { 200: { description: 'One.', headers: version, ...json(note) }, ...empty(404) },
    },
    put: {
      parameters: [{ name: 'If-Match', in: 'header', required: true, schema: text }],
      ...body,
      responses: {
        ...{ 200: { description: 'Changed.', ...json(note) } },
        ...empty(400, 404, 412, 428),
      },
    },
    delete: { responses: empty(204, 404) },
  },
})

interface Note {
  readonly text: string
  readonly version: number
}

const none = (status: number): Response => new Response(null, { status })

/** A service that keeps notes, and answers with a status to a change without a version. */
function service(withoutVersion: number): (request: Request) => Promise<Response> {
  const kept = new Map<number, Note>()
  let lastId = 0
  return async (request) => {
    if (request.method === 'POST') lastId += 1
    const id = Number(new URL(request.url).pathname.split('/')[2] ?? lastId)
    const found = kept.get(id)
    if (request.method === 'POST') return await save(request, id)
    if (!found) return none(404)
    if (request.method === 'PUT') return refusal(request, found) ?? (await save(request, id))
    if (request.method === 'DELETE') return kept.delete(id) ? none(204) : none(404)
    return Response.json({ id, text: found.text }, { headers: { ETag: `"${found.version}"` } })
  }

  function refusal({ headers }: Request, { version: current }: Note): Response | undefined {
    const wanted = headers.get('If-Match')
    if (wanted === null) return withoutVersion === 200 ? undefined : none(withoutVersion)
    return wanted === `"${current}"` ? undefined : none(412)
  }

  async function save(request: Request, id: number): Promise<Response> {
    const sent = await request.json().catch(() => undefined)
    if (typeof sent?.text !== 'string') return none(400)
    const found = kept.get(id)
    kept.set(id, { text: sent.text, version: (found?.version ?? 0) + 1 })
    return Response.json({ id, text: sent.text }, { status: found ? 200 : 201 })
  }
}

/** The checks that fail. */
async function failed(withoutVersion: number): Promise<readonly string[]> {
  const fetch = service(withoutVersion)
  const { checks } = await verify('http://notes.test', contract, { writes: true, fetch })
  return checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
}

test('a change has the version of the record, where the document wants one', async () => {
  expect(await failed(428)).toEqual([])
})

test('a service that changes a record without a version is found', async () => {
  expect(await failed(200)).toEqual(['PUT /notes/{id}/if-match/missing'])
})

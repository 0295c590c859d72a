import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { isObject } from '../validation/objects.ts'
import { verify } from './verify.ts'

const TYPE = 'application/vnd.api+json'
const content = (schema: object): object => ({ content: { [TYPE]: { schema } } })
const attributes = {
  name: { type: 'string', minLength: 1, maxLength: 60 },
  email: { type: 'string', format: 'email' },
  score: { type: 'integer', minimum: 0, maximum: 100 },
}
/** A record as JSON:API has it: its values are in `attributes`. */
const inData = (required: readonly string[], more: object = {}): object => ({
  type: 'object',
  required: ['data'],
  properties: {
    data: {
      type: 'object',
      required: ['type', 'attributes'],
      properties: {
        type: { const: 'contacts' },
        attributes: { type: 'object', required, properties: attributes },
        ...more,
      },
    },
  },
})
const shown = inData(['name', 'email'], { id: { type: 'string', readOnly: true } })
const ok = (description: string, schema: object): object => ({ description, ...content(schema) })
const contract = await loadDocumentOf({
  '/contacts': {
    post: {
      operationId: 'create',
      requestBody: { required: true, ...content(inData(['name', 'email'])) },
      responses: { 201: ok('New.', shown), 409: { description: 'Known.' } },
    },
  },
  '/contacts/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    get: {
      operationId: 'get',
      responses: { 200: ok('One.', shown), 404: { description: 'None.' } },
    },
    patch: {
      operationId: 'change',
      requestBody: { required: true, ...content(inData([])) },
      responses: { 200: ok('Changed.', shown), 404: { description: 'None.' } },
    },
    delete: { operationId: 'remove', responses: { 204: { description: 'Gone.' } } },
  },
})

/** The failed checks of a service in which no two contacts have the same email. `answer` may answer instead. */
async function failed(
  answer: (request: Request, text: string) => Response | string | undefined = () => undefined,
): Promise<readonly string[]> {
  const sandbox = createSandbox({ contract })
  const emails = new Set<unknown>()
  const { checks } = await verify('http://api.test', contract, {
    writes: true,
    fetch: async (request) => {
      const text = await request.clone().text()
      const other = answer(request, text)
      if (other instanceof Response) return other
      const sent = other ?? text
      const email = /"email":"([^"]*)"/.exec(sent)?.[1]
      if (request.method === 'POST' && emails.has(email)) return new Response(null, { status: 409 })
      const response = await sandbox.fetch(
        other === undefined ? request : new Request(request, { body: sent }),
      )
      if (response.status === 201) emails.add(email)
      return response
    },
  })
  return checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
}

test('attributes of JSON:API get values that no other record has', async () => {
  expect(await failed()).toEqual([])
})

test('attributes that a service changes are found', async () => {
  const found = await failed((request, text) =>
    request.method === 'POST' ? text.replace(/[^\x20-\x7e]/g, '?') : undefined,
  )

  expect(found).toContain('create/values/unusual/shown')
})

test('a change of attributes that is not done is found', async () => {
  const found = await failed((request, text) => {
    const body: unknown = request.method === 'PATCH' ? safeParse(text) : undefined
    const isValid = isObject(body) && isObject(body.data) && isObject(body.data.attributes)
    return isValid ? JSON.stringify({ data: { type: 'contacts', attributes: {} } }) : undefined
  })

  expect(found).toContain('get/after/change')
})

test('a response to a change that shows the values before it is found', async () => {
  const before = {
    type: 'contacts',
    id: '1',
    attributes: { name: 'Before', email: 'b@example.com' },
  }
  const found = await failed((request) =>
    request.method === 'PATCH'
      ? Response.json({ data: before }, { headers: { 'Content-Type': TYPE } })
      : undefined,
  )

  expect(found).toContain('change/shown')
})

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

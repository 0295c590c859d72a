import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { Verification } from './verification.ts'
import { verify } from './verify.ts'

/** Verifies the sandbox of a document with these paths, and collects the bodies of its requests. */
async function run(paths: object): Promise<Verification & { readonly sent: readonly string[] }> {
  const contract = await loadDocumentOf(paths)
  const sandbox = createSandbox({ contract })
  const sent: string[] = []
  const verification = await verify('http://target.test', contract, {
    writes: true,
    decisions: true,
    fetch: async (request) => {
      sent.push(await request.clone().text())
      const response = await sandbox.fetch(request)
      // What the global `fetch` does with this status.
      if (response.status === 407) throw new TypeError('fetch failed')
      return response
    },
  })
  return { ...verification, sent }
}

const json = (schema: object): object => ({ 'application/json': { schema } })
const answer = (status: number, schema?: object): object => ({
  [status]: { description: 'An answer.', ...(schema && { content: json(schema) }) },
})
const text = { type: 'string' }
const error = { type: 'object', properties: { error: text } }
const book = { type: 'object', required: ['title'], properties: { title: text } }
const item = { type: 'object', properties: { id: text, title: text } }
const labels = { type: 'object', required: ['note'], properties: { name: text, note: text } }

test.each<[what: string, paths: object]>([
  ['an operation that has only a 304', { '/cached': { get: { responses: answer(304) } } }],
  [
    'an operation that switches the protocol',
    { '/session': { post: { responses: { ...answer(101), ...answer(400, error) } } } },
  ],
  ['a status that fetch cannot read', { '/proxy': { get: { responses: answer(407) } } }],
  [
    'a parameter that may be null',
    {
      '/logs': {
        get: {
          parameters: [
            { name: 'after', in: 'query', schema: { type: ['string', 'null'], minLength: 1 } },
          ],
          responses: { ...answer(200), ...answer(422) },
        },
      },
    },
  ],
  [
    'errors that no body can match',
    {
      '/codes': {
        post: {
          requestBody: { required: true, content: json(book) },
          responses: {
            ...answer(200),
            ...answer(400, { oneOf: [error, { ...error, description: 'The same.' }] }),
          },
        },
      },
    },
  ],
  [
    'a creation that answers with a list',
    {
      '/books': {
        get: { responses: answer(200, { type: 'array', items: item }) },
        post: {
          requestBody: { required: true, content: json(book) },
          responses: answer(201, {
            type: 'array',
            minItems: 1,
            items: { ...item, required: ['id'] },
          }),
        },
      },
      '/books/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: { responses: answer(200, item) },
      },
    },
  ],
  [
    'a creation that takes a list',
    {
      '/books': {
        get: { responses: answer(200, { type: 'array', items: item }) },
        post: {
          requestBody: { required: true, content: json({ type: 'array', items: book }) },
          responses: answer(201, item),
        },
      },
      '/books/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: { responses: answer(200, item) },
      },
    },
  ],
  [
    'an exploded object in the style label',
    {
      '/shelves/{filter}/map': {
        get: {
          parameters: [
            {
              name: 'filter',
              in: 'path',
              required: true,
              style: 'label',
              explode: true,
              schema: labels,
              example: { name: 'Ink', note: 'Version 1.5 of a note.' },
            },
          ],
          responses: answer(200),
        },
      },
    },
  ],
])('finds nothing in the sandbox of %s', async (_what, paths) => {
  const { checks, unusable } = await run(paths)

  expect(unusable).toBeUndefined()
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
})

const one = {
  parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
  get: { responses: { ...answer(200), ...answer(404) } },
}

test.each<[what: string, schema: object, sent: string]>([
  ['a text', { ...text, example: 'a < b' }, '<body>a &lt; b</body>'],
  ['XML as a text', { ...text, example: '<rule/>' }, '<rule/>'],
  [
    'an object',
    {
      type: 'object',
      required: ['id', 'tags'],
      properties: {
        id: { type: 'integer', const: 7, xml: { attribute: true } },
        tags: { type: 'array', minItems: 2, maxItems: 2, items: { const: 'x', type: 'string' } },
      },
      additionalProperties: false,
      xml: { name: 'rule' },
    },
    '<rule id="7"><tags>x</tags><tags>x</tags></rule>',
  ],
])('sends %s in the format XML', async (_what, schema, expected) => {
  const content = { 'application/xml': { schema } }
  const post = { requestBody: { required: true, content }, responses: answer(200) }

  const { checks, sent } = await run({ '/rules': { post }, '/rules/{id}': one })

  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
  expect(sent.map((one) => one.replace(/^<\?xml.*\n/, '').trim())).toContain(expected)
})

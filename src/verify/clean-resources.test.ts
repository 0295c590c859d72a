import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { verify } from './verify.ts'

const KEY = 'sk_sandbox_pro'
const text = { type: 'string' }
const item = { type: 'object', properties: { id: text, genre: text } }
const json = (schema: object): object => ({ 'application/json': { schema } })
const answer = (status: number, schema?: object): object => ({
  [status]: { description: 'An answer.', ...(schema && { content: json(schema) }) },
})
const books = { type: 'array', items: item }
const inPath = { name: 'id', in: 'path', required: true, schema: text }
const secured = (scheme: object): object => ({
  components: { securitySchemes: { key: scheme } },
  security: [{ key: [] }],
})
const node = '#/paths/~1nodes/get/responses/200/content/application~1json/schema'

test.each<[what: string, paths: object, root?: object]>([
  [
    'a record that is read in a list of one',
    {
      '/books': { get: { responses: answer(200, books) } },
      '/books/{id}': { parameters: [inPath], get: { responses: answer(200, books) } },
    },
  ],
  [
    'a record whose id clients choose, and that is read in a list of one',
    {
      '/books': {
        get: { responses: answer(200, books) },
        post: {
          requestBody: { required: true, content: json({ ...item, required: ['id'] }) },
          responses: { ...answer(200, item), ...answer(409) },
        },
      },
      '/books/{id}': { parameters: [inPath], get: { responses: answer(200, books) } },
    },
  ],
  [
    'a record with several paths',
    {
      '/shelves': { get: { responses: answer(200, books) } },
      '/shelves/{shelf}': {
        parameters: [{ ...inPath, name: 'shelf' }],
        get: { responses: { ...answer(200, item), ...answer(404) } },
      },
      '/shelves/{shelf}/books': {
        parameters: [{ ...inPath, name: 'shelf' }],
        get: { responses: { ...answer(200, books), ...answer(404) } },
        post: { requestBody: { content: json(item) }, responses: answer(201, item) },
      },
      '/books/{id}': {
        parameters: [inPath],
        get: { responses: { ...answer(200, item), ...answer(404) } },
        delete: { responses: { ...answer(204), ...answer(404) } },
      },
    },
  ],
  [
    'records that are removed below others',
    {
      '/books/{id}': {
        parameters: [inPath],
        get: { responses: answer(200, item) },
        delete: { responses: answer(204) },
      },
      '/books/{id}/cover': {
        parameters: [inPath],
        get: { responses: answer(200, item) },
        delete: { responses: answer(200) },
      },
    },
  ],
  [
    'a required property with a default',
    {
      '/books': {
        get: { responses: answer(200, books) },
        post: {
          requestBody: {
            required: true,
            content: json({
              type: 'object',
              required: ['genre'],
              properties: { genre: { enum: ['novel', 'essay'], default: 'novel' } },
            }),
          },
          responses: { ...answer(201, item), ...answer(400) },
        },
      },
      '/books/{id}': { parameters: [inPath], get: { responses: answer(200, item) } },
    },
  ],
  [
    'a filter that has fewer values than the records',
    {
      '/books': {
        get: {
          parameters: [
            {
              name: 'genre',
              in: 'query',
              schema: { type: 'array', items: { enum: ['novel', 'essay'] } },
            },
          ],
          responses: { ...answer(200, books), ...answer(400) },
        },
      },
      '/books/{id}': { parameters: [inPath], get: { responses: answer(200, item) } },
    },
  ],
  [
    'a key that is a parameter with an example, too',
    {
      '/books': {
        get: {
          parameters: [
            { name: 'apikey', in: 'query', required: true, schema: text, example: 'YOUR_KEY' },
          ],
          responses: { ...answer(200), ...answer(401) },
        },
      },
    },
    secured({ type: 'apiKey', in: 'query', name: 'apikey' }),
  ],
  [
    'a single record that requests with any key remove',
    {
      '/settings': {
        get: { responses: answer(200, item) },
        delete: { responses: { ...answer(200), ...answer(404) } },
      },
    },
    secured({
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'https://example.com/token', scopes: {} } },
    }),
  ],
  [
    'a schema that no finite value matches',
    {
      '/nodes': {
        get: {
          responses: answer(200, {
            type: 'object',
            required: ['parent'],
            properties: { parent: { $ref: node } },
          }),
        },
      },
    },
  ],
  [
    'a form without required fields',
    {
      '/images': {
        post: {
          requestBody: {
            content: {
              'application/x-www-form-urlencoded': {
                schema: { type: 'object', required: ['image'], properties: { image: text } },
              },
            },
          },
          responses: { ...answer(200), ...answer(400) },
        },
      },
    },
  ],
  [
    'records with few ids, and a large number',
    {
      '/orders': {
        post: {
          requestBody: {
            content: json({ properties: { petId: { type: 'integer', format: 'int64' } } }),
          },
          responses: answer(200, {
            type: 'object',
            properties: {
              id: { type: 'integer', format: 'int64' },
              petId: { type: 'integer', format: 'int64' },
            },
          }),
        },
      },
      '/orders/{orderId}': {
        parameters: [
          {
            name: 'orderId',
            in: 'path',
            required: true,
            schema: { type: 'integer', minimum: 1, maximum: 2 },
          },
        ],
        get: { responses: { ...answer(200, { type: 'object' }), ...answer(404) } },
      },
    },
  ],
  [
    'records whose paths contain listed ids, while clients may send any',
    {
      '/exports': {
        post: {
          requestBody: { required: true, content: json({ ...item, required: ['id'] }) },
          responses: answer(200),
        },
      },
      '/exports/{id}': {
        parameters: [{ ...inPath, schema: { enum: ['music', 'film'] } }],
        get: { responses: { ...answer(200), ...answer(404) } },
        delete: { responses: { ...answer(200), ...answer(404) } },
      },
    },
  ],
  [
    'a body that is refused before its size is known to be too large',
    {
      '/books': {
        get: { responses: answer(200, books) },
        post: {
          requestBody: { required: true, content: json({ ...item, required: ['genre'] }) },
          responses: { ...answer(201, item), ...answer(400), ...answer(413) },
        },
      },
      '/books/{id}': { parameters: [inPath], get: { responses: answer(200, item) } },
    },
  ],
])('finds nothing in the sandbox of %s', async (_what, paths, root) => {
  const contract = await loadDocumentOf(paths, root)
  const plans = { any: { minute: 1_000_000, day: 1_000_000 } }
  const sandbox = createSandbox({ contract, auth: 'keys', plans, keys: { [KEY]: 'any' } })

  const { checks, unusable } = await verify('http://target.test', contract, {
    key: KEY,
    writes: true,
    decisions: true,
    fetch: (request) => sandbox.fetch(request),
  })

  expect(unusable).toBeUndefined()
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
})

import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { verify } from './verify.ts'

const text = { type: 'string' }
const item = { type: 'object', properties: { id: text, genre: text } }
const json = (schema: object): object => ({ 'application/json': { schema } })
const answer = (status: number, schema?: object): object => ({
  [status]: { description: 'An answer.', ...(schema && { content: json(schema) }) },
})
const books = { type: 'array', items: item }
const required = (schema: object): object => ({ required: true, content: json(schema) })
const counted = { ...text, example: '10000' }
const closed = (properties: object): object => ({
  type: 'object',
  properties,
  additionalProperties: false,
})
const linkTo = (kind: string): object =>
  closed({ label: text, kind: { type: 'string', enum: [kind] } })
const int64 = { type: 'integer', format: 'int64' }
const user = closed({ id: int64, name: text })
const task = closed({
  ...{ id: text, genre: text },
  status: { type: 'string', enum: ['open', 'completed'], readOnly: true },
})
const person = closed({ id: int64, name: text, customerId: int64 })
const inPath = { name: 'id', in: 'path', required: true, schema: text }

test.each<[what: string, paths: object]>([
  [
    'more records than the path lists ids for, while no schema describes responses',
    {
      '/shelf': {
        post: {
          requestBody: required({ type: 'object', properties: { books, films: books } }),
          responses: { 201: { description: 'An answer.', content: { 'application/json': {} } } },
        },
      },
      '/shelf/{kind}': {
        parameters: [{ ...inPath, name: 'kind', schema: { enum: ['books'] } }],
        get: { responses: answer(200) },
      },
    },
  ],
  [
    'records with properties that only the service sets in responses',
    {
      '/books': {
        get: { responses: answer(200, books) },
        post: {
          requestBody: required({ ...item, properties: { genre: text, state: item } }),
          responses: answer(
            201,
            closed({ id: text, genre: { ...text, readOnly: true }, state: { type: 'integer' } }),
          ),
        },
      },
      '/books/{id}': {
        parameters: [inPath],
        get: {
          responses: answer(
            200,
            closed({ id: text, genre: text, state: { ...item, readOnly: true } }),
          ),
        },
        patch: {
          requestBody: required({ type: 'object', properties: { state: books } }),
          responses: answer(204),
        },
      },
    },
  ],
  [
    'records whose ids are numbers where they are created, and texts where they are read',
    {
      '/books': {
        get: { responses: answer(200, { type: 'array', items: closed({ id: counted }) }) },
        post: {
          requestBody: required({ type: 'object', properties: { genre: text } }),
          responses: answer(201, closed({ id: { type: 'integer' } })),
        },
      },
      '/books/{id}': {
        parameters: [inPath],
        get: { responses: { ...answer(200, closed({ id: counted })), ...answer(404) } },
        delete: { responses: { ...answer(204), ...answer(404) } },
      },
    },
  ],
  [
    'a list that does not show the ids of its records',
    {
      '/books': {
        get: { responses: answer(200, { type: 'array', items: closed({ genre: text }) }) },
        post: {
          requestBody: required({ type: 'object', properties: { genre: text } }),
          responses: answer(201, closed({ bookId: text, genre: text })),
        },
      },
      '/books/{bookId}': {
        parameters: [{ ...inPath, name: 'bookId' }],
        delete: { responses: answer(204) },
      },
    },
  ],
  [
    'a list whose objects have other properties than those of the record that is read',
    {
      '/shelves/{shelfId}/books': {
        parameters: [{ ...inPath, name: 'shelfId' }],
        get: {
          responses: answer(200, {
            ...{ type: 'array' },
            items: closed({ id: text, links: closed({ cover: linkTo('books') }) }),
          }),
        },
      },
      '/shelves/{shelfId}/books/{id}': {
        parameters: [{ ...inPath, name: 'shelfId' }, inPath],
        get: {
          responses: {
            ...answer(
              200,
              closed({ id: text, links: closed({ cover: linkTo('book'), next: linkTo('book') }) }),
            ),
            ...answer(404),
          },
        },
      },
    },
  ],
  [
    'an action that answers with the status of its own result',
    {
      '/tasks': {
        post: {
          requestBody: required({ type: 'object', properties: { genre: text } }),
          responses: answer(201, task),
        },
      },
      '/tasks/{id}': {
        parameters: [inPath],
        get: { responses: { ...answer(200, task), ...answer(404) } },
      },
      '/tasks/{id}/complete': {
        parameters: [inPath],
        post: { responses: answer(200, closed({ status: { type: 'string', enum: ['success'] } })) },
      },
    },
  ],
  [
    'records whose only large integers refer to others',
    {
      '/customers': {
        get: { responses: answer(200, { type: 'array', items: user }) },
        post: { requestBody: required(closed({ name: text })), responses: answer(201, user) },
      },
      '/customers/{id}': {
        parameters: [{ ...inPath, schema: int64 }],
        get: { responses: { ...answer(200, user), ...answer(404) } },
      },
      '/people': {
        get: { responses: answer(200, { type: 'array', items: person }) },
        post: {
          requestBody: required(closed({ name: text, customerId: int64 })),
          responses: { ...answer(201, person), ...answer(400) },
        },
      },
    },
  ],
])('finds nothing in the sandbox of %s', async (_what, paths) => {
  const contract = await loadDocumentOf(paths)
  const sandbox = createSandbox({ contract })

  const { checks, unusable } = await verify('http://target.test', contract, {
    writes: true,
    decisions: true,
    fetch: (request) => sandbox.fetch(request),
  })

  expect(unusable).toBeUndefined()
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
})

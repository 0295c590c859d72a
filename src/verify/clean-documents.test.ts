import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { verify } from './verify.ts'

const text = { type: 'string' }
const json = (schema: object): object => ({ 'application/json': { schema } })
const lines = (schema: object): object => ({ 'application/x-ndjson': { schema } })
const answer = (status: number, content?: object): object => ({
  [status]: { description: 'An answer.', ...(content && { content }) },
})
const parameter = (name: string, place: string, schema: object): object => ({
  name,
  in: place,
  required: place === 'path',
  schema,
})
const book = { type: 'object', properties: { id: text, genre: text }, required: ['genre'] }
/** The path of one record, so that a POST to the path above creates one. */
const one = {
  parameters: [parameter('id', 'path', text)],
  get: { responses: { ...answer(200), ...answer(404) } },
}
const error = { type: 'object', properties: { message: text }, required: ['message'] }
const listing = (
  parameters: object[],
  schema: object = { type: 'array', items: book },
): object => ({
  get: { parameters, responses: { ...answer(200, json(schema)), ...answer(400, json(error)) } },
})

const hook = {
  type: 'object',
  required: ['config'],
  properties: {
    id: { ...text, readOnly: true },
    config: { type: 'object', properties: { place: text, secret: { ...text, writeOnly: true } } },
  },
}

test.each<[what: string, paths: object]>([
  [
    'a secret inside of a record, which no response has',
    {
      '/hooks': {
        ...listing([], { type: 'array', items: hook }),
        post: {
          requestBody: { required: true, content: json(hook) },
          responses: { ...answer(201, json(hook)), ...answer(400, json(error)) },
        },
      },
      '/hooks/{id}': one,
    },
  ],
  [
    'a path with parameters in its query',
    {
      '/books?genre={genre}': listing([parameter('genre', 'path', { enum: ['novel', 'essay'] })]),
    },
  ],
  [
    'a list whose path ends with a slash, unlike that of the creation',
    {
      '/books/': listing([]),
      '/books': {
        post: {
          requestBody: { required: true, content: json(book) },
          responses: answer(201, json(book)),
        },
      },
    },
  ],
  [
    'lines of JSON whose schema describes one of them',
    {
      '/imports': {
        post: {
          requestBody: { required: true, content: lines(book) },
          responses: { ...answer(200, json(book)), ...answer(400) },
        },
      },
      '/imports/{id}': one,
    },
  ],
  [
    'lines of JSON whose schema describes their list',
    {
      '/imports': {
        post: {
          requestBody: { required: true, content: lines({ type: 'array', items: book }) },
          responses: { ...answer(200, json(book)), ...answer(400) },
        },
      },
    },
  ],
  [
    'a status that has no content, although the document describes some',
    { '/notices': { put: { responses: answer(205, json(book)) } } },
  ],
  [
    'a body that can be anything',
    {
      '/searches': {
        post: {
          requestBody: { required: true, content: json({}) },
          responses: { ...answer(200, json(book)), ...answer(400) },
        },
      },
      '/searches/{id}': one,
    },
  ],
  [
    'a stream of events that does not end',
    {
      '/books': {
        ...listing([]),
        post: { requestBody: { content: json(book) }, responses: answer(201, json(book)) },
      },
      '/books/{id}': one,
      '/books/events': {
        get: { responses: answer(200, { 'text/event-stream': { schema: book } }) },
      },
    },
  ],
  ['a list that redirects', { '/books': { get: { responses: answer(303) } } }],
  [
    'a parameter whose maximum programs round',
    {
      '/totals': listing([
        parameter('until', 'query', { type: 'integer', maximum: Number(2n ** 63n) }),
      ]),
    },
  ],
  [
    'a parameter that is a text or a list of texts',
    {
      '/totals': listing([
        parameter('genre', 'query', {
          oneOf: [{ enum: ['novel', 'essay'] }, { type: 'array', items: text }],
        }),
      ]),
    },
  ],
  [
    'a parameter with lists in a list',
    {
      '/rows/{cells}': listing([
        parameter('cells', 'path', { type: 'array', items: { type: 'array', items: text } }),
      ]),
    },
  ],
  [
    'a header whose value the HTTP client sets',
    {
      '/covers': {
        put: {
          parameters: [
            { ...parameter('Content-Length', 'header', { type: 'number' }), required: true },
          ],
          requestBody: { required: true, content: json(book) },
          responses: answer(200, json(book)),
        },
      },
    },
  ],
  [
    'a page size of 0',
    {
      '/books': listing([parameter('limit', 'query', { type: 'integer', minimum: 0 })]),
      '/books/{id}': {
        get: {
          parameters: [parameter('id', 'path', text)],
          responses: answer(200, json(book)),
        },
      },
    },
  ],
  [
    'images, some of which are described as errors',
    {
      '/covers': {
        post: {
          requestBody: { required: true, content: json(book) },
          responses: { ...answer(200), ...answer(409, { 'image/png': { schema: error } }) },
        },
      },
      '/covers/{id}': one,
      '/scans': {
        post: {
          requestBody: { required: true, content: json(book) },
          responses: { ...answer(200), ...answer(409, json(error)) },
        },
      },
      '/scans/{id}': one,
    },
  ],
])('finds nothing in the sandbox of a document with %s', async (_, paths) => {
  const contract = await loadDocumentOf(paths)
  const sandbox = createSandbox({ contract })

  const { checks, unusable, operations } = await verify('http://target.test', contract, {
    writes: true,
    decisions: true,
    fetch: (request) => sandbox.fetch(request),
    now: () => sandbox.clock.now(),
  })

  expect(unusable).toBeUndefined()
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
  const others = operations.others.filter(({ reason }) => !reason.startsWith('it changes what'))
  expect(others).toEqual([])
})

test('does not send a request that programs cannot send', async () => {
  const paths = {
    '/books': { ...listing([]), trace: { responses: answer(200) } },
  }
  const contract = await loadDocumentOf(paths)
  const sandbox = createSandbox({ contract })

  const { operations, unusable } = await verify('http://target.test', contract, {
    fetch: (request) => sandbox.fetch(request),
    now: () => sandbox.clock.now(),
  })

  expect(unusable).toBeUndefined()
  expect(operations.others).toEqual([
    { operation: 'TRACE /books', reason: 'programs cannot send TRACE with fetch' },
  ])
})

test('leaves out an operation that an earlier one hides', async () => {
  const found = (schema: object): object => ({
    requestBody: {
      required: true,
      content: json({ type: 'object', properties: { price: schema } }),
    },
    responses: { ...answer(200), ...answer(400) },
  })
  const contract = await loadDocumentOf({
    '/books/{id}/offers': { post: found(text) },
    '/books/{book}/offers': { post: found({ type: 'integer' }) },
  })
  const sandbox = createSandbox({ contract })

  const { checks, operations } = await verify('http://target.test', contract, {
    writes: true,
    decisions: true,
    fetch: (request) => sandbox.fetch(request),
    now: () => sandbox.clock.now(),
  })

  expect(checks.filter(({ status }) => status === 'failed')).toEqual([])
  expect(operations.others).toContainEqual({
    operation: 'POST /books/{book}/offers',
    reason: 'an earlier operation has the same method and path',
  })
})

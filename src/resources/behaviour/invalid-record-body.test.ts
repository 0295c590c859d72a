import { describe, expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const BOOK = objectOf({ id: { type: 'integer' }, title: { type: 'string' } })

test.each([
  {
    title: 'with branches of oneOf that allow the same',
    schema: { ...BOOK, required: ['id'], oneOf: [{ type: 'object' }, BOOK] },
  },
  {
    title: 'that forbids the properties which it requires',
    schema: { allOf: [{ ...BOOK, required: ['id'] }], additionalProperties: false },
  },
])(
  'a schema $title has no valid body, so that a response shows the record as it is',
  async ({ schema }) => {
    const { ask } = await openApi({
      'GET /books': { shown: objectOf({ data: listOf(schema) }) },
      'POST /books': { sent: objectOf(['title']), shown: BOOK, status: [201] },
      'GET /books/{id}': { shown: schema, status: [200, 404], isUnsatisfiable: true },
    })

    const { body: made } = await ask('POST /books', { title: 'Emma' })

    expect(made.title).toBe('Emma')
    expect((await ask(`GET /books/${made.id}`)).body).toEqual(made)
    // The list has a valid body.
    expect((await ask('GET /books')).body).toEqual({ data: [] })
  },
)

describe('records with a required property that no value matches', () => {
  const book = {
    ...objectOf({
      id: { type: 'integer' },
      title: { type: 'string' },
      code: { type: 'string', minLength: 9, maxLength: 3 },
    }),
    required: ['id', 'code'],
  }
  const api = (status: number[]) => ({
    'GET /books': { shown: listOf(book) },
    'POST /books': { sent: objectOf(['title']), shown: BOOK, status: [201] },
    'GET /books/{id}': { shown: book, status, isUnsatisfiable: true as const },
  })

  test('are shown where a request has created them, and the response says what is wrong', async () => {
    const { ask } = await openApi(api([200, 404]))
    const { body: made } = await ask('POST /books', { title: 'Emma' })

    const { body, headers } = await ask(`GET /books/${made.id}`)

    expect(body).toEqual(made)
    expect(headers.get('X-Sandbox-Source')).toMatch(/^record; invalid="books\.code: /)
  })

  test('are not made for an id that nobody has created', async () => {
    const { ask } = await openApi(api([200]))

    expect((await ask('GET /books/7')).status).toBe(404)
  })
})

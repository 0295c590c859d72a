import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

function booksShownAs(shown: Schema, listed: Schema = shown): DocumentedApi {
  return {
    'GET /books': { shown: objectOf({ data: listOf(listed) }) },
    'POST /books': { sent: objectOf(['title']), shown, status: [201] },
    'GET /books/{bookId}': { shown, status: [200, 404] },
  }
}

interface Books {
  readonly data: readonly {
    readonly bookId?: string
    readonly book?: { readonly bookId: string }
  }[]
}

const TITLE = objectOf(['title'])
const CLOSED: Schema = { ...TITLE, additionalProperties: false }

describe('an id that no schema names', () => {
  test.each<[string, DocumentedApi]>([
    ['records with other properties', booksShownAs(TITLE)],
    ['records of which nothing is known', booksShownAs({ type: 'object' })],
    ['records in an object', booksShownAs(objectOf({ book: TITLE }), TITLE)],
  ])('is shown in lists, and leads to %s', async (_case, api) => {
    const { ask } = await openApi(api)

    const { body } = await ask<Books>('GET /books')
    const [first] = body.data

    const id = first?.bookId ?? first?.book?.bookId
    expect(id).toEqual(expect.any(String))
    expect(JSON.stringify((await ask(`GET /books/${id}`)).body)).toContain(`"bookId":"${id}"`)
  })

  test('is shown in the response to a creation', async () => {
    const { ask } = await openApi(booksShownAs(TITLE))

    const { body, headers } = await ask('POST /books', { title: 'Emma' })

    expect(body).toEqual({ bookId: expect.any(String), title: 'Emma' })
    expect(headers.get('location')).toBe(`http://localhost/books/${body.bookId}`)
  })

  test('is in no response whose schema forbids it', async () => {
    const { ask } = await openApi(booksShownAs(CLOSED, TITLE))

    const { body } = await ask('POST /books', { title: 'Emma' })

    expect(body).toEqual({ title: 'Emma' })
    expect((await ask<Books>('GET /books')).body.data[0]).toHaveProperty('bookId')
  })
})

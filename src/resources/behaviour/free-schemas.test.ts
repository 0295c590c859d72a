import { describe, expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'

describe('where no schema says what is in a response', () => {
  const example = { isbn: 'a-1', title: 'Emma' }

  test.each([
    ['without an example', {}],
    ['with an example of an object', { example }],
  ])('a record %s is read as it is listed', async (_what, shown) => {
    const { ask } = await openApi({
      'GET /books': { shown: { example: ['a-1', 'a-2'] } },
      'GET /books/{isbn}': { shown, status: [200, 404] },
    })

    const { body: list } = await ask<{ isbn: string }[]>('GET /books')
    const { body } = await ask(`GET /books/${list[0]?.isbn}`)

    expect(list[0]?.isbn).toEqual(expect.any(String))
    expect(body).toEqual(list[0])
  })

  test('an example of a text is shown as the id', async () => {
    const { ask } = await openApi({
      'GET /books': { shown: { type: 'array', items: { example: 'a-1' } } },
      'GET /books/{isbn}': { shown: { example }, status: [200, 404] },
    })

    const [isbn] = (await ask<string[]>('GET /books')).body
    const { body } = await ask(`GET /books/${isbn}`)

    expect(body).toMatchObject({ isbn })
  })
})

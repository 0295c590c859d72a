import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const TIME = { type: 'string', format: 'date-time', readOnly: true }
const BOOK = {
  ...objectOf({ id: { type: 'integer', readOnly: true }, title: TEXT, printedAt: TIME }),
  required: ['id', 'title', 'printedAt'],
}
const OLD = '1815-12-23T00:00:00Z'

describe('a read-only property that a client sends', () => {
  test.each<[what: string, book: Schema]>([
    ['additionalProperties: false', { ...BOOK, additionalProperties: false }],
    ['unevaluatedProperties: false', { ...BOOK, unevaluatedProperties: false }],
    ['any other properties', BOOK],
  ])('is accepted and ignored by a schema with %s', async (_what, book) => {
    const status = [200, 400, 404]
    const { ask } = await openApi({
      'GET /books': { shown: listOf(book) },
      'POST /books': { sent: book, shown: book, status: [201, 400] },
      'GET /books/{id}': { shown: book, status },
      'PUT /books/{id}': { sent: book, shown: book, status },
    })

    const made = await ask('POST /books', { id: 4711, title: 'Emma', printedAt: OLD })
    const path = `/books/${made.body.id}`
    const changed = await ask(`PUT ${path}`, { id: 'x', title: 'Persuasion', printedAt: OLD })

    expect([made.status, changed.status]).toEqual([201, 200])
    expect(made.body).toMatchObject({ title: 'Emma' })
    expect(made.body.id).not.toBe(4711)
    expect(made.body.printedAt).not.toBe(OLD)
    expect(changed.body).toEqual({ ...made.body, title: 'Persuasion' })
    expect((await ask(`GET ${path}`)).body).toEqual(changed.body)
  })

  test('does not let a closed schema accept other properties', async () => {
    const book = { ...BOOK, additionalProperties: false }
    const { ask } = await openApi({
      'POST /books': { sent: book, shown: book, status: [201, 400] },
      'GET /books/{id}': { shown: book, status: [200, 404] },
    })

    const { status } = await ask('POST /books', { title: 'Emma', printedOn: OLD })

    expect(status).toBe(400)
  })
})

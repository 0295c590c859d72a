import { describe, expect, it, test } from 'vitest'
import { objectOf, operationOn } from '../testing/operation-on.ts'
import { creationOf, PUT_RULES, type PutContext, putActionOf } from './put-action.ts'

const CREATED = { ...objectOf(['title', 'author']), required: ['title'] }
const SILENT: PutContext = { text: '', hasPatch: false, sent: undefined, created: undefined }

describe('a PUT', () => {
  it.each<[action: string, why: string, context: Partial<PutContext>]>([
    ['replace', 'a PATCH is beside it', { hasPatch: true }],
    ['replace', 'its text says so', { text: 'Replaces the book.' }],
    ['replace', 'its text says so in other words', { text: 'Full update of a book.' }],
    ['replace', 'it removes what is left out', { text: 'Fields that are not sent are removed.' }],
    ['replace', 'it sends what a creation does', { sent: CREATED, created: CREATED }],
    [
      'replace',
      'it requires more than a creation',
      { sent: { ...CREATED, required: ['title', 'author'] }, created: CREATED },
    ],
    [
      'update',
      'it requires less than a creation',
      { sent: objectOf(['title', 'author']), created: CREATED },
    ],
    [
      'update',
      'it requires less than a creation in the only object that it has',
      {
        sent: { ...objectOf([]), properties: { data: objectOf(['title', 'author']) } },
        created: { ...objectOf([]), properties: { data: CREATED } },
      },
    ],
    ['update', 'it sends something else', { sent: objectOf(['title']), created: objectOf(['a']) }],
    ['update', 'its text says so', { text: 'Partial update.', sent: CREATED, created: CREATED }],
    ['update', 'it is an edit', { text: 'Edit a book.', sent: CREATED, created: CREATED }],
    ['update', 'only what is sent changes', { text: 'Only the given fields change.' }],
    ['update', 'the rest stays', { text: 'Others are left unchanged.', hasPatch: true }],
    [
      'update',
      'its text says of a property alone that it is replaced',
      {
        text: 'updateBook. Update a book. Changes a book. The current title will be replaced.',
        sent: objectOf(['title', 'author']),
        created: CREATED,
      },
    ],
    ['update', 'nothing says more', {}],
  ])('is the action %s when %s', (action, _why, context) => {
    expect(putActionOf({ ...SILENT, ...context })).toBe(action)
  })

  it('follows rules with names', () => {
    const names = PUT_RULES.map(({ name }) => name)

    expect(new Set(names).size).toBe(names.length)
  })
})

test('records are created by the POST of their collection, else by a PUT that adds them', () => {
  const post = operationOn('POST /books', { sent: CREATED })
  const put = operationOn('PUT /books/{isbn}', { sent: CREATED, status: 201 })
  const change = operationOn('PUT /books/{isbn}', { sent: CREATED })

  expect(creationOf([post], put)).toBe(post)
  expect(creationOf([], put)).toBe(put)
  expect(creationOf([], change)).toBeUndefined()
})

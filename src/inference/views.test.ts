import { describe, expect, test } from 'vitest'
import { objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'
import { inferViews } from './views.ts'

describe('a property of a response that requests spell otherwise', () => {
  test.each<[title: string, shown: string[], sent: string[], views: object | undefined]>([
    ['is shown by its name', ['DueDate'], ['due_date'], { DueDate: 'due_date' }],
    ['needs no other name', ['due_date'], ['due_date'], undefined],
    ['is another one beside the same name', ['due_date', 'DueDate'], ['due_date'], undefined],
    ['is another one beside the request of both', ['DueDate'], ['due_date', 'DueDate'], undefined],
    ['is not the id', ['Id'], ['ID'], undefined],
    ['has the same letters', ['DueDay'], ['due_date'], undefined],
  ])('%s', (_title, shown, sent, views) => {
    expect(inferViews(objectOf(shown), new Set(sent), ['Id'])).toEqual(views)
  })

  test('is a hint of each response', () => {
    const shown = objectOf(['id', 'DueDate'])
    const operations = [
      operationOn('POST /tasks', { sent: objectOf(['due_date']), shown }),
      operationOn('GET /tasks/{id}', { shown }),
    ]

    const inferred = inferHints(operations)

    for (const one of operations) expect(inferred.of(one).views).toEqual({ DueDate: 'due_date' })
  })
})

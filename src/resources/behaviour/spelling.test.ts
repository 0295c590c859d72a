import { expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const SENT = objectOf(['due_date', 'note'])
const SHOWN = objectOf({
  id: { type: 'integer' },
  DueDate: { type: 'string' },
  Note: { type: 'string' },
})

test('a response shows what requests spell otherwise', async () => {
  const { ask } = await openApi({
    'GET /tasks': { shown: listOf(SHOWN) },
    'POST /tasks': { sent: SENT, shown: SHOWN, status: [201] },
    'GET /tasks/{id}': { shown: SHOWN, status: [200, 404] },
    'PATCH /tasks/{id}': { sent: SENT, shown: SHOWN },
  })
  const [first] = (await ask<{ id: number }[]>('GET /tasks')).body

  const { body: made } = await ask('POST /tasks', { due_date: 'Monday', note: 'Rain' })
  const { body: changed } = await ask(`PATCH /tasks/${made.id}`, { due_date: 'Friday' })
  const { body: other } = await ask(`PATCH /tasks/${first?.id}`, { note: 'Sun' })

  expect(made).toEqual({ id: made.id, DueDate: 'Monday', Note: 'Rain' })
  expect(changed).toEqual({ ...made, DueDate: 'Friday' })
  expect((await ask(`GET /tasks/${made.id}`)).body).toEqual(changed)
  expect((await ask('GET /tasks')).body).toContainEqual(changed)
  expect(other).toEqual({ ...first, Note: 'Sun' })
})

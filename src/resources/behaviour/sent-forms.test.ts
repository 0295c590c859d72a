import { expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' } as const
const COURSE = { ...objectOf(['id', 'name', 'code']), required: ['id', 'name'] }

test('a property with brackets is one of the record in the object', async () => {
  const { ask } = await openApi({
    'GET /courses': { shown: listOf(COURSE) },
    'POST /courses': {
      sent: objectOf({ 'course[name]': TEXT, 'course[code]': TEXT, 'enroll[now]': TEXT }),
      ...{ shown: COURSE, status: [201] },
    },
    'GET /courses/{id}': { shown: COURSE, status: [200, 404] },
    'PUT /courses/{id}': { sent: objectOf({ 'course[name]': TEXT }), shown: COURSE },
  })

  const created = await ask('POST /courses', { 'course[name]': 'Greek', 'course[code]': 'G1' })
  const { id } = created.body
  await ask(`PUT /courses/${id}`, { 'course[name]': 'Latin' })
  const read = await ask(`GET /courses/${id}`)

  expect(created.body).toEqual({ id, name: 'Greek', code: 'G1' })
  expect(read.body).toEqual({ id, name: 'Latin', code: 'G1' })
})

test('what a request has beside the record belongs to the record, if this has it as an object', async () => {
  const account = objectOf(['id', 'name'])
  const user = { ...objectOf({ id: TEXT, email: TEXT, account }), required: ['id'] }
  const { ask } = await openApi({
    'GET /users': { shown: listOf(user) },
    'POST /users': {
      sent: objectOf({ user: objectOf(['email']), account, return_url: TEXT }),
      ...{ shown: user, status: [201] },
    },
    'GET /users/{id}': { shown: user, status: [200, 404] },
  })

  const { body } = await ask('POST /users', {
    user: { email: 'a@example.com' },
    ...{ account: { id: '7', name: 'Acme' }, return_url: 'https://example.com' },
  })
  const read = await ask(`GET /users/${body.id}`)

  expect(read.body).toEqual({
    id: body.id,
    ...{ email: 'a@example.com', account: { id: '7', name: 'Acme' } },
  })
})

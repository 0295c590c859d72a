import { describe, expect, test } from 'vitest'
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

describe('what the document does not allow, from a client that wants it served all the same', () => {
  const item = {
    ...objectOf({ id: TEXT, size: { type: 'integer', maximum: 10 }, name: TEXT }),
    required: ['id', 'size'],
  }
  const sent = objectOf({ size: { type: 'integer', maximum: 10 }, name: TEXT })

  test.each([
    ['in an envelope', objectOf({ data: listOf(item), total: { type: 'integer' } })],
    ['as a list', listOf(item)],
  ])('is shown as it was sent %s, and its neighbours stay as they are', async (_, shown) => {
    const { ask } = await openApi(
      {
        'GET /items': { shown, isUnsatisfiable: true },
        'POST /items': { sent, shown: item, status: [201], isUnsatisfiable: true },
        'GET /items/{id}': { shown: item, status: [200, 404], isUnsatisfiable: true },
        'PATCH /items/{id}': { sent, shown: item, status: [200, 404], isUnsatisfiable: true },
      },
      { validation: 'warn', records: 3 },
    )
    const { body: before } = await ask('GET /items')

    const { body: created } = await ask('POST /items', { size: 99, name: 'Large' })
    const { body: changed } = await ask(`PATCH /items/${created.id}`, { size: 'huge' })
    const { body: listed } = await ask('GET /items')

    expect(created).toEqual({ id: created.id, size: 99, name: 'Large' })
    expect(changed).toEqual({ id: created.id, size: 'huge', name: 'Large' })
    expect((await ask(`GET /items/${created.id}`)).body).toEqual(changed)
    const items = (body: object): unknown => ('data' in body ? body.data : body)
    expect(items(listed)).toEqual([...[items(before)].flat(), changed])
    if ('total' in listed) expect(listed.total).toBe(4)
  })
})

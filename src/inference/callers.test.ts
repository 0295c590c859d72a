import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'

const USER = objectOf(['id', 'login', 'city', 'bio'])
const USERS: readonly Operation[] = [
  operationOn('GET /users', { shown: listOf(USER) }),
  operationOn('GET /users/{id}', { shown: USER }),
]

function actionOf(operation: Operation, others = USERS): object | undefined {
  const { action, resource, caller } = inferHints([...others, operation]).of(operation)
  return { action, ...(resource !== undefined && { resource }), ...(caller && { caller }) }
}

describe('a path of the caller', () => {
  test.each(['/me', '/user', '/users/me', '/account', '/v1/me', '/users/current', '/profile'])(
    'such as %s is on the record of the caller',
    (path) => {
      const expected = { action: 'read', resource: 'users', caller: true }
      expect(actionOf(operationOn(`GET ${path}`, { shown: USER }))).toEqual(expected)
      const wrapped = objectOf({ user: objectOf(['id', 'login', 'city', 'email']) })
      expect(actionOf(operationOn(`GET ${path}`, { shown: wrapped }))).toEqual(expected)
    },
  )

  test('is one beside paths to users by another id', () => {
    const byId = operationOn('GET /user/{account_id}', { shown: USER })
    const own = operationOn('GET /user', { shown: USER })

    expect(actionOf(own, [...USERS, byId])).toEqual({
      ...{ action: 'read', resource: 'users', caller: true },
    })
  })

  test('is none where requests add to it', () => {
    const byId = operationOn('GET /account/{id}', { shown: USER })
    const add = operationOn('POST /account', { sent: objectOf(['login']), shown: USER })
    const own = operationOn('GET /account', { shown: USER })

    expect(actionOf(own, [...USERS, byId, add])).not.toHaveProperty('caller')
  })

  test.each<[why: string, operation: Operation]>([
    ['its schema is another', operationOn('GET /me', { shown: objectOf(['id', 'plan', 'seats']) })],
    ['it lists users', operationOn('GET /users/current', { shown: listOf(USER) })],
    ['it has another word', operationOn('GET /users/latest', { shown: USER })],
    ['it is below a parent', operationOn('GET /teams/{team}/me', { shown: USER })],
  ])('is none where %s', (_why, operation) => {
    expect(actionOf(operation)).not.toHaveProperty('caller')
  })

  test('is none where no collection has such records', () => {
    expect(actionOf(operationOn('GET /me', { shown: USER }), [])).not.toHaveProperty('caller')
  })
})

test('the caller is a user, also where the path of something else is that of the caller', () => {
  const app = objectOf(['id', 'title', 'icon', 'bot'])
  const shown = objectOf({ id: {}, text: { type: 'string' }, author: USER })
  const { resource } = inferHints([
    operationOn('GET /apps/@me', { shown: app }),
    operationOn('GET /apps/{id}', { shown: app }),
    operationOn('GET /users/@me', { shown: USER }),
    ...USERS,
    operationOn('POST /posts', { sent: objectOf(['text']), shown }),
    operationOn('GET /posts/{id}', { shown }),
  ])

  expect(resource('posts')?.values?.author).toBe('{caller users}')
})

describe('a property of new records', () => {
  const post = (name: string, schema: Schema, path = '/posts'): unknown => {
    const shown = objectOf({ id: { type: 'integer' }, text: { type: 'string' }, [name]: schema })
    const operations = [
      ...[operationOn('GET /users', { shown: listOf(user) })],
      ...[operationOn('GET /users/{id}', { shown: user }), operationOn('GET /me', { shown: user })],
      operationOn(`POST ${path}`, { sent: objectOf(['text']), shown }),
      operationOn(`GET ${path}/{id}`, { shown }),
    ]
    return inferHints(operations).resource(path.slice(1))?.values?.[name]
  }
  const user = objectOf({ id: { type: 'integer' }, login: {}, city: {} })

  test.each<[name: string, schema: Schema]>([
    ['owner_id', { type: 'integer' }],
    ['createdById', { type: 'integer' }],
    ['author', { type: 'integer' }],
    ['owner', objectOf({ id: { type: 'integer' }, login: {}, city: {}, url: {} })],
    [
      'user',
      { ...objectOf({ id: { type: 'integer' }, login: {}, city: {} }), type: ['object', 'null'] },
    ],
  ])('such as %s is the caller', (name, schema) => {
    expect(post(name, schema)).toBe('{caller users}')
  })

  test.each<[why: string, name: string, schema: Schema, path?: string]>([
    ['its type is another', 'author_id', { type: 'string' }],
    ['it may be a name', 'author', { type: 'string' }],
    ['it is an object of another kind', 'owner', objectOf(['id', 'plan'])],
    ['others are added', 'user_id', { type: 'integer' }, '/members'],
  ])('is not the caller where %s', (_why, name, schema, path) => {
    expect(post(name, schema, path)).toBeUndefined()
  })
})

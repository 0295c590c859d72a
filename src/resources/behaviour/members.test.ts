import { describe, expect, test } from 'vitest'
import { openApi } from '../../testing/documented-api.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const USER = {
  ...objectOf(['id', 'name', 'email', 'city']),
  required: ['id', 'name', 'email', 'city'],
}
const GROUP = { ...objectOf(['id', 'title']), required: ['id', 'title'] }
const FOUND = [200, 404]
const GONE = [204, 404]

const TARGETS = {
  'GET /users': { shown: listOf(USER) },
  'POST /users': { sent: objectOf(['name', 'email']), shown: USER, status: [201] },
  'GET /users/{userId}': { shown: USER, status: FOUND },
  'PATCH /users/{userId}': { sent: objectOf(['name']), shown: USER, status: FOUND },
  'GET /groups': { shown: listOf(GROUP) },
  'POST /groups': { sent: objectOf(['title']), shown: GROUP, status: [201] },
  'GET /groups/{groupId}': { shown: GROUP, status: FOUND },
} as const

const BY_PATH = {
  'GET /groups/{groupId}/users': { shown: listOf(USER), status: FOUND },
  'PUT /groups/{groupId}/users/{userId}': { status: GONE },
  'DELETE /groups/{groupId}/users/{userId}': { status: GONE },
} as const
const BY_BODY = {
  'GET /groups/{groupId}/users': { shown: listOf(USER), status: FOUND },
  'POST /groups/{groupId}/users': { sent: objectOf(['id']), shown: USER, status: [201, 404] },
  'DELETE /groups/{groupId}/users/{userId}': { status: GONE },
} as const

const LINK = objectOf(['object', 'group_id', 'user_id'])
const BY_POST = {
  'GET /groups/{groupId}/users': { shown: listOf(USER), status: FOUND },
  'POST /groups/{groupId}/users/{userId}': { shown: LINK, status: FOUND },
  'DELETE /groups/{groupId}/users/{userId}': { shown: LINK, status: FOUND },
} as const

describe.each([
  ['its path', BY_PATH, (id: unknown) => [`PUT /groups/G/users/${id}`, undefined] as const],
  ['its body', BY_BODY, (id: unknown) => ['POST /groups/G/users', { id }] as const],
  [
    'a POST on its path',
    BY_POST,
    (id: unknown) => [`POST /groups/G/users/${id}`, undefined] as const,
  ],
])('a member that a request adds by %s', (_how, members, adding) => {
  test('is the record of that id, as it is now', async () => {
    const { ask } = await openApi({ ...TARGETS, ...members })
    const user = (await ask('POST /users', { name: 'Ann', email: 'ann@example.com' })).body
    const group = (await ask('POST /groups', { title: 'Ops' })).body
    const [target, body] = adding(user.id)
    const path = `/groups/${group.id}/users`

    const before = await ask(`GET ${path}`)
    await ask(target.replace('/G/', `/${group.id}/`), body)
    const added = await ask(`GET ${path}`)
    await ask(`PATCH /users/${user.id}`, { name: 'Anna' })
    const changed = await ask(`GET ${path}`)
    await ask(`DELETE ${path}/${user.id}`)
    const removed = await ask(`GET ${path}`)

    expect(before.body).toEqual([])
    expect(added.body).toEqual([user])
    expect(changed.body).toEqual([{ ...user, name: 'Anna' }])
    expect(removed.body).toEqual([])
    expect((await ask(`GET /users/${user.id}`)).status).toBe(200)
  })

  test('is one of several that groups start with, which are users', async () => {
    const { ask } = await openApi({ ...TARGETS, ...members })
    const groups: readonly { readonly id: unknown }[] = Object((await ask('GET /groups')).body)
    const users = Object((await ask('GET /users')).body)

    expect(Object.keys(groups).length).toBeGreaterThan(5)
    for (const { id } of groups.slice(0, 5)) {
      const { body } = await ask(`GET /groups/${id}/users`)
      expect(Object.keys(body).length).toBeGreaterThan(0)
      for (const member of Object(body)) expect(users).toContainEqual(member)
    }
  })
})

test('a list without paths to its records shows those of the collection that it is called as', async () => {
  const { ask } = await openApi({
    ...TARGETS,
    'DELETE /users/{userId}': { status: GONE },
    'GET /groups/{groupId}/users': { shown: listOf(USER), status: FOUND },
    'GET /reports/top-users': { shown: objectOf({ items: listOf(USER) }) },
  })
  const { body } = await ask('GET /reports/top-users')
  const top: readonly { readonly id: unknown }[] = Object(body.items)
  const below = Object((await ask('GET /groups/1/users')).body)

  expect(top.length).toBeGreaterThan(1)
  for (const user of [...top, ...below])
    expect((await ask(`GET /users/${user.id}`)).body).toEqual(user)
  await ask(`PATCH /users/${top[0]?.id}`, { name: 'Anna' })
  const changed = (await ask('GET /reports/top-users')).body
  expect(Object(changed.items)[0]).toEqual({ ...top[0], name: 'Anna' })
})

test('a list of others is empty below a record that somebody created, whatever its path calls it', async () => {
  const tag = { ...objectOf(['id', 'label', 'color']), required: ['id', 'label', 'color'] }
  const { ask } = await openApi({
    ...TARGETS,
    'GET /tags': { shown: listOf(tag) },
    'POST /tags': { sent: objectOf(['label']), shown: tag, status: [201] },
    'GET /tags/{tagId}': { shown: tag, status: FOUND },
    'GET /users/{userId}/logins': { shown: listOf(objectOf(['id', 'place'])) },
    'GET /{kind}/{id}/tags': { shown: listOf(tag), status: FOUND },
  })
  const { id } = (await ask('POST /users', { name: 'Ann', email: 'ann@example.com' })).body
  const [first] = Object((await ask('GET /users')).body)

  expect((await ask(`GET /users/${id}/tags`)).body).toEqual([])
  expect(Object((await ask(`GET /users/${first.id}/tags`)).body).length).toBeGreaterThan(0)
})

test.each([
  ['group_id', (id: unknown) => `group_id=${id}`],
  ['group_ids[]', (id: unknown) => `group_ids[]=0&group_ids[]=${id}`],
  ['groups', (id: unknown) => `groups=0,${id}`],
])('a list of users is filtered by the group whose members they are: %s', async (name, query) => {
  const text = { type: 'string' } as const
  const schema = name.endsWith('[]') ? ({ type: 'array', items: text } as const) : text
  const shown = { ...objectOf(['id', 'name', 'email', 'groups']), required: ['id'] }
  const { ask } = await openApi({
    ...TARGETS,
    ...BY_PATH,
    'GET /users': { shown: listOf(shown), query: { [name]: schema } },
  })
  const user = (await ask('POST /users', { name: 'Ann', email: 'ann@example.com' })).body
  const group = (await ask('POST /groups', { title: 'Ops' })).body
  const list = `GET /users?${query(group.id)}`

  const before = (await ask(list)).body
  await ask(`PUT /groups/${group.id}/users/${user.id}`)
  const added = Object((await ask(list)).body)
  await ask(`DELETE /groups/${group.id}/users/${user.id}`)

  expect(before).toEqual([])
  expect(added).toMatchObject([{ id: user.id }])
  expect((await ask(list)).body).toEqual([])
})

describe('the groups below a user', () => {
  const WIDE = { ...objectOf(['id', 'title', 'city']), required: ['id', 'title', 'city'] }
  const GROUPS = {
    ...TARGETS,
    ...BY_PATH,
    'GET /groups': { shown: listOf(WIDE) },
    'POST /groups': { sent: objectOf(['title']), shown: WIDE, status: [201] },
    'GET /groups/{groupId}': { shown: WIDE, status: FOUND },
    'GET /users/{userId}/groups': { shown: listOf(WIDE), status: FOUND },
  } as const

  test('are those of which the user is a member', async () => {
    const { ask } = await openApi(GROUPS)
    const user = (await ask('POST /users', { name: 'Ann', email: 'ann@example.com' })).body
    const [ops, dev] = [
      (await ask('POST /groups', { title: 'Ops' })).body,
      (await ask('POST /groups', { title: 'Dev' })).body,
    ]
    const groups = async () => (await ask(`GET /users/${user.id}/groups`)).body

    const before = await groups()
    await ask(`PUT /groups/${dev.id}/users/${user.id}`)
    await ask(`PUT /groups/${ops.id}/users/${user.id}`)
    const added = await groups()
    await ask(`DELETE /groups/${ops.id}/users/${user.id}`)
    const removed = await groups()
    await ask(`DELETE /groups/${dev.id}/users/${user.id}`)

    expect(before).toEqual([])
    expect(added).toEqual([ops, dev])
    expect(removed).toEqual([dev])
    expect(await groups()).toEqual([])
  })

  test('are those that start with the user', async () => {
    const { ask } = await openApi(GROUPS)
    const groups = (await ask<{ readonly id: string }[]>('GET /groups')).body
    const [user] = (await ask<{ readonly id: string }[]>('GET /users')).body
    const having: unknown[] = []
    for (const group of groups) {
      const found = await ask<{ readonly id: string }[]>(`GET /groups/${group.id}/users`)
      if (found.body.some(({ id }) => id === user?.id)) having.push(group)
    }

    expect((await ask(`GET /users/${user?.id}/groups`)).body).toEqual(having)
  })
})

describe.each(['members', 'users'])(
  'members that are listed with their role, and changed at /%s',
  (word) => {
    const MEMBER = {
      ...objectOf({ user: USER, role: { type: 'string', enum: ['reader', 'owner'] } }),
      required: ['user', 'role'],
    }
    const TEAMS = {
      ...TARGETS,
      'GET /groups/{groupId}/members': {
        shown: objectOf({ members: listOf(MEMBER) }),
        status: FOUND,
      },
      [`PUT /groups/{groupId}/${word}/{user_id}`]: { sent: objectOf(['role']), status: GONE },
      [`DELETE /groups/{groupId}/${word}/{user_id}`]: { status: GONE },
    }

    test('show the users whose ids the paths have', async () => {
      const { ask } = await openApi(TEAMS)
      const user = (await ask('POST /users', { name: 'Ann', email: 'ann@example.com' })).body
      const group = (await ask('POST /groups', { title: 'Ops' })).body
      const list = `GET /groups/${group.id}/members`

      const before = (await ask(list)).body
      await ask(`PUT /groups/${group.id}/${word}/${user.id}`, { role: 'owner' })
      const added = (await ask(list)).body
      await ask(`DELETE /groups/${group.id}/${word}/${user.id}`)

      expect(before).toEqual({ members: [] })
      expect(added).toEqual({ members: [{ user, role: 'owner' }] })
      expect((await ask(list)).body).toEqual({ members: [] })
      expect((await ask(`GET /users/${user.id}`)).body).toEqual(user)
    })
  },
)

test('the groups of the caller are those of which the caller is a member', async () => {
  const number = { type: 'integer' } as const
  const text = { type: 'string' } as const
  const user = { ...objectOf({ id: number, login: text, city: text }), required: ['id', 'city'] }
  const group = { ...objectOf({ id: number, title: text }), required: ['id'] }
  const path = { groupId: number, userId: number }
  const { ask } = await openApi({
    'GET /users': { shown: listOf(user) },
    'GET /users/me': { shown: user },
    'GET /users/{userId}': { shown: user, status: FOUND, path },
    'GET /users/me/groups': { shown: listOf(group) },
    'GET /groups': { shown: listOf(group) },
    'POST /groups': { sent: objectOf(['title']), shown: group, status: [201] },
    'GET /groups/{groupId}': { shown: group, status: FOUND, path },
    'GET /groups/{groupId}/members': { shown: listOf(user), status: FOUND, path },
    'POST /groups/{groupId}/members': {
      ...{ sent: objectOf({ user_id: number }), shown: user, status: [201, 404], path },
    },
    'DELETE /groups/{groupId}/members/{userId}': { status: GONE, path },
  })
  const own = async () => (await ask<readonly object[]>('GET /users/me/groups')).body
  const { body: me } = await ask('GET /users/me')
  const { body: created } = await ask('POST /groups', { title: 'Ops' })

  const before = await own()
  await ask(`POST /groups/${created.id}/members`, { user_id: me.id })
  const added = await own()
  await ask(`DELETE /groups/${created.id}/members/${me.id}`)

  expect(before).not.toContainEqual(created)
  expect(added).toEqual([...before, created])
  expect(await own()).toEqual(before)
})

describe('a member that a request names by user_id', () => {
  const ROLE = { type: 'string', enum: ['reader', 'owner'] } as const
  const MEMBERS = 'GET /groups/{groupId}/members'
  const ADDED = { status: [201, 404] }

  test.each([
    ['alone', objectOf(['user_id'])],
    ['with a role', objectOf({ user_id: { type: 'string' }, role: ROLE })],
  ])('is the user, where no path leads to one of the members: %s', async (_how, sent) => {
    const { ask } = await openApi({
      ...TARGETS,
      [MEMBERS]: { shown: listOf(USER), status: FOUND },
      'POST /groups/{groupId}/members': { sent, shown: USER, ...ADDED },
    })
    const user = (await ask('POST /users', { name: 'Ann', email: 'ann@example.com' })).body
    const group = (await ask('POST /groups', { title: 'Ops' })).body
    const added = await ask(`POST /groups/${group.id}/members`, { user_id: user.id })
    await ask(`PATCH /users/${user.id}`, { name: 'Anna' })

    expect(added.body).toEqual(user)
    expect((await ask(`GET /groups/${group.id}/members`)).body).toEqual([{ ...user, name: 'Anna' }])
  })

  test('has the name of the user, and an id of its own, where it shows a user_id', async () => {
    const member = objectOf(['id', 'user_id', 'name', 'email', 'added'])
    const { ask } = await openApi({
      ...TARGETS,
      [MEMBERS]: { shown: listOf({ ...member, required: ['id', 'name'] }), status: FOUND },
      'POST /groups/{groupId}/members': { sent: objectOf(['user_id']), shown: member, ...ADDED },
      'DELETE /groups/{groupId}/members/{user_id}': { status: GONE },
    })
    const user = (await ask('POST /users', { name: 'Ann', email: 'ann@example.com' })).body
    const group = (await ask('POST /groups', { title: 'Ops' })).body
    await ask(`POST /groups/${group.id}/members`, { user_id: user.id })
    await ask(`PATCH /users/${user.id}`, { name: 'Anna' })
    const [found] = Object((await ask(`GET /groups/${group.id}/members`)).body)

    expect(found).toMatchObject({ user_id: user.id, name: 'Anna', email: 'ann@example.com' })
    expect([user.id, group.id]).not.toContain(found.id)
  })
})

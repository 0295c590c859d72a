import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import type { ReferenceHints } from '../contract/hints.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { inferHints } from './infer-hints.ts'

const USER = objectOf(['id', 'login', 'city', 'bio'])
const PROJECT = objectOf(['id', 'name', 'budget'])
const MILESTONE = objectOf(['number', 'title', 'due'])

const OTHERS: readonly Operation[] = [
  ...collection('/users', 'id', USER),
  ...collection('/projects', 'id', PROJECT),
  ...collection('/projects/{id}/milestones', 'number', MILESTONE),
]

function collection(path: string, id: string, shown: Schema): readonly Operation[] {
  return [
    operationOn(`GET ${path}`, { shown: listOf(shown) }),
    operationOn(`GET ${path}/{${id}}`, { shown }),
  ]
}

function referencesOf(
  properties: Readonly<Record<string, Schema>>,
  { sent = ['title'], path = '/tasks' } = {},
): ReferenceHints | undefined {
  const shown = objectOf({ id: { type: 'string' }, title: { type: 'string' }, ...properties })
  const operations = [
    operationOn(`POST ${path}`, { sent: objectOf(sent), shown }),
    operationOn(`GET ${path}/{id}`, { shown }),
  ]
  const hints = inferHints([...OTHERS, ...operations])
  const name = [...hints.paths].find(([, one]) => one === path)?.[0] ?? ''

  return hints.resource(name)?.references
}

describe('a property that shows the record of another collection', () => {
  test('is called as the collection, or ends with its word', () => {
    const project = objectOf(['id', 'name'])
    expect(referencesOf({ project })).toEqual({ project: 'projects' })
    expect(referencesOf({ mainProject: project })).toEqual({ mainProject: 'projects' })
    expect(referencesOf({ projects: listOf(project) })).toEqual({ projects: 'projects' })
  })

  test.each(['assignee', 'reporter', 'reviewers', 'closed_by', 'assignedTo'])(
    'is a user where it is called %s',
    (name) => {
      const user = objectOf(['id', 'login'])
      const schema = name.endsWith('s') ? listOf(user) : user
      expect(referencesOf({ [name]: schema })).toEqual({ [name]: 'users' })
    },
  )

  test('is of the same collection where it is called the parent', () => {
    expect(referencesOf({ parent: objectOf(['id', 'title']) })).toEqual({ parent: 'tasks' })
  })

  test('is below the same parent', () => {
    const milestone = objectOf(['number', 'title'])
    const path = '/projects/{id}/issues'
    expect(referencesOf({ milestone }, { path })).toEqual({ milestone: 'milestones' })
    expect(referencesOf({ milestone })).toBeUndefined()
  })

  test('is named by another property of requests', () => {
    const project = objectOf(['id', 'name'])
    const named = { project: { of: 'projects', by: 'project_id' } }
    expect(referencesOf({ project }, { sent: ['title', 'project_id'] })).toEqual(named)
  })

  test.each<[why: string, name: string, schema: Schema]>([
    ['it shows no key', 'project', objectOf(['name', 'budget'])],
    ['it shows other things', 'project', objectOf(['id', 'color', 'rank', 'size'])],
    ['it is a text', 'project', { type: 'string' }],
    ['no collection has its name', 'vendor', objectOf(['id', 'name'])],
  ])('is none where %s', (_why, name, schema) => {
    expect(referencesOf({ [name]: schema })).toBeUndefined()
  })
})

test('a list of users shows no customers, but a list of assignees shows users', () => {
  const operations = [
    ...collection('/customers', 'id', objectOf(['id', 'login', 'city', 'bio', 'company'])),
    operationOn('GET /staff/users', { shown: listOf(USER) }),
    operationOn('GET /shop/assignees', { shown: listOf(USER) }),
  ]
  const shop = inferHints(operations)

  expect(shop.resource('users')?.references).toBeUndefined()
  expect(shop.resource('assignees')?.references).toEqual({ '': 'customers' })
})

describe('the id beside an object', () => {
  const assignee = objectOf(['id', 'login'])

  test('names the record, where requests or records have it', () => {
    const by = { assignee: { of: 'users', by: 'assignee_id' } }

    expect(referencesOf({ assignee }, { sent: ['assignee_id'] })).toEqual(by)
    expect(referencesOf({ assignee, assignee_id: { type: 'string' } })).toEqual(by)
  })

  test('is no name that records have', () => {
    const sent = ['assignee_name']
    const properties = { assignee, assignee_name: { type: 'string' } }

    expect(referencesOf(properties, { sent })).toEqual({ assignee: 'users' })
  })
})

test('new records refer to nothing that their requests can name, and do not', () => {
  const user = objectOf(['id', 'login'])
  const shown = objectOf({
    ...{ id: { type: 'string' }, title: { type: 'string' }, members: listOf(user) },
    ...{
      assignee: { ...user, type: ['object', 'null'] },
      owner: user,
      lead: user,
      closed_by: user,
    },
  })
  const operations = [
    operationOn('POST /tasks', { sent: objectOf(['title', 'assignee', 'lead_id']), shown }),
    operationOn('GET /tasks/{id}', { shown }),
  ]

  const { values } = inferHints([...OTHERS, ...operations]).resource('tasks') ?? {}

  expect(values).toEqual({
    members: [],
    assignee: null,
    lead: '{absent}',
    closed_by: '{absent}',
  })
})

test('a list of names or objects shows the records that are called so, and one of ids or objects stays', () => {
  const namesOr = (key: string) => ({
    type: 'array',
    items: { oneOf: [{ type: 'string' }, objectOf([key, 'color'])] },
  })
  const task = objectOf({
    ...{ id: { type: 'string' }, title: { type: 'string' } },
    ...{ labels: namesOr('name'), sprints: namesOr('id') },
  })
  const operations = [
    operationOn('GET /labels', { shown: listOf(objectOf(['name', 'color'])) }),
    operationOn('GET /labels/{name}', { shown: objectOf(['name', 'color']) }),
    operationOn('GET /sprints/{id}', { shown: objectOf(['id', 'color']) }),
    operationOn('POST /tasks', { sent: objectOf(['title', 'labels']), shown: task }),
    operationOn('GET /tasks/{id}', { shown: task }),
  ]

  const { references } = inferHints(operations).resource('tasks') ?? {}

  expect(references).toEqual({ labels: 'labels' })
})

import { describe, expect, test } from 'vitest'
import type { Operation, Schema } from '../contract/contract.ts'
import { listOf, objectOf, operationOn } from '../testing/operation-on.ts'
import { relationOf } from './alias-relations.ts'
import { inferHints } from './infer-hints.ts'

const TASK = objectOf(['id', 'title', 'state', 'project_id'])
const TEXT = { type: 'string' }
const NOTE = objectOf(['id', 'title', 'state'])

function list(path: string, items: Schema): Operation {
  return operationOn(`GET ${path}`, { shown: { type: 'array', items } })
}

function read(path: string, shown: Schema): Operation {
  return operationOn(`GET ${path}`, { shown })
}

function create(path: string, shown: Schema, sent: Schema = objectOf(['title'])): Operation {
  return operationOn(`POST ${path}`, { sent, shown, status: 201 })
}

/** The aliases of all collections of some operations, by the path of the collection. */
function aliasesIn(operations: readonly Operation[]): object {
  const { paths, resource } = inferHints(operations)
  return Object.fromEntries(
    [...paths].flatMap(([name, path]) => {
      const { aliases } = resource(name) ?? {}
      return aliases ? [[path, aliases]] : []
    }),
  )
}

describe('a path is an alias', () => {
  test('of the path to one record, where a property has the parent', () => {
    const found = aliasesIn([
      list('/projects/{project_id}/tasks', TASK),
      create('/projects/{project_id}/tasks', TASK),
      list('/tasks', TASK),
      create('/tasks', TASK),
      read('/tasks/{id}', TASK),
    ])

    expect(found).toEqual({
      '/tasks': { '/projects/{project_id}/tasks': { project_id: 'project_id' } },
    })
  })

  test('below the caller, of the paths below a user', () => {
    const user = objectOf(['id', 'name', 'email'])
    const operations = [
      read('/me', user),
      list('/users', user),
      read('/users/{user_id}', user),
      list('/users/{user_id}/tasks', TASK),
      read('/users/{user_id}/tasks/{task_id}', TASK),
      list('/users/{user_id}/tasks/{task_id}/notes', NOTE),
      list('/me/tasks', TASK),
      create('/me/tasks', TASK),
      list('/me/tasks/{task_id}/notes', NOTE),
      create('/me/tasks/{task_id}/notes', NOTE),
    ]

    expect(aliasesIn(operations)).toEqual({
      '/users/{user_id}/tasks': { '/me/tasks': { user_id: '{/me}' } },
      '/users/{user_id}/tasks/{task_id}/notes': {
        '/me/tasks/{task_id}/notes': { user_id: '{/me}' },
      },
    })
  })

  test('below the caller, but not of the paths below records of which nobody is the caller', () => {
    const user = objectOf(['id', 'name', 'email'])
    const found = aliasesIn([
      read('/me', user),
      list('/users', user),
      read('/users/{user_id}', user),
      list('/customers/{customer_id}/tasks', TASK),
      list('/me/tasks', TASK),
    ])

    expect(found).toEqual({})
  })

  test('with the property of an embedded object by which the record above is found', () => {
    const studio = objectOf({ id: { type: 'integer' }, handle: TEXT, title: TEXT })
    const bench = objectOf({ id: TEXT, title: TEXT, studio })
    const found = aliasesIn([
      list('/studios', studio),
      create('/studios', studio, objectOf(['handle', 'title'])),
      operationOn('GET /studios/{studio}', { shown: studio, path: { studio: TEXT } }),
      list('/studios/{studio}/benches', bench),
      read('/studios/{studio}/benches/{id}', bench),
      list('/benches', bench),
    ])

    expect(found).toEqual({
      '/studios/{studio}/benches': { '/benches': { studio: '/studio/handle' } },
    })
  })

  test('of the path to one record, where no property has the parent', () => {
    const found = aliasesIn([
      list('/issues/{number}/comments', NOTE),
      create('/issues/{number}/comments', NOTE),
      read('/issues/comments/{id}', NOTE),
    ])

    expect(found).toEqual({ '/issues/comments': { '/issues/{number}/comments': { number: true } } })
  })

  test('with the property of an embedded object, by the name of the collection before the parameter', () => {
    const event = objectOf({ id: { type: 'string' }, title: { type: 'string' }, venue: NOTE })

    expect(aliasesIn([list('/venues/{id}/events', event), read('/events/{id}', event)])).toEqual({
      '/events': { '/venues/{id}/events': { id: '/venue/id' } },
    })
  })

  test('that only lists records with one property more, where a property has the parent', () => {
    const names = ['id', 'title', 'state', 'amount', 'memo', 'payee_id']
    const operations = [
      list('/payments', objectOf(names)),
      read('/payments/{id}', objectOf(names)),
      list('/payees/{payee_id}/payments', objectOf([...names, 'kind'])),
      list('/groups/{group_id}/payments', objectOf([...names, 'kind'])),
    ]

    expect(aliasesIn(operations)).toEqual({
      '/payments': { '/payees/{payee_id}/payments': { payee_id: 'payee_id' } },
    })
  })

  test('of the closest of several paths', () => {
    const found = aliasesIn([
      read('/budgets/{budget}/transactions/{id}', NOTE),
      list('/budgets/{budget}/accounts/{account}/transactions', NOTE),
      list('/budgets/{budget}/payees/{payee}/transactions', NOTE),
    ])

    expect(found).toEqual({
      '/budgets/{budget}/transactions': {
        '/budgets/{budget}/accounts/{account}/transactions': { account: true },
        '/budgets/{budget}/payees/{payee}/transactions': { payee: true },
      },
    })
  })
})

describe('a path has records of its own', () => {
  test.each<[fact: string, operations: readonly Operation[]]>([
    [
      'where another has the same schema only',
      [
        list('/salesInvoices', NOTE),
        read('/salesInvoices/{id}', NOTE),
        list('/salesCreditNotes', NOTE),
        read('/salesCreditNotes/{id}', NOTE),
      ],
    ],
    [
      'where another has the same word only',
      [
        list('/projects/{project}/tasks', NOTE),
        read('/tasks/{id}', objectOf(['id', 'name', 'hour'])),
      ],
    ],
    [
      'where the parents of another are others',
      [
        list('/orgs/{org}/psks', NOTE),
        read('/orgs/{org}/psks/{id}', NOTE),
        list('/sites/{site}/psks', NOTE),
        read('/sites/{site}/psks/{id}', NOTE),
      ],
    ],
    [
      'where another path has another prefix',
      [list('/video/{v}/keys', NOTE), read('/system/keys/{id}', NOTE)],
    ],
    [
      'where both paths lead to one record, and nothing says whose it is',
      [
        list('/projects/{project}/tasks', NOTE),
        read('/projects/{project}/tasks/{id}', NOTE),
        list('/tasks', NOTE),
        read('/tasks/{id}', NOTE),
      ],
    ],
    [
      'where records are added to a group that exist elsewhere',
      [
        list('/users', NOTE),
        create('/users', NOTE),
        read('/users/{id}', NOTE),
        list('/groups/{group}/users', NOTE),
        create('/groups/{group}/users', NOTE),
      ],
    ],
    [
      'where what is sent is no record',
      [
        read('/users/{id}', NOTE),
        list('/groups/{group}/users', NOTE),
        create('/groups/{group}/users', NOTE, objectOf(['user_id', 'role'])),
      ],
    ],
    [
      'where a parameter follows its last word',
      [
        list('/follows', NOTE),
        read('/follows/{type}', NOTE),
        list('/follows/{type}', NOTE),
        read('/follows/{type}/{id}', NOTE),
      ],
    ],
  ])('%s', (_fact, operations) => {
    expect(aliasesIn(operations)).toEqual({})
  })
})

test.each<[deeper: string, flatter: string, parameters: readonly string[] | undefined]>([
  ['/projects/{id}/tasks', '/tasks', ['id']],
  ['/a/{x}/b/{y}/tasks', '/a/{x}/tasks', ['y']],
  ['/a/{x}/issues/{n}/comments', '/a/{other}/issues/comments', ['n']],
  ['/users/{id}/groups/messages', '/groups/messages', ['id']],
  ['/snippets/{workspace}', '/snippets', ['workspace']],
  ['/media/mostPopular.{format}', '/media', undefined],
  ['/video/keys', '/keys', undefined],
  ['/tasks', '/projects/{id}/tasks', undefined],
  ['/installer/{id}/sites/{name}/maps', '/sites/{site}/maps', undefined],
])('%s has the parameters of %s, and %j', (deeper, flatter, parameters) => {
  expect(relationOf(deeper, flatter)?.between.map(({ parameter }) => parameter)).toEqual(parameters)
})

describe('other forms of a path', () => {
  const RELEASE = objectOf({
    ...{ id: { type: 'integer' }, tag_name: { type: 'string' }, title: { type: 'string' } },
    ...{ body: { type: 'string' }, parent_id: { type: 'integer' } },
  })
  const BOOK = { sent: objectOf(['tag_name', 'title', 'body']), shown: RELEASE }
  const releases = (path: string, item = true): readonly Operation[] => [
    operationOn(`GET ${path}`, { shown: listOf(RELEASE) }),
    operationOn(`POST ${path}`, BOOK),
    ...(item ? [operationOn(`GET ${path}/{id}`, { shown: RELEASE })] : []),
  ]
  const hintsAt = (name: string, operations: readonly Operation[]): object | undefined => {
    const { aliases, keys } = inferHints(operations).resource(name) ?? {}
    return { ...(aliases && { aliases }), ...(keys && { keys }) }
  }

  test.each([
    ['/releases/tags/{tag}', '/releases/tags', 'tag_name'],
    ['/releases/by-title/{title}', '/releases/by-title', 'title'],
    ['/releases/by/title/{value}', '/releases/by/title', 'title'],
  ])('such as %s find a record by another key', (path, alias, key) => {
    const operations = [
      ...releases('/releases'),
      operationOn(`GET ${path}`, { shown: RELEASE, path: { tag: { type: 'string' } } }),
    ]
    expect(hintsAt('releases', operations)).toEqual({ aliases: { [alias]: {} }, keys: [key] })
  })

  test('do not find a record by a key where they show other records', () => {
    const other = operationOn('GET /releases/tags/{tag}', { shown: objectOf(['tag', 'color']) })
    expect(hintsAt('releases', [...releases('/releases'), other])).toEqual({})
  })

  test.each(['children', 'subreleases', 'items'])('end with %s below a record', (word) => {
    const path = `/releases/{release_id}/${word}`
    const below = operationOn(`GET ${path}`, { shown: listOf(RELEASE) })
    const aliases = { [path]: { release_id: 'parent_id' } }
    expect(hintsAt('releases', [...releases('/releases'), below])).toEqual({ aliases })
  })

  test('begin with another version', () => {
    const operations = [...releases('/v1/releases', false), ...releases('/v2/releases')]
    expect(hintsAt('v2/releases', operations)).toEqual({ aliases: { '/v1/releases': {} } })
  })

  test('have the word of the record above before their own', () => {
    const shown = objectOf(['id', 'role', 'since', 'team_id'])
    const operations = [
      operationOn('POST /team_members', { sent: objectOf(['role', 'team_id']), shown }),
      operationOn('GET /team_members/{id}', { shown }),
      operationOn('GET /teams/{team}/members', { shown: listOf(shown) }),
    ]
    const aliases = { '/teams/{team}/members': { team: 'team_id' } }
    expect(hintsAt('team_members', operations)).toEqual({ aliases })
  })

  test('lead to records that name the one above in a list, or that only requests name', () => {
    const project = listOf(objectOf(['gid', 'name']))
    const shown = objectOf({ id: TEXT, title: TEXT, note: TEXT, projects: project })
    const sent = objectOf({ title: TEXT, note: TEXT, board_id: TEXT })
    const operations = [
      operationOn('POST /tasks', { sent, shown }),
      operationOn('GET /tasks/{id}', { shown }),
      operationOn('GET /projects/{project_gid}/tasks', { shown: listOf(shown) }),
      operationOn('GET /boards/{board}/tasks', { shown: listOf(shown) }),
    ]
    const aliases = {
      '/projects/{project_gid}/tasks': { project_gid: '/projects/gid' },
      '/boards/{board}/tasks': { board: 'board_id' },
    }
    expect(hintsAt('tasks', operations)).toEqual({ aliases })
  })

  test('lead to the collection with their word rather than to one whose word ends with it', () => {
    const payment = objectOf(['id', 'account_id', 'amount'])
    const operations = ['payments', 'scheduled_payments'].flatMap((word) => [
      operationOn(`POST /${word}`, { sent: objectOf(['account_id', 'amount']), shown: payment }),
      operationOn(`GET /${word}/{id}`, { shown: payment }),
    ])
    const list = operationOn('GET /accounts/{account_id}/payments', { shown: listOf(payment) })
    const aliases = { '/accounts/{account_id}/payments': { account_id: 'account_id' } }

    expect(hintsAt('payments', [...operations, list])).toEqual({ aliases })
    expect(hintsAt('scheduled_payments', [...operations, list])).toEqual({})
  })

  test('lead to records that requests create only there', () => {
    const meeting = ['id', 'topic', 'agenda', 'start', 'length', 'join_url', 'timezone', 'host']
    const operations = [
      operationOn('GET /meetings/{id}', { shown: objectOf(meeting) }),
      operationOn('POST /users/{user_id}/meetings', {
        sent: objectOf(['topic', 'agenda', 'start']),
        shown: objectOf([...meeting.slice(0, -1), 'registration_url']),
      }),
      operationOn('GET /users/{user_id}/meetings', {
        shown: listOf(objectOf(['id', 'topic', 'start'])),
      }),
    ]
    const aliases = { '/users/{user_id}/meetings': { user_id: true } }
    expect(hintsAt('meetings', operations)).toEqual({ aliases })

    const creation = operationOn('POST /meetings', { sent: objectOf(['topic']) })
    expect(hintsAt('meetings', [...operations, creation])).toEqual({})
  })

  test('lead to records that name whatever is above them', () => {
    const shown = objectOf(['id', 'type', 'started', 'resource_id'])
    const operations = [
      operationOn('GET /actions/{id}', { shown }),
      operationOn('GET /drives/{drive_id}/actions', { shown: listOf(shown) }),
      operationOn('POST /drives/{drive_id}/actions', {
        sent: objectOf(['type', 'size', 'name', 'speed']),
        shown,
      }),
      operationOn('GET /drives/{drive_id}/actions/{action_id}', { shown }),
    ]
    const aliases = { '/drives/{drive_id}/actions': { drive_id: 'resource_id' } }
    expect(hintsAt('actions', operations)).toEqual({ aliases })
  })
})

test('a path with a parameter at its end that lists records selects some of a collection', () => {
  const order = objectOf(['id', 'user_id', 'category', 'total'])
  const operations = [
    operationOn('GET /orders', { shown: listOf(order) }),
    operationOn('POST /orders', { sent: objectOf(['user_id', 'total']), shown: order }),
    operationOn('GET /orders/{id}', { shown: order }),
    operationOn('GET /orders/user/{userId}', { shown: listOf(order) }),
    operationOn('GET /orders/by-category/{category}', { shown: listOf(order) }),
    operationOn('GET /orders/weather/{city}', { shown: listOf(objectOf(['day', 'rain'])) }),
    operationOn('GET /orders/latest/{place}', { shown: order }),
  ]

  const inference = inferHints(operations)

  expect(inference.resource('orders')?.aliases).toEqual({
    '/orders/user/{userId}': { userId: 'user_id' },
    '/orders/by-category/{category}': { category: 'category' },
  })
  expect(operations.map((one) => inference.of(one).action)).toEqual([
    ...['list', 'create', 'read', 'list', 'list', 'list', 'read'],
  ])
})

test('the schemas of a path that cannot lead to the records of another one are not read for it', () => {
  const reads = new Set<string>()
  const noted = (operation: Operation): Operation =>
    Object.defineProperty({ ...operation }, 'responses', {
      get: () => {
        reads.add(operation.path)
        return operation.responses
      },
    })
  const inference = inferHints(
    [
      list('/shops', NOTE),
      read('/shops/{id}', NOTE),
      read('/shops/latest', NOTE),
      list('/shops/tasks', TASK),
      read('/shops/tasks/{id}', TASK),
    ].map(noted),
  )

  inference.resource('shops')

  expect(reads).not.toContain('/shops/tasks')
  expect(reads).not.toContain('/shops/tasks/{id}')
})

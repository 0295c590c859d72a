import { describe, expect, test } from 'vitest'
import type { Contract, Schema } from '../../contract/contract.ts'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const ID = { type: 'integer' }
const content = (schema: object): object => ({ content: { 'application/json': { schema } } })
const answers = (schema: object): object => ({
  responses: { 200: { description: '', ...content(schema) } },
})
const TASK = { $ref: '#/components/schemas/Task' }
const ANSWER = objectOf({
  ...{ ok: { type: 'boolean' }, error: TEXT, note: TEXT },
  ...{ task: TASK, tasks: { type: 'array', items: TASK } },
})
const call = (
  operationId: string,
  properties: Readonly<Record<string, Schema>>,
  hints: object,
  shown = ANSWER,
): object => ({
  post: {
    operationId,
    requestBody: { required: true, ...content({ ...objectOf(properties), required: [] }) },
    ...answers({ ...shown, required: ['ok'] }),
    'x-sandbox': { resource: 'tasks', ...hints },
  },
})
const OK = { ok: true, error: '{absent}', note: '{absent}' }

const PATHS = {
  '/rpc/create': call(
    'createTask',
    { title: TEXT, board: TEXT },
    { action: 'create', record: '/task', answer: { ...OK, note: 'Added {record.title}' } },
  ),
  '/rpc/get': call(
    'getTask',
    { task: ID },
    { action: 'read', record: '/task', ids: '/task', answer: OK },
  ),
  '/rpc/rename': call(
    'renameTask',
    { taskId: ID, title: TEXT },
    {
      ...{ action: 'update', record: '/task', ids: '/taskId', answer: OK },
      codes: { not_found: 'no_task' },
    },
  ),
  '/rpc/list': call(
    'listTasks',
    { board: TEXT, parent: ID },
    {
      ...{ action: 'list', record: '/tasks', answer: { ...OK, note: '{above.title}' } },
      refers: { above: { in: '/tasks', id: '{body.parent}', code: 'no_parent' } },
      refuse: [{ unless: { 'body.board': ['home', 'work'] }, status: 400, code: 'no_board' }],
      where: { board: '{body.board}' },
    },
  ),
  '/rpc/plain': call(
    'plain',
    { quantity: ID },
    { resource: false, answer: { note: '{body.quantity} pieces', error: '{absent}' } },
  ),
  '/rpc': call(
    'call',
    { method: TEXT, task: ID, title: TEXT },
    {
      resource: false,
      cases: [
        {
          ...{ when: { 'body.method': ['get', 'read'] }, resource: 'tasks', action: 'read' },
          ...{ ids: '/task', record: '/task', answer: { ok: true } },
        },
        {
          ...{ when: { 'body.method': 'remove' }, resource: 'tasks', action: 'remove' },
          ...{ ids: '/task', answer: { ok: true, note: 'Gone' } },
        },
      ],
    },
  ),
}

const ROOT = {
  'x-sandbox': {
    failures: { body: { ok: false, error: '{error.code}', note: '{error.field}' } },
    codes: { not_found: 'task_not_found' },
    resources: { '/tasks': { resource: 'tasks', schema: 'Task' } },
  },
  components: {
    schemas: { Task: { ...objectOf({ id: ID, title: TEXT, board: TEXT }), required: ['id'] } },
  },
}

async function open(root: object = ROOT): Promise<Sandbox> {
  const contract = await loadDocumentOf(PATHS, root)
  return createSandbox({ contract, records: { tasks: [{ id: 1, title: 'One', board: 'home' }] } })
}

async function send(
  sandbox: Sandbox,
  path: string,
  body: object,
): Promise<Record<string, unknown> & { readonly status: number }> {
  const request = new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const response = await sandbox.fetch(request)
  return { status: response.status, ...(await response.json()) }
}

describe('calls at paths of their own', () => {
  test('are about the records of one collection, which no path shows', async () => {
    const sandbox = await open()

    expect(await send(sandbox, '/rpc/create', { title: 'Two', board: 'work' })).toMatchObject({
      ...{ status: 200, ok: true, note: 'Added Two' },
      task: { id: 2, title: 'Two', board: 'work' },
    })
    expect(await send(sandbox, '/rpc/rename', { taskId: 2, title: 'Zwei' })).toMatchObject({
      ...{ status: 200, ok: true },
      task: { id: 2, title: 'Zwei', board: 'work' },
    })
    expect((await send(sandbox, '/rpc/get', { task: 2 })).task).toMatchObject({ title: 'Zwei' })
    expect(await sandbox.collection('tasks').get(2)).not.toHaveProperty('taskId')
  })

  test('list the records with the values of the request, and what references lead to', async () => {
    const sandbox = await open()
    await send(sandbox, '/rpc/create', { title: 'Two', board: 'work' })

    expect(await send(sandbox, '/rpc/list', { board: 'work', parent: 1 })).toMatchObject({
      ...{ status: 200, ok: true, note: 'One' },
      tasks: [{ id: 2, title: 'Two', board: 'work' }],
    })
  })

  test('are refused by conditions and references of lists, too', async () => {
    const sandbox = await open()

    expect(await send(sandbox, '/rpc/list', {})).toMatchObject({ error: 'no_board' })
    expect(await send(sandbox, '/rpc/list', { board: 'work', parent: 7 })).toMatchObject({
      ok: false,
      error: 'no_parent',
    })
  })
})

describe('a collection that only hints know', () => {
  const hints = (resource: object): object => ({
    ...ROOT,
    'x-sandbox': { resources: { '/tasks': { resource: 'tasks', schema: 'Task', ...resource } } },
  })

  test('has nothing that nobody has set, where its hints say so', async () => {
    const contract = await loadDocumentOf(PATHS, hints({ values: { '*': '{absent}' } }))
    const sandbox = createSandbox({ contract, records: 0 })

    const { task } = await send(sandbox, '/rpc/create', { title: 'Two' })

    expect(task).toEqual({ id: 1, title: 'Two' })
    expect(await sandbox.collection('tasks').create({ board: 'work' })).toEqual({
      id: 2,
      board: 'work',
    })
  })

  test('may have one record, which no id names', async () => {
    const contract = await loadDocumentOf(PATHS, hints({ single: true }))
    const sandbox = createSandbox({ contract })

    const { status, task } = await send(sandbox, '/rpc/get', { task: 'tasks' })

    expect(status).toBe(400)
    expect(task).toBeUndefined()
    expect(await sandbox.collection('tasks').count()).toBe(1)
  })
})

test('a condition may have alternatives that compare', async () => {
  const unless = { 'body.task': ['{absent}', { from: 5, to: 7 }] }
  const listing = { action: 'list', record: '/tasks', refuse: [{ unless }] }
  const paths = { '/rpc/find': call('findTasks', { task: ID }, listing) }
  const { failures: _, ...hints } = ROOT['x-sandbox']
  const contract = await loadDocumentOf(paths, { ...ROOT, 'x-sandbox': hints })
  const sandbox = createSandbox({ contract })
  const statusOf = async (body: object): Promise<number> =>
    (await send(sandbox, '/rpc/find', body)).status

  expect([await statusOf({}), await statusOf({ task: 6 })]).toEqual([200, 200])
  expect(await send(sandbox, '/rpc/find', { task: 8 })).toMatchObject({
    status: 409,
    message: 'body.task is 8, and must be absent or at least 5 and at most 7.',
  })
})

describe('failures that are no errors of HTTP', () => {
  test('have the status and body of the hints, and the codes of the document', async () => {
    const sandbox = await open()

    expect(await send(sandbox, '/rpc/get', { task: 9 })).toEqual({
      ...{ status: 200, ok: false, error: 'task_not_found' },
    })
    expect(await send(sandbox, '/rpc/rename', { taskId: 9 })).toMatchObject({ error: 'no_task' })
    expect(await send(sandbox, '/rpc/create', { title: 5 })).toEqual({
      ...{ status: 200, ok: false, error: 'invalid_request', note: 'body.title' },
    })
  })

  test('leave spent quotas and forced statuses as they are', async () => {
    const sandbox = await open()

    sandbox.force({ operation: 'getTask', status: 404, times: 1 })
    expect((await send(sandbox, '/rpc/get', { task: 1 })).status).toBe(404)
    sandbox.force('rate-limited', { times: 1 })
    expect((await send(sandbox, '/rpc/get', { task: 1 })).status).toBe(429)
  })

  test('may have codes only', async () => {
    const { failures: _, ...hints } = ROOT['x-sandbox']
    const sandbox = await open({ ...ROOT, 'x-sandbox': hints })
    await sandbox.collection('tasks').remove(1)

    expect(await send(sandbox, '/rpc/get', { task: 1 })).toMatchObject({
      status: 404,
      code: 'task_not_found',
    })
  })
})

describe('an operation with cases', () => {
  test('does what the first case says that holds', async () => {
    const sandbox = await open()

    expect(await send(sandbox, '/rpc', { method: 'read', task: 1 })).toMatchObject({
      ok: true,
      task: { title: 'One' },
    })
    expect(await send(sandbox, '/rpc', { method: 'remove', task: 1 })).toMatchObject({
      ok: true,
      note: 'Gone',
    })
    expect(await send(sandbox, '/rpc', { method: 'get', task: 1 })).toMatchObject({ ok: false })
  })

  test('is what its other hints say when none holds', async () => {
    const sandbox = await open()

    const { status } = await send(sandbox, '/rpc', { method: 'other', task: 1 })

    expect(status).toBe(200)
    expect(await sandbox.collection('tasks').count()).toBe(1)
  })
})

test('a stateless operation may answer with values of the request', async () => {
  const sandbox = await open()

  const answer = await send(sandbox, '/rpc/plain', { quantity: 3 })

  expect(answer).toMatchObject({ status: 200, note: '3 pieces' })
  expect(answer).not.toHaveProperty('error')
})

test('a test may add a record of a collection whose requests have it in an envelope', async () => {
  const book = objectOf({ id: ID, title: TEXT })
  const contract: Contract = await loadDocumentOf({
    '/books': {
      post: {
        operationId: 'addBook',
        requestBody: content({ ...objectOf({ book: objectOf(['title']) }), required: ['book'] }),
        ...answers(objectOf({ book })),
      },
    },
    '/books/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: ID }],
      get: { operationId: 'getBook', ...answers(objectOf({ book })) },
    },
  })
  const books = createSandbox({ contract, records: 0 }).collection('books')

  expect(await books.create({ title: 'Emma' })).toMatchObject({ title: 'Emma' })
  await expect(books.create({ title: 5 })).rejects.toThrow('title must be string')
})

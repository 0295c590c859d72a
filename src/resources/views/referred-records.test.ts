import { describe, expect, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts'
import { type DocumentedApi, openApi } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const ID = { type: 'integer' }
const USER = { ...objectOf({ id: ID, login: TEXT, city: TEXT }), required: ['id', 'login', 'city'] }
const LABEL = { ...objectOf({ id: ID, name: TEXT, color: TEXT }), required: ['id', 'name'] }
const TASK = objectOf({
  ...{ id: ID, title: TEXT },
  assignee: objectOf({ id: ID, login: TEXT }),
  labels: { type: 'array', items: objectOf({ id: ID, name: TEXT, color: TEXT }) },
  parent: { ...objectOf({ id: ID, title: TEXT }), type: ['object', 'null'] },
})
const SENT = objectOf({ title: TEXT, assignee_id: ID, labels: {}, parent: {} })

function answers(schema: object, status = 200): object {
  const content = { 'application/json': { schema } }
  return { responses: { [status]: { description: '', content }, 404: { description: '' } } }
}

function collection(path: string, shown: object, sent: object): Readonly<Record<string, object>> {
  const requestBody = { content: { 'application/json': { schema: sent } } }
  return {
    [path]: {
      get: answers({ type: 'array', items: shown }),
      post: { requestBody, ...answers(shown, 201) },
    },
    [`${path}/{id}`]: {
      parameters: [{ name: 'id', in: 'path', required: true, schema: ID }],
      get: answers(shown),
      patch: { requestBody, ...answers(shown) },
    },
  }
}

const PATHS = {
  ...collection('/users', USER, objectOf(['login', 'city'])),
  ...collection('/labels', LABEL, objectOf(['name', 'color'])),
  ...collection('/tasks', TASK, SENT),
}

async function send(
  sandbox: Sandbox,
  target: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = target.split(' ')
  const sent = body && { body: JSON.stringify(body) }
  const headers = { 'content-type': 'application/json' }
  const request = new Request(`http://localhost${path}`, { method, headers, ...sent })
  const response = await sandbox.fetch(request)
  expect(response.status).toBeLessThan(300)
  return response.json() as Promise<Record<string, unknown>>
}

describe('an object that refers to a record', () => {
  test('shows the record that a request names by its id', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(PATHS) })
    const ann = await send(sandbox, 'POST /users', { login: 'ann', city: 'Oslo' })

    const task = await send(sandbox, 'POST /tasks', { title: 'One', assignee_id: ann.id })

    expect(task.assignee).toEqual({ id: ann.id, login: 'ann' })
    expect(await send(sandbox, `GET /tasks/${task.id}`)).toEqual(task)
  })

  test('shows each record of a list, also after a change', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(PATHS) })
    const red = await send(sandbox, 'POST /labels', { name: 'red', color: '#f00' })
    const task = await send(sandbox, 'POST /tasks', { title: 'One', labels: [] })

    const changed = await send(sandbox, `PATCH /tasks/${task.id}`, { labels: [red.id, 999_999] })

    expect(changed.labels).toEqual([{ id: red.id, name: 'red', color: '#f00' }, { id: 999_999 }])
  })

  test('keeps what the client sent of it', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(PATHS) })
    const above = await send(sandbox, 'POST /tasks', { title: 'Above' })

    const named = await send(sandbox, 'POST /tasks', { title: 'One', parent: { id: above.id } })
    const other = { id: above.id, title: 'Other' }
    const given = await send(sandbox, 'POST /tasks', { title: 'Two', parent: other })

    expect(named.parent).toEqual({ id: above.id, title: 'Above' })
    expect(given.parent).toEqual(other)
  })

  test('is empty when a request empties it', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(PATHS) })
    const above = await send(sandbox, 'POST /tasks', { title: 'Above' })
    const task = await send(sandbox, 'POST /tasks', { title: 'One', parent: above.id })

    const changed = await send(sandbox, `PATCH /tasks/${task.id}`, { parent: null })

    expect(changed.parent).toBeNull()
  })
})

/** Tasks that also show the id of the assignee, as requests have it. */
const SHOWN_IDS = {
  ...collection('/users', USER, objectOf(['login', 'city'])),
  ...collection('/labels', LABEL, objectOf(['name', 'color'])),
  ...collection(
    '/tasks',
    objectOf({
      ...{ id: ID, title: TEXT, assignee_id: { type: ['integer', 'null'] } },
      assignee: { ...objectOf({ id: ID, login: TEXT }), type: ['object', 'null'] },
      team: objectOf({ id: ID, name: TEXT }),
      labels: { type: 'array', items: objectOf({ id: ID, name: TEXT }) },
      owner: objectOf({ id: ID, login: TEXT }),
    }),
    objectOf({ title: TEXT, assignee_id: { type: ['integer', 'null'] }, label_ids: {} }),
  ),
}

const REMOVAL = { delete: { responses: { 204: { description: '' } } } }
const REMOVABLE = {
  ...SHOWN_IDS,
  '/users/{id}': { ...SHOWN_IDS['/users/{id}'], ...REMOVAL },
  '/labels/{id}': { ...SHOWN_IDS['/labels/{id}'], ...REMOVAL },
}

describe('an object follows the record that it shows', () => {
  test('when that changes', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(SHOWN_IDS) })
    const ann = await send(sandbox, 'POST /users', { login: 'ann' })
    const { id } = await send(sandbox, 'POST /tasks', { title: 'One', assignee_id: ann.id })
    const before = await send(sandbox, `GET /tasks/${id}`)

    await send(sandbox, `PATCH /users/${ann.id}`, { login: 'eve' })
    const after = await send(sandbox, `GET /tasks/${id}`)

    expect(before.assignee).toEqual({ id: ann.id, login: 'ann' })
    expect(after).toEqual({ ...before, assignee: { id: ann.id, login: 'eve' } })
  })

  test('when the id beside it changes, and is empty with it', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(SHOWN_IDS) })
    const ann = await send(sandbox, 'POST /users', { login: 'ann' })
    const task = await send(sandbox, 'POST /tasks', { title: 'One' })

    const assigned = await send(sandbox, `PATCH /tasks/${task.id}`, { assignee_id: ann.id })
    const emptied = await send(sandbox, `PATCH /tasks/${task.id}`, { assignee_id: null })

    expect(task).toMatchObject({ assignee: null, labels: [] })
    expect(assigned.assignee).toEqual({ id: ann.id, login: 'ann' })
    expect(emptied).toMatchObject({ assignee: null, assignee_id: null })
  })

  test('of which the first records exist', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(SHOWN_IDS) })
    const task = await send(sandbox, 'GET /tasks/3')
    const { id, login } = Object(task.assignee)

    expect(task.assignee_id).toBe(id)
    expect(await send(sandbox, `GET /users/${id}`)).toMatchObject({ login })
  })

  test('of which a new record has an existing one, where no request can choose it', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(SHOWN_IDS) })
    const { owner } = await send(sandbox, 'POST /tasks', { title: 'One' })

    expect(await send(sandbox, `GET /users/${Object(owner).id}`)).toMatchObject(Object(owner))
  })
})

test('a removed record is in no object and no list any more', async () => {
  const sandbox = createSandbox({ contract: await loadDocumentOf(REMOVABLE) })
  const ann = await send(sandbox, 'POST /users', { login: 'ann' })
  const red = await send(sandbox, 'POST /labels', { name: 'red' })
  const sent = { title: 'One', assignee_id: ann.id, label_ids: [red.id] }
  const task = await send(sandbox, 'POST /tasks', sent)
  for (const path of [`/users/${ann.id}`, `/labels/${red.id}`])
    await sandbox.fetch(new Request(`http://localhost${path}`, { method: 'DELETE' }))

  const after = await send(sandbox, `GET /tasks/${task.id}`)

  expect(task.labels).toEqual([{ id: red.id, name: 'red' }])
  expect(after).toEqual({ ...task, assignee: null, assignee_id: null, labels: [] })
})

describe('a text with one value of the record that an id beside it names', () => {
  const account = objectOf({ id: { type: 'integer' }, name: { type: 'string' } })
  const payment = objectOf({
    id: { type: 'integer' },
    account_id: { type: 'integer' },
    account_name: { type: 'string' },
  })
  const sent = objectOf({ account_id: { type: 'integer' }, account_name: { type: 'string' } })
  const payments: DocumentedApi = {
    'GET /accounts': { shown: listOf(account) },
    'POST /accounts': { sent: objectOf(['name']), shown: account },
    'GET /accounts/{id}': { shown: account },
    'PATCH /accounts/{id}': { sent: objectOf(['name']), shown: account },
    'GET /payments': { shown: listOf(payment) },
    'POST /payments': { sent, shown: payment },
    'GET /payments/{id}': { shown: payment },
    'PATCH /payments/{id}': { sent, shown: payment },
  }

  test('is that of the record, as it is now', async () => {
    const { ask } = await openApi(payments)
    const { body: cash } = await ask('POST /accounts', { name: 'Cash' })
    const { body: bank } = await ask('POST /accounts', { name: 'Bank' })
    const { body: made } = await ask('POST /payments', { account_id: cash.id })
    const path = `/payments/${made.id}`

    expect(made.account_name).toBe('Cash')
    await ask(`PATCH /accounts/${cash.id}`, { name: 'Petty cash' })
    expect((await ask(`GET ${path}`)).body.account_name).toBe('Petty cash')
    const { body: moved } = await ask(`PATCH ${path}`, { account_id: bank.id })
    expect(moved.account_name).toBe('Bank')
  })

  test('is what the client sent instead', async () => {
    const { ask } = await openApi(payments)
    const { body: cash } = await ask('POST /accounts', { name: 'Cash' })

    const sent = { account_id: cash.id, account_name: 'Mine' }
    const { body: made } = await ask('POST /payments', sent)

    expect(made).toEqual({ id: made.id, ...sent })
    expect((await ask(`GET /payments/${made.id}`)).body).toEqual(made)
  })

  test('is that of an existing record in the first records', async () => {
    const { ask } = await openApi(payments)
    const { body: accounts } = await ask<readonly { id: number; name: string }[]>('GET /accounts')
    const { body: listed } =
      await ask<readonly { account_id: number; account_name: string }[]>('GET /payments')

    const names = new Map(accounts.map(({ id, name }) => [id, name]))
    expect(listed.map((one) => one.account_name)).toEqual(
      listed.map((one) => names.get(one.account_id)),
    )
  })
})

describe('records with an id of the service besides the key that clients choose', () => {
  const UUID = { type: 'string', format: 'uuid' }
  const CUSTOMER = objectOf({ slug: TEXT, acme_id: UUID, external_id: TEXT, name: TEXT })
  const WALLET = objectOf({ acme_id: UUID, acme_customer_id: UUID, external_customer_id: TEXT })
  const PAYMENT = objectOf({ acme_id: UUID, acme_wallet_id: UUID, customer: CUSTOMER })
  const one = (path: string, parameter: object, shown: object): object => ({
    [path]: {
      get: { ...answers(shown), parameters: [{ in: 'path', required: true, ...parameter }] },
    },
  })
  const many = (path: string, shown: object, sent: object, parameters: readonly object[] = []) => ({
    [path]: {
      get: { parameters, ...answers({ type: 'array', items: shown }) },
      post: {
        requestBody: { content: { 'application/json': { schema: sent } } },
        ...answers(shown, 201),
      },
    },
  })
  const ACME_ID = { name: 'acme_id', schema: UUID }
  const CUSTOMER_ID = { name: 'external_customer_id', schema: TEXT }
  const SERVICE = {
    ...many('/customers', CUSTOMER, objectOf(['external_id', 'name'])),
    ...one('/customers/{external_customer_id}', CUSTOMER_ID, CUSTOMER),
    ...many('/wallets', WALLET, objectOf(['external_customer_id'])),
    ...one('/wallets/{acme_id}', ACME_ID, WALLET),
    ...many('/payments', PAYMENT, objectOf(['wallet_id', 'external_customer_id']), [
      { in: 'query', ...CUSTOMER_ID },
    ]),
    ...one('/payments/{acme_id}', ACME_ID, PAYMENT),
  }

  test('are found by both, and others show the one that requests do not name', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(SERVICE) })
    const ann = await send(sandbox, 'POST /customers', { external_id: 'ann', name: 'Ann' })

    const wallet = await send(sandbox, 'POST /wallets', { external_customer_id: 'ann' })
    const payment = await send(sandbox, 'POST /payments', {
      wallet_id: wallet.acme_id,
      external_customer_id: 'ann',
    })

    expect(await send(sandbox, 'GET /customers/ann')).toEqual(ann)
    expect(await send(sandbox, `GET /customers/${ann.acme_id}`)).toEqual(ann)
    expect(wallet.acme_customer_id).toBe(ann.acme_id)
    expect(payment).toMatchObject({ acme_wallet_id: wallet.acme_id, customer: ann })
  })

  test('have ids of their own, and lists select what refers to them', async () => {
    const sandbox = createSandbox({ contract: await loadDocumentOf(SERVICE) })
    const ann = await send(sandbox, 'POST /customers', { external_id: 'ann', name: 'Ann' })
    const bob = await send(sandbox, 'POST /customers', { external_id: 'bob', name: 'Bob' })
    const payment = await send(sandbox, 'POST /payments', { external_customer_id: 'bob' })

    const found = await send(sandbox, 'GET /payments?external_customer_id=bob')

    expect(bob.acme_id).not.toBe(ann.acme_id)
    expect(found).toEqual([payment])
  })
})

const STUDIO = objectOf({ id: ID, handle: TEXT, title: TEXT })
const BENCH = objectOf({ id: ID, title: TEXT, studio: STUDIO })

/** Studios whose handle is chosen by clients, with benches that show their studio. */
const STUDIOS: DocumentedApi = {
  'GET /studios': { shown: listOf(STUDIO) },
  'POST /studios': { sent: objectOf(['handle', 'title']), shown: STUDIO, status: [201] },
  'GET /studios/{studio}': { shown: STUDIO, status: [200, 404] },
  'GET /studios/{studio}/benches': { shown: listOf(BENCH) },
  'POST /studios/{studio}/benches': { sent: objectOf(['title']), shown: BENCH, status: [201] },
  'GET /studios/{studio}/benches/{id}': { shown: BENCH, path: { id: ID }, status: [200, 404] },
  'GET /benches': { shown: listOf(BENCH) },
}

describe('an object that shows the record above, which is found by its handle', () => {
  test('is that record in a new one, and in lists over all of them', async () => {
    const { ask } = await openApi(STUDIOS)
    const { body: studio } = await ask('POST /studios', { handle: 'oak', title: 'Oak' })

    const { body: bench } = await ask('POST /studios/oak/benches', { title: 'One' })

    expect(bench.studio).toEqual(studio)
    expect((await ask<object[]>('GET /studios/oak/benches')).body).toEqual([bench])
  })

  test('is that record in the first ones', async () => {
    const { ask } = await openApi(STUDIOS)
    const [studio = {}] = (await ask<{ handle?: string }[]>('GET /studios')).body

    const { body } = await ask<object[]>(`GET /studios/${studio.handle}/benches`)

    expect(body.length).toBeGreaterThan(0)
    expect(body).toEqual(body.map((bench) => ({ ...bench, studio })))
  })
})

test('an object in a first record shows one of the records that are found by a name', async () => {
  const { ask } = await openApi({
    ...STUDIOS,
    'GET /visits': { shown: listOf(objectOf({ id: ID, day: TEXT, studio: STUDIO })) },
    'POST /visits': { sent: objectOf(['day']), status: [204] },
  })
  const { body: studios } = await ask<object[]>('GET /studios')

  const { body } = await ask<{ studio: object }[]>('GET /visits')

  expect(studios).toEqual(expect.arrayContaining(body.map(({ studio }) => studio)))
})

test('a user that a request names is one of all users, not of those that a list below its parent shows', async () => {
  const issue = objectOf({ id: ID, assignees: { type: 'array', items: USER } })
  const { ask } = await openApi({
    'GET /users': { shown: listOf(USER) },
    'POST /users': { sent: objectOf(['login', 'city']), shown: USER, status: [201] },
    'GET /users/{id}': { shown: USER, status: [200, 404] },
    'POST /repos': { sent: objectOf(['name']), shown: objectOf(['id']), status: [201] },
    'GET /repos/{repo}': { shown: objectOf(['id']), status: [200, 404] },
    'GET /repos/{repo}/assignees': { shown: listOf(USER) },
    'GET /repos/{repo}/issues/{id}': { shown: issue, status: [200, 404] },
    'POST /repos/{repo}/issues': {
      ...{ sent: objectOf({ assignees: { type: 'array', items: TEXT } }), status: [201] },
      shown: issue,
    },
  })
  const { body: user } = await ask('POST /users', { login: 'ann', city: 'Rome' })
  const { body: repo } = await ask('POST /repos', {})

  const { body } = await ask(`POST /repos/${repo.id}/issues`, { assignees: ['ann'] })

  expect(body.assignees).toEqual([user])
})

test.each(['repo', 'repository'])('the %s of a record is the one in its path', async (name) => {
  const text = { type: 'string' }
  const repo = objectOf({ id: ID, name: text, full_name: text, owner: objectOf({ login: text }) })
  const run = {
    ...objectOf({ id: ID, state: text, [name]: repo }),
    required: ['id', 'state', name],
  }
  const { ask } = await openApi({
    'GET /repos/{owner}/{repo}': { shown: repo },
    'PATCH /repos/{owner}/{repo}': { sent: objectOf(['name']), shown: repo },
    'GET /orgs/{org}/repos': { shown: listOf(repo) },
    'POST /orgs/{org}/repos': { sent: objectOf(['name']), shown: repo, status: [201] },
    'GET /repos/{owner}/{repo}/runs': { shown: listOf(run) },
    'POST /repos/{owner}/{repo}/runs': {
      sent: objectOf({ state: text }),
      shown: run,
      status: [201],
    },
    'GET /repos/{owner}/{repo}/runs/{id}': { shown: run, path: { id: ID } },
  })
  await ask('POST /orgs/acme/repos', { name: 'api' })
  const { body: own } = await ask('GET /repos/acme/api')

  const { body: first } = await ask<Record<string, unknown>[]>('GET /repos/acme/api/runs')
  const { body: created } = await ask('POST /repos/acme/api/runs', { state: 'new' })

  expect([...first, created].map((one) => one[name])).toEqual([...first, created].map(() => own))
})

import { expect, test } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { objectOf } from '../../testing/operation-on.ts'

const TEXT = { type: 'string' }
const ID = { type: 'integer' }
const LABEL = { ...objectOf({ id: ID, name: TEXT, color: TEXT }), required: ['id', 'name'] }
const LABELS = { type: 'array', items: LABEL }
const ISSUE = { ...objectOf({ id: ID, title: TEXT, labels: LABELS }), required: ['id', 'labels'] }

function answers(schema: object, status = 200): object {
  const content = { 'application/json': { schema } }
  return { responses: { [status]: { description: '', content }, 404: { description: '' } } }
}

function takes(schema: object): object {
  return { requestBody: { content: { 'application/json': { schema } } } }
}

function named(...names: readonly string[]): object {
  const schema = (name: string): object => (name === 'name' ? TEXT : ID)
  return {
    parameters: names.map((name) => ({ name, in: 'path', required: true, schema: schema(name) })),
  }
}

const LIST = { type: 'array', items: TEXT }
const NAMES = objectOf({ labels: LIST })
const PATHS = {
  '/labels': {
    get: answers(LABELS),
    post: { ...takes(objectOf(['name', 'color'])), ...answers(LABEL, 201) },
  },
  '/labels/{name}': { ...named('name'), get: answers(LABEL) },
  '/issues': { post: { ...takes(objectOf(['title'])), ...answers(ISSUE, 201) } },
  '/issues/{id}': { ...named('id'), get: answers(ISSUE) },
  '/issues/{id}/labels': {
    ...named('id'),
    get: answers(LABELS),
    post: { ...takes(NAMES), ...answers(LABELS) },
    put: { ...takes(NAMES), ...answers(LABELS) },
    delete: { responses: { 204: { description: '' } } },
  },
  '/issues/{id}/change_labels': {
    ...named('id'),
    post: {
      ...takes(objectOf({ add: LIST, remove: LIST })),
      ...answers(objectOf({ issue: ISSUE })),
    },
  },
  '/issues/{id}/labels/{name}': { ...named('id', 'name'), delete: answers(LABELS) },
}

test('a list in a record is read and changed at its own path', async () => {
  const sandbox = createSandbox({ contract: await loadDocumentOf(PATHS) })
  const send = async (target: string, body?: object): Promise<ReturnType<typeof JSON.parse>> => {
    const [method = '', path = ''] = target.split(' ')
    const headers = { 'content-type': 'application/json' }
    const sent = body && { body: JSON.stringify(body), headers }
    const response = await sandbox.fetch(
      new Request(`http://localhost${path}`, { method, ...sent }),
    )
    const text = await response.text()
    return text === '' ? response.status : JSON.parse(text)
  }
  const red = await send('POST /labels', { name: 'red', color: '#f00' })
  const blue = await send('POST /labels', { name: 'blue', color: '#00f' })
  const { id, labels } = await send('POST /issues', { title: 'One' })
  const path = `/issues/${id}/labels`

  expect(labels).toEqual([])
  expect(await send(`POST ${path}`, { labels: ['red'] })).toEqual([red])
  expect(await send(`POST ${path}`, { labels: ['red', 'blue'] })).toEqual([red, blue])
  expect((await send(`GET /issues/${id}`)).labels).toEqual([red, blue])
  expect(await send(`DELETE ${path}/red`)).toEqual([blue])
  expect(await send(`PUT ${path}`, { labels: ['red'] })).toEqual([red])
  expect(await send(`GET ${path}`)).toEqual([red])
  const edit = `POST /issues/${id}/change_labels`
  const edited = { id, title: 'One', labels: [blue] }
  expect((await send(edit, { add: ['blue'], remove: ['red'] })).issue).toEqual(edited)
  expect((await send(edit, { remove: ['blue'] })).issue.labels).toEqual([])
  expect((await send(edit, { add: ['red'] })).issue.labels).toEqual([red])
  expect(await send(`DELETE ${path}`)).toBe(204)
  expect((await send(`GET /issues/${id}`)).labels).toEqual([])
  expect(await send('GET /labels/red')).toEqual(red)
})

test('a list in a record that its own path only reads is no other list of the same records', async () => {
  const { '/issues/{id}/labels': _, '/issues/{id}/change_labels': change, ...others } = PATHS
  const paths = {
    ...others,
    '/issues/{id}/labels': { ...named('id'), get: answers(LABELS) },
    '/issues/{id}/change_labels': change,
  }
  const sandbox = createSandbox({ contract: await loadDocumentOf(paths) })
  const ask = async (method: string, path: string, sent?: object) => {
    const body = sent && JSON.stringify(sent)
    const headers = { 'content-type': 'application/json' }
    const request = new Request(`http://localhost${path}`, {
      method,
      headers,
      ...(body && { body }),
    })
    return (await sandbox.fetch(request)).json()
  }
  const label = await ask('POST', '/labels', { name: 'leak', color: 'red' })
  const issue = await ask('POST', '/issues', { title: 'Tap' })
  const before = await ask('GET', `/issues/${issue.id}/labels`)

  await ask('POST', `/issues/${issue.id}/change_labels`, { add: ['leak'] })

  expect(before).toEqual([])
  expect(await ask('GET', `/issues/${issue.id}/labels`)).toEqual([label])
})

test('a list of records of the same kind has those that requests name', async () => {
  const compact = objectOf({ id: ID, title: TEXT })
  const refs = { type: 'array', items: objectOf({ id: ID }) }
  const task = objectOf({ id: ID, title: TEXT, dependencies: refs, projects: refs })
  const project = objectOf({ id: ID, name: TEXT })
  const dependencies = objectOf({ dependencies: { type: 'array', items: ID } })
  const places = objectOf({ project: ID, section: ID, before: ID, after: ID })
  const changed = { responses: { 204: { description: '' }, 404: { description: '' } } }
  const contract = await loadDocumentOf({
    '/projects': { post: { ...takes(objectOf(['name'])), ...answers(project, 201) } },
    '/projects/{id}': { ...named('id'), get: answers(project) },
    '/tasks': {
      get: answers({ type: 'array', items: compact }),
      post: { ...takes(objectOf(['title'])), ...answers(task, 201) },
    },
    '/tasks/{id}': { ...named('id'), get: answers(task) },
    '/tasks/{id}/addDependencies': {
      ...named('id'),
      post: { ...takes(objectOf({ data: dependencies })), ...changed },
    },
    '/tasks/{id}/removeDependencies': {
      ...named('id'),
      post: { ...takes(objectOf({ data: dependencies })), ...changed },
    },
    '/tasks/{id}/dependencies': {
      ...named('id'),
      get: answers({ type: 'array', items: compact }),
    },
    '/tasks/{id}/addProject': { ...named('id'), post: { ...takes(places), ...changed } },
  })
  const sandbox = createSandbox({ contract })
  const send = async (target: string, body?: object): Promise<ReturnType<typeof JSON.parse>> => {
    const [method = '', path = ''] = target.split(' ')
    const sent = body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }
    const url = `http://localhost${path}`
    const text = await (await sandbox.fetch(new Request(url, { method, ...sent }))).text()
    return text === '' ? undefined : JSON.parse(text)
  }
  const first = await send('POST /tasks', { title: 'Dig' })
  const second = await send('POST /tasks', { title: 'Plant' })
  const garden = await send('POST /projects', { name: 'Garden' })
  const path = `/tasks/${second.id}`

  await send(`POST ${path}/addDependencies`, { data: { dependencies: [first.id] } })
  await send(`POST ${path}/addProject`, { project: garden.id, section: 3 })
  const listed = await send(`GET ${path}/dependencies`)
  const read = await send(`GET ${path}`)
  await send(`POST ${path}/removeDependencies`, { data: { dependencies: [first.id] } })

  expect(listed).toEqual([{ id: first.id, title: 'Dig' }])
  expect(read.dependencies).toEqual([{ id: first.id }])
  expect(read.projects).toEqual([{ id: garden.id }])
  expect(await send(`GET ${path}/dependencies`)).toEqual([])
})

test('a path names one or several items of a list', async () => {
  const ticket = objectOf({ id: ID, label_ids: LIST })
  const items = {
    parameters: [
      { name: 'id', in: 'path', required: true, schema: ID },
      { name: 'label_ids', in: 'path', required: true, schema: LIST },
    ],
  }
  const done = { responses: { 204: { description: '' } } }
  const contract = await loadDocumentOf({
    '/tickets': { post: { ...takes(objectOf({ label_ids: LIST })), ...answers(ticket, 201) } },
    '/tickets/{id}': { ...named('id'), get: answers(ticket) },
    '/tickets/{id}/labels/{label_ids}': { ...items, put: done, delete: done },
  })
  const sandbox = createSandbox({ contract })
  const send = (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { 'Content-Type': 'application/json' }
    const sent = body && { headers, body: JSON.stringify(body) }
    return sandbox.fetch(new Request(`http://localhost${path}`, { method, ...sent }))
  }
  const { id } = await (await send('POST', '/tickets', { label_ids: ['x'] })).json()

  await send('PUT', `/tickets/${id}/labels/a,b`)
  await send('DELETE', `/tickets/${id}/labels/x,a`)

  const shown = await send('GET', `/tickets/${id}`)
  expect(await shown.json()).toEqual({ id, label_ids: ['b'] })
})

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox } from '../../sandbox/sandbox.ts'
import { useTemporaryDirectory } from '../../testing/temporary-directory.ts'
import { loadDocument } from '../load-document.ts'

const directory = useTemporaryDirectory()

const TASK = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, slug: { type: 'string' }, project_id: { type: 'string' } },
}

/** A response with a JSON body. */
function ok(schema: object): object {
  return { 200: { description: 'Done.', content: { 'application/json': { schema } } } }
}

/** A document of tasks with these hints, and what is wrong with it. */
async function load(
  hints: object,
  listHints: object = {},
  parameters: readonly object[] = [],
): Promise<readonly string[]> {
  const list = { get: { parameters, responses: ok({ type: 'array', items: TASK }) } }
  const named = (name: string): object => ({
    parameters: [{ name, in: 'path', required: true, schema: { type: 'string' } }],
  })
  const document = {
    openapi: '3.1.1',
    info: { title: 'Tasks', version: '1' },
    paths: {
      '/tasks': { get: { ...list.get, 'x-sandbox': listHints }, 'x-sandbox': hints },
      '/tasks/{id}': { ...named('id'), get: { responses: ok(TASK) } },
      '/tasks/{id}/notes': { ...named('id'), ...list },
      '/projects/{p}/tasks': { ...named('p'), ...list },
    },
  }
  const file = join(directory(), 'api.json')
  await writeFile(file, JSON.stringify(document))
  const { contract, diagnostics } = await loadDocument(file)
  const sandbox = createSandbox({ contract })
  expect((await sandbox.fetch(new Request('http://localhost/tasks'))).status).toBe(200)
  expect((await sandbox.fetch(new Request('http://localhost/projects/1/tasks'))).status).toBe(200)

  return diagnostics.list().map(({ reason, assumed }) => `${reason}: ${assumed}`)
}

test.each([
  ['the id', { id: 'uid' }, 'property "uid" in id: no record has it'],
  ['a value', { values: { slugg: '{now}' } }, 'property "slugg" in values: no record has it'],
  ['a key', { keys: ['slugg'] }, 'property "slugg" in keys: no record has it'],
  ['what is unique', { unique: { mail: {} } }, 'property "mail" in unique: no record has it'],
  [
    'a reference',
    { references: { owner: 'tasks' } },
    'property "owner" in references: no record has it',
  ],
  [
    'the resource of a reference',
    { references: { project_id: 'projekts' } },
    'resource "projekts" in references: it refers to nothing',
  ],
  [
    'the resource that a parameter names',
    { within: { id: 'projekts' } },
    'resource "projekts" in within: it refers to nothing',
  ],
  [
    'what the parameter of an alias is',
    { aliases: { '/projects/{p}/tasks': { p: 'project' } } },
    'property "project" in aliases: no record has it',
  ],
  [
    'the records below',
    { aliases: { '/projects/{p}/tasks': { p: '{records nots}' } } },
    'collection "nots" in aliases: the path shows all records',
  ],
  [
    'what is counted',
    { values: { slug: '{count nots}' } },
    'collection "nots" in values: it stands for no records',
  ],
  [
    'the collection of the caller',
    { values: { slug: '{caller taks}' } },
    'resource "taks" in values: it refers to nothing',
  ],
  [
    'where the address of a subscription is',
    { subscription: { url: '/target/url', events: '/slug' } },
    'property "target" in subscription: no record has it',
  ],
])(
  'a hint that names %s which the document does not have is reported, and the sandbox starts',
  async (_, hints, mistake) => {
    expect(await load(hints)).toEqual([`x-sandbox: unknown ${mistake}`])
  },
)

test.each([
  ['the collection below', { values: { slug: '{count notes}' } }, {}],
  ['the record itself', { references: { '': 'tasks' } }, {}],
  ['all records', {}, { ids: '*' }],
])('a hint that names %s is no mistake', async (_, hints, listHints) => {
  expect(await load(hints, listHints)).toEqual([])
})

test('a property that no record has is reported where it filters a list', async () => {
  const filters = { q: 'title', s: 'slug', in: { property: ['/owner/id', 'id'], is: 'in' } }

  const parameters = Object.keys(filters).map((name) => ({ name, in: 'query' }))

  expect(await load({}, { filters }, parameters)).toEqual(
    ['title', 'owner'].map(
      (name) =>
        `x-sandbox: unknown property "${name}" in filters: no record has it, so a value selects none`,
    ),
  )
})

test('a stream of a resource that the document does not have is reported', async () => {
  const mistake = (name: string): string =>
    `x-sandbox: unknown resource "${name}" in streams: it refers to nothing`

  expect(await load({}, { streams: 'takss' })).toEqual([mistake('takss')])
  expect(await load({}, { streams: ['tasks', 'users'] })).toEqual([mistake('users')])
  expect(await load({}, { streams: 'tasks' })).toEqual([])
})

test('a property that an operation sets or asks for is reported when it resembles one of the document', async () => {
  const mistake = (name: string, place: string): string =>
    `x-sandbox: unknown property "${name}" in ${place}: records have it beside the properties of the document`

  expect(await load({}, { set: { slugg: 'a' } })).toEqual([mistake('slugg', 'set')])
  expect(
    await load({}, { from: { sulg: 'a' }, after: [{ delay: '1s', set: { projct_id: '1' } }] }),
  ).toEqual([mistake('sulg', 'from'), mistake('projct_id', 'after.0.set')])
  expect(await load({}, { set: { slug: 'a', locked: true } })).toEqual([])
})

test('hints that name what the document has are no mistakes', async () => {
  const aliases = { '/projects/{p}/tasks': { p: 'project_id' } }

  expect(await load({ keys: ['slug'], unique: { slug: {} }, aliases })).toEqual([])
  expect(await load({ aliases: { '/projects/{p}/tasks': { p: true } } })).toEqual([])
})

test('a value that an operation sets and its property cannot have is reported, where only a request tells, in the journal', async () => {
  const text = { type: 'string' }
  const task = {
    type: 'object',
    required: ['id', 'count', 'state'],
    properties: {
      ...{ id: { type: 'integer', readOnly: true }, title: text, count: { type: 'integer' } },
      ...{ state: { type: 'string', enum: ['open', 'done'] }, due: { ...text, format: 'date' } },
      ...{ labels: { type: 'array', items: text }, owner: { properties: { age: text } } },
      ...{ at: { type: 'integer' }, size: { type: 'integer' } },
    },
  }
  const body = { type: 'object', properties: { title: text, size: {}, count: { type: 'number' } } }
  const contract = async (set: object, more: object = {}) => {
    const file = join(directory(), 'api.json')
    await writeFile(
      file,
      JSON.stringify({
        openapi: '3.1.1',
        info: { title: 'Tasks', version: '1' },
        paths: {
          '/tasks': {
            get: { responses: ok({ type: 'array', items: task }) },
            post: {
              requestBody: { content: { 'application/json': { schema: body } } },
              responses: ok(task),
              'x-sandbox': { set, ...more },
            },
          },
        },
      }),
    )
    return loadDocument(file)
  }
  const mistakes = async (set: object, more: object = {}) =>
    (await contract(set, more)).diagnostics
      .list()
      .map(({ reason, assumed, location }) => [/:1:\d+$/.test(location), reason, assumed])
  const generated = 'responses have a generated value'

  const wrong = {
    ...{ count: 'many', state: 'opened', due: 'soon', labels: ['a', 1], owner: { age: 3 } },
    ...{ at: 'at {now}', size: '{body.title}' },
  }
  const right = {
    ...{ count: '{body.count}', state: 'open', due: '{now}', labels: '{absent}', at: '{now}' },
    ...{ size: '{body.size}', title: '{uuid}', hidden: 1 },
  }
  const others = {
    after: [{ delay: '1h', set: { count: true } }],
    also: [{ in: '/tasks', set: { count: 'one' } }],
    answer: { count: 'two' },
  }

  expect(await mistakes(wrong)).toEqual([
    [true, 'x-sandbox: set.count must be integer', generated],
    [true, 'x-sandbox: set.state must be one of "open", "done"', generated],
    [true, 'x-sandbox: set.due must match format "date"', generated],
    [true, 'x-sandbox: set.labels has an item that must be string', generated],
    [true, 'x-sandbox: set.owner.age must be string', generated],
    [true, 'x-sandbox: set.at must be integer', generated],
    [true, 'x-sandbox: set.size must be integer', generated],
  ])
  expect(await mistakes({}, others)).toEqual([
    [true, 'x-sandbox: after[0].set.count must be integer', generated],
    [true, 'x-sandbox: also[0].set.count must be integer', 'the operation fails'],
    [true, 'x-sandbox: answer.count must be integer', 'the response is not as documented'],
  ])
  expect(await mistakes(right)).toEqual([])
  const sandbox = createSandbox({ contract: (await contract(right)).contract })
  const headers = { 'Content-Type': 'application/json' }
  const sent = JSON.stringify({ size: 'large', count: 1 })
  await sandbox.fetch(
    new Request('http://localhost/tasks', { method: 'POST', headers, body: sent }),
  )
  expect(sandbox.journal.exchanges.at(-1)?.notes).toEqual([
    { kind: 'invalid-answer', place: 'x-sandbox sets size to "large"' },
  ])
})

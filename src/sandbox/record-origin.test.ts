import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../client.ts'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../load.ts'
import { startCommand, stopCommands } from '../testing/command.ts'
import { closeInstances, openInstances } from '../testing/redis/instances.ts'
import { findRunStore } from '../testing/redis/run-store.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

const TEXT = { type: 'string' }
const ID = { name: 'id', in: 'path', required: true, schema: TEXT }
const CODE = { name: 'code', in: 'path', required: true, schema: TEXT }
const BOOK = {
  type: 'object',
  properties: { id: TEXT, title: TEXT },
  required: ['id', 'title'],
  additionalProperties: false,
}
const FIRST = { id: 'emma', title: 'Emma' }

function bodyOf(schema: object, example?: object): object {
  return { content: { 'application/json': { schema, ...(example && { example }) } } }
}

function collection(parameters: readonly object[]): object {
  const created = { description: 'Created', ...bodyOf(BOOK) }
  return {
    parameters,
    get: {
      responses: { 200: { description: 'OK', ...bodyOf({ type: 'array', items: BOOK }) } },
    },
    post: {
      requestBody: bodyOf(BOOK, FIRST),
      responses: { 201: created, 409: { description: 'Conflict' }, 406: { description: 'No' } },
    },
  }
}

function item(parameters: readonly object[]): object {
  const shown = { 200: { description: 'OK', ...bodyOf(BOOK) }, 404: { description: 'Missing' } }
  return {
    parameters,
    get: { responses: shown },
    put: { requestBody: bodyOf(BOOK), responses: shown },
    patch: {
      requestBody: bodyOf({ type: 'object', properties: { title: TEXT } }),
      responses: shown,
    },
    delete: { responses: { 204: { description: 'Removed' }, 404: { description: 'Missing' } } },
  }
}

/** Books whose ids clients choose, at the top and below shelves. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1' },
  paths: {
    '/books': collection([]),
    '/books/{id}': item([ID]),
    '/shelves/{code}/books': collection([CODE]),
    '/shelves/{code}/books/{id}': item([CODE, ID]),
  },
}

type Send = (request: Request) => Promise<Response>

/** Where a sandbox keeps its state. `move` takes the state elsewhere, where requests go on. */
interface Home {
  readonly send: Send
  readonly create: (
    path: `/${string}`,
    record: Readonly<Record<string, unknown>>,
  ) => Promise<unknown>
  readonly move: () => Promise<void>
}

const directory = useTemporaryDirectory()
let contract: Contract
let file = ''

beforeEach(async () => {
  file = join(directory(), 'library.json')
  await writeFile(file, JSON.stringify(DOCUMENT))
  contract = await loadContract(file)
})
afterEach(async () => {
  await closeInstances()
  await stopCommands()
})

/** A sandbox or a world. */
type Place = Pick<Sandbox, 'fetch' | 'collection' | 'snapshot'>

/** A home in memory. `next` returns where the state goes from the place where it is. */
function homeInMemory(
  next: (present: Place, sandbox: Sandbox) => Promise<Place> = async (present) => present,
): Home {
  const sandbox = createSandbox({ contract })
  let present: Place = sandbox
  return {
    send: (request) => present.fetch(request),
    create: (path, record) => present.collection(path).create(record),
    move: async () => {
      present = await next(present, sandbox)
    },
  }
}

let forks = 0

async function forked(_: Place, sandbox: Sandbox): Promise<Place> {
  forks += 1
  return sandbox.world(`fork-${forks}`, { from: forks === 1 ? 'default' : `fork-${forks - 1}` })
}

async function restored(present: Place): Promise<Place> {
  const other = createSandbox({ contract })
  await other.restore(JSON.parse(JSON.stringify(await present.snapshot())))
  return other
}

async function homeWithFile(): Promise<Home> {
  const state = join(directory(), `${crypto.randomUUID()}.json`)
  const start = () => startCommand([file, '--state', state, '--log', 'silent'])
  let server = await start()
  return {
    send: (request) => sendTo(server.base, request),
    create: (path, record) =>
      createClient(new URL(server.base).origin).collection(path).create(record),
    move: async () => {
      await server.stop()
      server = await start()
    },
  }
}

async function homeInStore(address: string): Promise<Home> {
  const [one, other] = await openInstances(address, { contract })
  const servers = [one, other]
  return {
    send: (request) => {
      servers.reverse()
      return (servers[0] ?? one).fetch(request)
    },
    create: (path, record) =>
      createClient('http://127.0.0.1', {
        fetch: (url, init) => other.control.fetch(new Request(url, init), { address: '127.0.0.1' }),
      })
        .collection(path)
        .create(record),
    move: async () => undefined,
  }
}

async function sendTo(base: string, request: Request): Promise<Response> {
  const { method, headers } = request
  const { pathname } = new URL(request.url)
  const body = request.body && (await request.text())
  return fetch(new URL(base).origin + pathname, { method, headers, body })
}

const REQUESTS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '', { id: 'made', title: 'Made' }],
  ['POST', '', { id: 'made', title: 'Again' }],
  ['POST', '', { id: 'control', title: 'Again' }],
  ['PUT', '/made', { id: 'made', title: 'Replaced' }],
  ['POST', '', { id: 'made', title: 'After PUT' }],
  ['DELETE', '/made'],
  ['POST', '', { id: 'made', title: 'After DELETE' }],
  ['POST', '', { id: 'made', title: 'And again' }],
  // The record that the collection started with comes from this very example.
  ['POST', '', FIRST],
  ['POST', '', { ...FIRST, title: 'Second' }],
  ['GET', '/made'],
  ['GET', '/emma'],
  ['GET', ''],
]

/** The answers to the requests in both collections. The state moves before each request that `moves` names. */
async function trace(home: Home, moves: readonly number[]): Promise<readonly string[]> {
  const answers: string[] = []
  for (const place of ['/books', '/shelves/one/books'] as const) {
    await home.create(place, { id: 'control', title: 'Control' })
    for (const [at, [method, path, body]] of REQUESTS.entries()) {
      if (moves.includes(at)) await home.move()
      const response = await home.send(
        new Request(`http://localhost${place}${path}`, {
          method,
          ...(body && {
            body: JSON.stringify(body),
            headers: { 'Content-Type': 'application/json' },
          }),
        }),
      )
      const text = response.status < 300 ? await response.text() : ''
      answers.push(`${method} ${place}${path} ${response.status} ${text}`)
    }
  }
  return answers
}

const EVERY = REQUESTS.map((_, at) => at)

describe('creating a record with an id that exists is a conflict, unless the collection started with it,', () => {
  it('in memory', async () => {
    const answers = await trace(homeInMemory(), [])

    const statuses = answers.map((answer) => Number(answer.split(' ')[2]))
    const once = [201, 409, 409, 200, 409, 204, 201, 409, 201, 409, 200, 200, 200]
    expect(statuses).toEqual([...once, ...once])
  })

  it.each<[string, () => Home | Promise<Home>, moves: readonly number[]]>([
    ['forks', () => homeInMemory(forked), EVERY],
    ['restored snapshots', () => homeInMemory(restored), EVERY],
    ['the file of --state after restarts', homeWithFile, [1, 9]],
  ])('also in %s', async (_, open, moves) => {
    const expected = await trace(homeInMemory(), [])

    expect(await trace(await open(), moves)).toEqual(expected)
  })

  it('also when all are sent at once', async () => {
    const { send } = homeInMemory()
    const create = (id: string) =>
      send(
        new Request('http://localhost/books', {
          method: 'POST',
          body: JSON.stringify({ id, title: 'New' }),
          headers: { 'Content-Type': 'application/json' },
        }),
      ).then(({ status }) => status)

    const made = await Promise.all([create('made'), create('made'), create('made')])
    const first = await Promise.all([create('emma'), create('emma'), create('emma')])

    expect(made.sort()).toEqual([201, 409, 409])
    expect(first.sort()).toEqual([201, 409, 409])
  })

  it('also after a creation over a first record that the client did not accept', async () => {
    const { send } = homeInMemory()
    const create = (accept: string) =>
      send(
        new Request('http://localhost/books', {
          method: 'POST',
          body: JSON.stringify(FIRST),
          headers: { 'Content-Type': 'application/json', Accept: accept },
        }),
      ).then(({ status }) => status)

    expect(await create('text/csv')).toBe(406)
    expect([await create('*/*'), await create('*/*')]).toEqual([201, 409])
  })

  it('also in a snapshot of a release that did not save where records came from', async () => {
    const sandbox = createSandbox({ contract })
    const post = (one: Pick<Sandbox, 'fetch'>, id: string) =>
      one
        .fetch(
          new Request('http://localhost/books', {
            method: 'POST',
            body: JSON.stringify({ id, title: 'New' }),
            headers: { 'Content-Type': 'application/json' },
          }),
        )
        .then(({ status }) => status)
    await post(sandbox, 'made')
    const old = JSON.parse(
      JSON.stringify(await sandbox.snapshot(), (name, value) =>
        name === 'made' ? undefined : value,
      ),
    )
    const other = createSandbox({ contract })

    await other.restore(old)

    expect([await post(other, 'made'), await post(other, 'emma')]).toEqual([409, 201])
    expect(await post(other, 'emma')).toBe(409)
  })

  const store = findRunStore()
  it.skipIf(!store)('also in two servers on one store', async () => {
    const expected = await trace(homeInMemory(), [])

    expect(await trace(await homeInStore(store?.address ?? ''), [])).toEqual(expected)
  })
})

it('tests and the control interface do not see what a sandbox notes about its records', async () => {
  const sandbox = createSandbox({ contract })
  const books = sandbox.collection('books')

  const made = await books.create({ id: 'made', title: 'Made' })

  expect(made).toEqual({ id: 'made', title: 'Made' })
  expect(await books.update('made', { title: 'New' })).toEqual({ id: 'made', title: 'New' })
  expect(await books.get('made')).toEqual({ id: 'made', title: 'New' })
  expect(await books.list()).toContainEqual({ id: 'made', title: 'New' })
})

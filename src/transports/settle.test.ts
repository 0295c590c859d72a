import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { createSandboxServer } from './server.ts'
import type { Settle } from './settle.ts'

const library = await loadContract('src/testing/library.yaml')

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(sandbox: Sandbox, settle: Settle): Promise<string> {
  const server = createSandboxServer(sandbox, { settle })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${sandbox.contract.basePath}`
}

const KEY = { Authorization: 'Bearer sk_sandbox_free' }

function post(base: string, body: object = { name: 'Rex', categoryId: 1 }): Promise<Response> {
  const headers = { ...KEY, 'Content-Type': 'application/json' }
  return fetch(`${base}/pets`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const full: Settle = () => Promise.reject(new Error('The disk is full.'))

test('a creation that cannot be kept is journaled as it was answered', async () => {
  const sandbox = createSandbox()
  const base = await serve(sandbox, full)

  const response = await post(base)
  const body = await response.json()

  expect(response.status).toBe(500)
  expect(response.headers.get('X-RateLimit-Remaining')).toBe('59')
  expect(sandbox.journal.exchanges).toMatchObject([
    {
      operation: 'createPet',
      status: 500,
      reason: 'internal-error',
      refusal: {
        code: 'internal_error',
        message: 'What the request changed could not be saved, and was undone. The disk is full.',
      },
    },
  ])
  expect(sandbox.journal.exchanges[0]?.response.body).toBe(JSON.stringify(body))
})

test('a creation is told once it is kept, and journaled no earlier', async () => {
  const sandbox = createSandbox()
  const journaled: number[] = []
  const base = await serve(sandbox, async () => void journaled.push(sandbox.journal.last))

  const response = await post(base)

  expect(response.status).toBe(201)
  expect(journaled).toEqual([0])
  expect(sandbox.journal.exchanges).toMatchObject([{ status: 201 }])
})

/** A write that fails for all who wait for it. */
class SharedWrite {
  #waiting: ((error: Error) => void)[] = []

  readonly settle: Settle = () => new Promise((_resolve, reject) => void this.#waiting.push(reject))

  /** Makes a request, and resolves once it waits for the write. */
  async join(ask: () => Promise<Response>): Promise<Promise<number>[]> {
    const before = this.#waiting.length
    const answer = ask().then(({ status }) => status)
    await expect.poll(() => this.#waiting.length).toBe(before + 1)
    return [answer]
  }

  fail(): void {
    for (const reject of this.#waiting) reject(new Error('The disk is full.'))
  }
}

function change(base: string, method: string, path = '', body?: object): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  return fetch(`${base}${path}`, init)
}

async function statuses(answers: readonly Promise<Response>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status)
}

test('a creation that cannot be kept is undone', async () => {
  const sandbox = createSandbox({ records: 2 })
  const base = await serve(sandbox, full)

  const refused = await post(base)
  const read = await fetch(`${base}/pets/3`, { headers: KEY })
  const listed = await fetch(`${base}/pets`, { headers: KEY })

  expect([refused.status, read.status]).toEqual([500, 404])
  expect(await listed.json()).toMatchObject([{ id: 1 }, { id: 2 }])
})

test('a creation that is kept beside one that is not stays', async () => {
  const sandbox = createSandbox({ records: 0 })
  let writes = 0
  const base = await serve(sandbox, async () => {
    writes += 1
    if (writes === 1) throw new Error('The disk is full.')
  })

  const answers = await statuses([post(base), post(base)])

  expect(answers.sort()).toEqual([201, 500])
  expect(await sandbox.collection('pets').count()).toBe(1)
})

test('every change that cannot be kept is undone', async () => {
  const sandbox = createSandbox({ contract: library, auth: false, records: 3 })
  const before = await sandbox.collection('books').list()
  const base = await serve(sandbox, full)
  const [one, two, three] = before.map(({ id }) => `/books/${id}`)

  const answers = await statuses([
    change(base, 'PUT', one, { ...before[0], title: 'Emma' }),
    change(base, 'PATCH', two, { title: 'Emma' }),
    change(base, 'DELETE', three),
  ])

  expect(answers).toEqual([500, 500, 500])
  expect(await sandbox.collection('books').list()).toEqual(before)
})

test('several changes of one record that cannot be kept are all undone', async () => {
  const sandbox = createSandbox({ contract: library, auth: false, records: 3 })
  const before = await sandbox.collection('books').list()
  const write = new SharedWrite()
  const base = await serve(sandbox, write.settle)
  const [one, two] = before.map(({ id }) => `/books/${id}`)

  const answers = [
    ...(await write.join(() => change(base, 'PATCH', one, { title: 'Emma' }))),
    ...(await write.join(() => change(base, 'PATCH', one, { title: 'Persuasion' }))),
    ...(await write.join(() => change(base, 'PATCH', two, { title: 'Emma' }))),
    ...(await write.join(() => change(base, 'DELETE', two))),
  ]
  write.fail()

  expect(await Promise.all(answers)).toEqual([500, 500, 500, 500])
  expect(await sandbox.collection('books').list()).toEqual(before)
})

test('what changes nothing is not held up by what cannot be kept', async () => {
  const sandbox = createSandbox()
  const base = await serve(sandbox, full)

  const answers = [await fetch(`${base}/pets`), await post(base, {})]

  expect(answers.map(({ status }) => status)).toEqual([401, 400])
})

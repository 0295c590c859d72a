import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Control, type ControlAction, createControl } from '../control.ts'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox, type Sandbox } from '../index.ts'
import { toCoreRequest } from '../sandbox/fetch.ts'
import { createSandboxServer, rejectWithProblem, type SaveChanges } from './server.ts'

const library = await loadContract('src/testing/library.yaml')

const closers: (() => void)[] = []

afterEach(() => {
  for (const close of closers.splice(0)) close()
})

async function serve(
  sandbox: Sandbox,
  saveChanges: SaveChanges,
  control: Control = createControl(sandbox),
): Promise<string> {
  const server = createSandboxServer(sandbox, { saveChanges, control })
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

const rejectSaving: SaveChanges = () => Promise.reject(new Error('The disk is full.'))

test('the journal has a creation that cannot be saved with its 500', async () => {
  const sandbox = createSandbox()
  const base = await serve(sandbox, rejectSaving)

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
        message: 'The changes of the request could not be saved and were undone. The disk is full.',
      },
    },
  ])
  expect(sandbox.journal.exchanges[0]?.response.body).toBe(JSON.stringify(body))
})

test('a creation is saved before it is recorded and answered', async () => {
  const sandbox = createSandbox()
  const journaled: number[] = []
  const base = await serve(sandbox, async () => void journaled.push(sandbox.journal.last))

  const response = await post(base)

  expect(response.status).toBe(201)
  expect(journaled).toEqual([0])
  expect(sandbox.journal.exchanges).toMatchObject([{ status: 201 }])
})

/** A write that rejects for all requests that wait for it. */
class FailingWrite {
  #waiting: ((error: Error) => void)[] = []

  readonly saveChanges: SaveChanges = () =>
    new Promise((_resolve, reject) => void this.#waiting.push(reject))

  /** Sends a request, and resolves when the request waits for the write. */
  async join(ask: () => Promise<Response>): Promise<Promise<number>[]> {
    const before = this.#waiting.length
    const response = ask().then(({ status }) => status)
    await expect.poll(() => this.#waiting.length).toBe(before + 1)
    return [response]
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

async function statuses(responses: readonly Promise<Response>[]): Promise<number[]> {
  return (await Promise.all(responses)).map(({ status }) => status)
}

test('a creation that cannot be saved is undone', async () => {
  const sandbox = createSandbox({ records: 2 })
  const base = await serve(sandbox, rejectSaving)

  const refused = await post(base)
  const read = await fetch(`${base}/pets/3`, { headers: KEY })
  const listed = await fetch(`${base}/pets`, { headers: KEY })

  expect([refused.status, read.status]).toEqual([500, 404])
  expect(await listed.json()).toMatchObject([{ id: 1 }, { id: 2 }])
})

test('a saved creation stays when a concurrent one cannot be saved', async () => {
  const sandbox = createSandbox({ records: 0 })
  let writes = 0
  const base = await serve(sandbox, async () => {
    writes += 1
    if (writes === 1) throw new Error('The disk is full.')
  })

  const responses = await statuses([post(base), post(base)])

  expect(responses.sort()).toEqual([201, 500])
  expect(await sandbox.collection('pets').count()).toBe(1)
})

test('every change of a record that cannot be saved is undone', async () => {
  const sandbox = createSandbox({ contract: library, auth: false, records: 3 })
  const before = await sandbox.collection('books').list()
  const base = await serve(sandbox, rejectSaving)
  const [one, two, three] = before.map(({ id }) => `/books/${id}`)

  const responses = await statuses([
    change(base, 'PUT', one, { ...before[0], title: 'Emma' }),
    change(base, 'PATCH', two, { title: 'Emma' }),
    change(base, 'DELETE', three),
  ])

  expect(responses).toEqual([500, 500, 500])
  expect(await sandbox.collection('books').list()).toEqual(before)
})

test('several changes of one record that cannot be saved are all undone', async () => {
  const sandbox = createSandbox({ contract: library, auth: false, records: 3 })
  const before = await sandbox.collection('books').list()
  const write = new FailingWrite()
  const base = await serve(sandbox, write.saveChanges)
  const [one, two] = before.map(({ id }) => `/books/${id}`)

  const responses = [
    ...(await write.join(() => change(base, 'PATCH', one, { title: 'Emma' }))),
    ...(await write.join(() => change(base, 'PATCH', one, { title: 'Persuasion' }))),
    ...(await write.join(() => change(base, 'PATCH', two, { title: 'Emma' }))),
    ...(await write.join(() => change(base, 'DELETE', two))),
  ]
  write.fail()

  expect(await Promise.all(responses)).toEqual([500, 500, 500, 500])
  expect(await sandbox.collection('books').list()).toEqual(before)
})

test('requests that change nothing do not wait for a save', async () => {
  const sandbox = createSandbox()
  const base = await serve(sandbox, rejectSaving)

  const responses = [await fetch(`${base}/pets`), await post(base, {})]

  expect(responses.map(({ status }) => status)).toEqual([401, 400])
})

/** Sends a control request, and returns the status of the response. */
async function sendControl(base: string, action: string, body?: unknown): Promise<number> {
  const [method = '', path] = action.split(' ')
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = { 'Content-Type': 'application/json' }
  const address = new URL(`/__sandbox${path}`, base)
  const response = await fetch(address, { method, ...(body !== undefined && { headers }), ...init })
  await response.arrayBuffer()
  return response.status
}

/** Creates a sandbox with records, rules, worlds, usage and a moved clock, which actions can change. */
async function createUsed(): Promise<Sandbox> {
  const sandbox: Sandbox = createSandbox({ records: 3 })
  sandbox.clock.set('2027-03-01T12:00:00Z')
  sandbox.force('unavailable', { path: '/pets/none' })
  sandbox.force('slow', { path: '/pets/none' })
  sandbox.world('other').clock.set('2027-04-01T00:00:00Z')
  await sandbox.fetch(new Request('http://localhost/v1/pets', { headers: KEY }))
  return sandbox
}

/** The state, independent of the order of plans and keys. */
async function stateOf(sandbox: Sandbox): Promise<object> {
  const { state, worlds } = await sandbox.snapshot()
  const keys = Object.fromEntries(state.keys.keys)
  const plans = Object.fromEntries(state.keys.plans.map((plan) => [plan.name, plan]))
  const { last: _last, ...rules } = state.rules
  const records = Object.entries(state.records).map(([name, { rows }]) => [name, rows])
  return { ...state, keys, plans, rules, records, worlds }
}

const ANOTHER = await createSandbox({ records: 1 }).snapshot()

const ACTIONS: readonly (readonly [action: string, body?: unknown])[] = [
  ['POST /records/pets', { name: 'Rex', categoryId: 1 }],
  ['PATCH /records/pets/1', { name: 'Rex' }],
  ['DELETE /records/pets/2'],
  ['POST /clock', { advance: '1h' }],
  ['POST /clock', { resume: true }],
  ['POST /outcomes', { outcome: 'banned' }],
  ['DELETE /outcomes/1'],
  ['DELETE /outcomes'],
  ['PUT /plans/free', { minute: 7 }],
  ['PUT /plans/gold', { minute: 7, day: 8 }],
  ['PUT /keys/sk_sandbox_free', { plan: 'pro' }],
  ['PUT /keys/mine', { plan: 'pro' }],
  ['DELETE /keys/sk_sandbox_free'],
  ['POST /worlds', { name: 'new' }],
  ['POST /worlds', { name: 'copy', from: 'default' }],
  ['DELETE /worlds/other'],
  ['POST /reset'],
  ['POST /scenarios/quota-nearly-spent'],
  ['PUT /snapshot', ANOTHER],
]

const ROWS = ACTIONS.map(([action, body]) => ({ action, body }))

test.each(ROWS)(
  'the control action $action that cannot be saved is undone',
  async ({ action, body }) => {
    const sandbox = await createUsed()
    const before = await stateOf(sandbox)
    const base = await serve(sandbox, rejectSaving)

    const status = await sendControl(base, action, body)

    expect(status).toBe(500)
    expect(await stateOf(sandbox)).toEqual(before)
  },
)

test('each of these control actions changes the state when it is saved', async () => {
  const unchanged: string[] = []
  for (const [action, body] of ACTIONS) {
    const sandbox = await createUsed()
    const before = JSON.stringify(await stateOf(sandbox))
    const base = await serve(sandbox, async () => undefined)
    const status = await sendControl(base, action, body)
    if (status >= 300 || JSON.stringify(await stateOf(sandbox)) === before) unchanged.push(action)
  }

  expect(unchanged).toEqual([])
})

/** Each action reverts or extends an earlier one. */
const DEPENDENT_ACTIONS: typeof ACTIONS = [
  ['PUT /plans/free', { minute: 7 }],
  ['PUT /plans/free', { minute: 8 }],
  ['POST /clock', { advance: '1h' }],
  ['POST /clock', { resume: true }],
  ['POST /outcomes', { outcome: 'banned' }],
  ['DELETE /outcomes'],
  ['PUT /keys/mine', { plan: 'pro' }],
  ['DELETE /keys/mine'],
  ['DELETE /keys/sk_sandbox_free'],
  ['POST /worlds', { name: 'new' }],
  ['DELETE /worlds/new'],
  ['DELETE /worlds/other'],
  ['PATCH /records/pets/1', { name: 'Rex' }],
  ['DELETE /records/pets/1'],
  ['POST /reset'],
  ['POST /clock', { advance: '1h' }],
  ['PUT /snapshot', ANOTHER],
]

test('several control actions that cannot be saved are all undone', async () => {
  const sandbox = await createUsed()
  const before = await stateOf(sandbox)
  const write = new FailingWrite()
  const base = await serve(sandbox, write.saveChanges)

  const responses: Promise<number>[] = []
  for (const [action, body] of DEPENDENT_ACTIONS) {
    responses.push(
      ...(await write.join(async () =>
        Response.json(null, { status: await sendControl(base, action, body) }),
      )),
    )
  }
  write.fail()

  expect(new Set(await Promise.all(responses))).toEqual(new Set([500]))
  expect(await stateOf(sandbox)).toEqual(before)
})

test('onAction gets a control action that cannot be saved with its 500', async () => {
  const sandbox = createSandbox()
  const actions: ControlAction[] = []
  const control = createControl(sandbox, { onAction: (action) => actions.push(action) })
  const base = await serve(sandbox, rejectSaving, control)

  await sendControl(base, 'PUT /plans/free', { minute: 7 })

  expect(actions).toMatchObject([
    { operation: 'setPlan', status: 500, refusal: { code: 'internal_error' } },
  ])
})

test('a later change of the same value stays when a control action cannot be saved', async () => {
  const sandbox = createSandbox()
  const base = await serve(sandbox, async () => {
    sandbox.setPlan('free', { minute: 9 })
    throw new Error('The disk is full.')
  })

  const status = await sendControl(base, 'PUT /plans/free', { minute: 7 })

  expect(status).toBe(500)
  expect(sandbox.plans).toContainEqual({ name: 'free', minute: 9, day: 1000 })
})

test('a change is undone when the callback with the former name settle rejects', async () => {
  const sandbox = createSandbox({ records: 2 })
  const headers = { ...KEY, 'Content-Type': 'application/json' }
  const body = '{"name":"Rex","categoryId":1}'
  const request = new Request('http://localhost/v1/pets', { method: 'POST', headers, body })
  const removal = new Request('http://localhost/__sandbox/records/pets/1', { method: 'DELETE' })
  const peer = { address: '127.0.0.1', settle: rejectWithProblem(rejectSaving) }

  const { status } = await sandbox.answer({
    ...toCoreRequest(request, { basePath: '/v1', path: '/pets' }),
    settle: peer.settle,
  })
  const removed = await createControl(sandbox).fetch(removal, peer)

  expect([status, removed.status]).toEqual([500, 500])
  expect(await sandbox.collection('pets').list()).toMatchObject([{ id: 1 }, { id: 2 }])
})

import { afterEach, describe, expect, test } from 'vitest'
import { createClient, type SandboxClient, type ServiceTypes, UsageError } from '../client.ts'
import {
  type ServedOptions,
  type ServedSandbox,
  serveSandbox,
  stopServers,
} from '../testing/servers.ts'
import type { Duration } from '../time/duration.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }

afterEach(stopServers)

async function open(options?: ServedOptions) {
  const served = await serveSandbox(options)
  return { ...served, client: createClient(served.origin) }
}

function list({ origin }: Pick<ServedSandbox, 'origin'>, path = '/v1/pets'): Promise<Response> {
  return fetch(origin + path, { headers: FREE })
}

describe('an address', () => {
  test.each(['', '/', '/v1', '/v1/', '/v1/pets?limit=1', '/__sandbox', '/__sandbox/clock'])(
    'of the sandbox may end with "%s"',
    async (end) => {
      const { sandbox, origin } = await serveSandbox()
      const client = createClient(origin + end)

      await client.clock.set('2030-12-05T00:00:00Z')

      expect(client.name).toBe('default')
      expect(sandbox.clock.now()).toBe(Date.UTC(2030, 11, 5))
    },
  )

  test.each(['/worlds/one', '/worlds/one/v1', '/__sandbox/worlds/one', '/__sandbox/worlds/one/'])(
    'may name a world: %s',
    async (end) => {
      const { sandbox, origin } = await serveSandbox()
      const client = createClient(new URL(end, origin))

      await client.collection('pets').remove(1)

      expect(client.name).toBe('one')
      expect(await client.health()).toMatchObject({ world: 'one' })
      expect(await sandbox.world('one').collection('pets').count()).toBe(49)
      expect(await sandbox.collection('pets').count()).toBe(50)
    },
  )

  test.each(['/worlds/a%20%3E%20b%2Fc', '/__sandbox/worlds/a%20%3E%20b%2Fc/'])(
    'may name a world by percent-encoding: %s',
    async (end) => {
      const { sandbox, origin } = await serveSandbox()
      const client = createClient(origin + end)

      await client.collection('pets').remove(1)

      expect(client.name).toBe('a > b/c')
      expect(await sandbox.world('a > b/c').collection('pets').count()).toBe(49)
    },
  )

  test('may lie behind a path of a proxy', async () => {
    const asked: string[] = []
    const client = createClient('https://ci.test/stack/7/__sandbox/worlds/one', {
      fetch: async (address) => {
        asked.push(String(address))
        return new Response('<html>')
      },
    })

    await expect(client.reset()).rejects.toThrow('https://ci.test/stack/7:')
    expect(asked).toEqual(['https://ci.test/stack/7/__sandbox/'])
  })

  test('gives way to the world among the options', async () => {
    const { origin } = await serveSandbox()
    const client = createClient(`${origin}/worlds/one/v1`, { world: 'two' })

    expect(await client.health()).toMatchObject({ world: 'two' })
  })
})

describe('a client', () => {
  test('moves, stops and starts the clock', async () => {
    const { sandbox, client } = await open()

    await client.clock.set(new Date('2030-01-01T00:00:30Z'))
    expect(await client.clock.isFrozen()).toBe(true)
    await client.clock.advance('61s')
    await client.clock.advance(-1000)
    expect(await client.clock.now()).toBe(Date.UTC(2030, 0, 1, 0, 1, 30))
    await client.clock.advanceToReset('sk_sandbox_free')
    expect(await client.clock.now()).toBe(Date.UTC(2030, 0, 1, 0, 2))
    await client.clock.advanceToRemoval('getPet')
    expect(sandbox.clock.now()).toBe(Date.UTC(2030, 11, 5))
    await client.clock.resume()
    expect(await client.clock.isFrozen()).toBe(false)
    await client.clock.freeze()
    expect(sandbox.clock.isFrozen).toBe(true)
  })

  test('moves the clock to the end of a ban', async () => {
    const { client, origin } = await open({ sandbox: { plans: { free: { minute: 1 } } } })
    await client.clock.set('2030-01-01T00:00:00Z')
    for (let request = 0; request < 11; request += 1) await list({ origin })

    await client.clock.advanceToBanEnd('sk_sandbox_free')

    expect(await client.clock.now()).toBe(Date.UTC(2030, 0, 1, 0, 5))
    expect((await list({ origin })).status).toBe(200)
  })

  test('forces outcomes, lists them, and takes them back', async () => {
    const { client, origin } = await open()

    const first = await client.force('rate-limited', { operation: 'listPets', times: 2 })
    await client.force('server-error', { path: '/pets/*', latency: '1ms..2ms' })
    const refused = await list({ origin })

    expect(first).toMatchObject({ id: 1, outcome: 'rate-limited', times: 2, forced: 0 })
    expect(refused.status).toBe(429)
    expect(await client.forced()).toMatchObject([
      { id: 1, forced: 1 },
      { id: 2, forced: 0 },
    ])
    await client.unforce(1)
    expect(await client.forced()).toMatchObject([{ id: 2 }])
    await client.unforce()
    expect(await client.forced()).toEqual([])
  })

  test('plays scenarios', async () => {
    const { sandbox, client } = await open()
    const [scenario] = await client.scenarios()

    await client.collection('pets').remove(1)
    await client.play(scenario?.name ?? '')

    expect(await client.scenarios()).toEqual(sandbox.scenarios)
    expect(await sandbox.collection('pets').get(1)).toBeDefined()
  })

  test('reads and changes records', async () => {
    const { client } = await open()
    const pets = client.collection('pets')

    expect(await client.collections()).toEqual(['pets'])
    expect(await pets.count()).toBe(50)
    const rex = await pets.create({ name: 'Rex & Söhne/1', categoryId: 3 })
    expect(rex).toEqual({ id: 51, name: 'Rex & Söhne/1', categoryId: 3, status: 'available' })
    expect(await pets.get(51)).toEqual(rex)
    expect(await pets.update(51, { status: 'sold' })).toEqual({ ...rex, status: 'sold' })
    expect(await pets.list({ where: { name: 'Rex & Söhne/1' } })).toMatchObject([{ id: 51 }])
    expect(await pets.remove(51)).toBe(true)
  })

  test('lists the records that the sandbox lists', async () => {
    const { sandbox, client } = await open()
    const query = { where: { status: ['sold', 'pending'], categoryId: 1 }, limit: 3 } as const

    const listed = await client.collection('pets').list(query)

    expect(listed.length).toBeGreaterThan(0)
    expect(listed).toEqual(await sandbox.collection('pets').list(query))
    expect(await client.collection('pets').list({ where: { status: [] } })).toEqual(
      await sandbox.collection('pets').list({ where: { status: [] } }),
    )
    expect(await client.collection('pets').list()).toHaveLength(50)
  })

  test('tells records that are not there from collections that are not', async () => {
    const { origin, sandbox } = await open()
    const client = createClient<ServiceTypes>(origin)

    expect(await client.collection('pets').get(99)).toBeUndefined()
    expect(await client.collection('pets').remove(99)).toBe(false)
    const inProcess = await fault(() => sandbox.collection('pet' as 'pets'))
    const pet = client.collection('pet')
    expect(await fault(() => pet.get(1))).toEqual(inProcess)
    expect(await fault(() => pet.remove(1))).toEqual(inProcess)
    expect(await fault(() => pet.count())).toEqual(inProcess)
  })

  test('changes plans and keys', async () => {
    const { sandbox, client } = await open()

    await client.setPlan('gold', { minute: 7, day: 70 })
    await client.setPlan('free', { minute: 5 })
    await client.setKey('my_key', 'gold')
    await client.removeKey('sk_sandbox_pro')

    expect(await client.plans()).toEqual(sandbox.plans)
    expect(sandbox.plans).toContainEqual({ name: 'free', minute: 5, day: 1000 })
    expect(await client.keys()).toEqual(sandbox.keys)
    const keys = sandbox.keys.map(({ key }) => key)
    expect([keys.includes('my_key'), keys.includes('sk_sandbox_pro')]).toEqual([true, false])
  })

  test('searches the journal', async () => {
    const { sandbox, client, origin } = await open({ sandbox: { journal: 3 } })
    await client.clock.set('2030-01-01T00:00:00Z')
    for (const path of ['/v1/pets', '/v1/pets/1', '/v1/pets/999', '/v1/pets?limit=0'])
      await list({ origin }, path)

    expect(await client.journal.last()).toBe(4)
    expect(await client.journal.dropped()).toBe(1)
    expect((await client.journal.exchanges()).map(({ id }) => id)).toEqual([2, 3, 4])
    const found = await client.journal.find({
      operation: 'getPet',
      status: '4xx',
      key: 'sk_sandbox_free',
      since: new Date('2030-01-01T00:00:00Z'),
      until: '2030-01-01T00:00:00Z',
      limit: 5,
    })
    const [inProcess] = sandbox.journal.find({ status: 404 })
    expect(found).toEqual([
      { ...inProcess, request: inProcess?.request, response: inProcess?.response },
    ])
    expect(await client.journal.find({ after: 4 })).toEqual([])
    expect(await client.journal.toHar()).toEqual(await sandbox.journal.toHar())
    expect((await client.journal.toHar({ status: 404 })).log.entries).toHaveLength(1)
  })

  test('waits for an exchange', async () => {
    const { client, origin } = await open()

    const wait = client.journal.waitFor({ operation: 'getPet' }, { timeout: '90s' })
    await list({ origin })
    await list({ origin }, '/v1/pets/1')

    expect(await wait).toMatchObject({ operation: 'getPet', status: 200, request: {} })
  })

  test('tells what came in place of what it waited for', async () => {
    const { client, origin } = await open()
    await list({ origin })

    const wait = client.journal.waitFor({ operation: 'getPet' }, { timeout: '0.05s' })

    const error = await wait.catch((reason: unknown) => reason)
    expect(error).not.toBeInstanceOf(UsageError)
    expect(String(error)).toBe(
      'Error: No exchange matched {"operation":"getPet"} within 0.05s. Latest exchanges: #1 GET /pets 200 (listPets).',
    )
  })

  test('waits as long as it was told, by one wait after another', async () => {
    const asked: string[] = []
    const { origin } = await serveSandbox()
    const client = createClient(origin, {
      fetch: async (address) => {
        const { searchParams } = new URL(String(address))
        const timeout = searchParams.get('timeout')
        if (timeout === null) return fetch(address)
        asked.push(timeout)
        const message = `No exchange matched the query within ${timeout} ms. Latest exchanges: none.`
        return Response.json({ code: 'no_exchange', message, status: 408 }, { status: 408 })
      },
    })

    const wait = client.journal.waitFor({}, { timeout: '2m30s' })

    await expect(wait).rejects.toThrow(
      'No exchange matched {} within 2m30s. Latest exchanges: none.',
    )
    expect(asked).toEqual(['60000', '60000', '30000'])
  })

  test('is told of a status that is none, as of any other mistake', async () => {
    const { client } = await open()

    // @ts-expect-error: it is `4xx`.
    await expect(client.journal.find({ status: '4x' })).rejects.toThrow(
      'query.status must be a status such as 404, a class such as 4xx, or 0',
    )
  })

  test('takes a snapshot, restores it, and resets', async () => {
    const { sandbox, client, origin } = await open()
    await client.collection('pets').remove(1)

    const snapshot = await client.snapshot()
    await client.collection('pets').remove(2)
    await client.restore(snapshot)

    expect(snapshot).toEqual(await sandbox.snapshot())
    expect(await client.collection('pets').count()).toBe(49)
    await list({ origin })
    await client.reset()
    expect(await client.collection('pets').count()).toBe(50)
    expect(await client.journal.last()).toBe(0)
  })

  test('reports on the client of the API as the sandbox does', async () => {
    const { sandbox, client, origin } = await open()
    await fetch(`${origin}/v1/pets/1`, { headers: { Authorization: 'Bearer sk_sandbox_free' } })
    const options = { failOn: ['warnings'], ignore: [], minCoverage: 5, plans: true } as const
    const lost = Object({ only: ['lost'] })

    const report = await client.report(options)

    expect(report).toEqual(await sandbox.report(options))
    expect(report).toMatchObject({ verdict: 'failed', findings: [{ rule: 'deprecated' }] })
    expect((await client.report({ only: [] })).findings).toEqual([])
    expect((await client.report()).verdict).toBe('passed')
    await expect(client.report(lost)).rejects.toMatchObject({
      name: 'UsageError',
      message: await sandbox.report(lost).catch(({ message }) => message),
    })
  })

  test('tells how the sandbox is', async () => {
    const { client } = await open()

    expect(await client.ready()).toBeUndefined()
    expect(await client.health()).toEqual({
      status: 'ready',
      title: 'Pet Adoption Store',
      version: '1.0.0',
      basePath: '/v1',
      world: 'default',
    })
  })

  test('tells the worlds that were dropped', async () => {
    const { origin } = await serveSandbox({ sandbox: { worlds: 1 } })
    const client = createClient(origin)
    await client.world('one')
    const two = await client.world('two')

    expect(await two.worlds.dropped()).toEqual(['one'])
  })

  test('makes worlds, copies them, and ends them', async () => {
    const { sandbox, client } = await open()

    const one = await client.world('one')
    await one.collection('pets').remove(1)
    const two = await one.world('two', { from: 'one' })
    await two.collection('pets').remove(2)

    expect([one.name, two.name]).toEqual(['one', 'two'])
    expect(await sandbox.world('one').collection('pets').count()).toBe(49)
    expect(await sandbox.world('two').collection('pets').count()).toBe(48)
    expect(await client.worlds.list()).toMatchObject(sandbox.worlds.list())
    expect(await two.worlds.delete('one')).toBe(true)
    expect(await client.worlds.delete('one')).toBe(false)
    expect((await client.worlds.list()).map(({ name }) => name)).toEqual(['default', 'two'])
  })

  test('can be taken apart', async () => {
    const { sandbox, client } = await open()
    const { force, clock } = client
    const { freeze } = clock

    await force('banned')
    await freeze()

    expect([sandbox.forced().length, sandbox.clock.isFrozen]).toEqual([1, true])
  })

  test('brings its token', async () => {
    const { origin } = await serveSandbox({ control: { token: 'sesame' } })
    // What a proxy passes on comes from another machine.
    const far = (address: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const headers = new Headers(init.headers)
      headers.set('X-Forwarded-For', '203.0.113.7')
      return fetch(address, { ...init, headers })
    }

    const { name } = await createClient(origin, { token: 'sesame', fetch: far }).world('one')
    const none = await faultOf(createClient(origin, { fetch: far }).reset())
    const wrong = await faultOf(createClient(origin, { fetch: far, token: 'open' }).reset())

    expect(name).toBe('one')
    expect(none.code).toBe('unauthorized')
    expect(none.message).toBe(
      `Cannot use the sandbox at ${origin}: its token is missing or wrong. ` +
        'Give the token that the sandbox was started with (--control-token).',
    )
    expect(wrong).toEqual(none)
  })
})

/** As a program without types gives it. */
const NO_DURATION: Duration = JSON.parse('"61x"')

describe('what the sandbox refuses is thrown as it would throw it:', () => {
  type Deed = (one: SandboxClient) => unknown

  test.each<[string, Deed, (one: ServedSandbox['sandbox']) => unknown]>([
    ['a duration', (it) => it.clock.advance(NO_DURATION), (it) => it.clock.advance(NO_DURATION)],
    ['no number', (it) => it.clock.advance(NaN), (it) => it.clock.advance(NaN)],
    ['a moment', (it) => it.clock.set('tomorrow'), (it) => it.clock.set('tomorrow')],
    ['no moment', (it) => it.clock.set(new Date('')), (it) => it.clock.set(new Date(''))],
    ['a key', (it) => it.clock.advanceToReset('sk'), (it) => it.clock.advanceToReset('sk')],
    [
      'a rule',
      (it) => it.force('slow', { method: 'FETCH' }),
      (it) => it.force('slow', { method: 'FETCH' }),
    ],
    ['a plan', (it) => it.setPlan('gold', { day: 1 }), (it) => it.setPlan('gold', { day: 1 })],
    ['a key', (it) => it.setKey('a key', 'pro'), (it) => it.setKey('a key', 'pro')],
    ['a plan of a key', (it) => it.setKey('my', 'gold'), (it) => it.setKey('my', 'gold')],
    [
      'a record',
      (it) => it.collection('pets').create({ name: 5 }),
      (it) => it.collection('pets').create(JSON.parse('{"name":5}')),
    ],
    ['a snapshot', (it) => it.restore({ version: 9 }), (it) => it.restore({ version: 9 })],
    ['a world', (it) => it.world('..'), (it) => it.world('..')],
    ['a fork', (it) => it.world('b', { from: 'a' }), (it) => it.world('b', { from: 'a' })],
    ['its own world', (it) => it.worlds.delete('default'), (it) => it.worlds.delete('default')],
  ])('%s', async (_what, far, near) => {
    const { sandbox, origin } = await serveSandbox()
    const client = createClient<ServiceTypes>(origin)

    const expected = await fault(() => near(sandbox))

    expect(await fault(() => far(client))).toEqual(expected)
  })

  test.each<[string, Deed, string]>([
    ['a scenario', (it) => it.play('quota-nearly-spend'), 'Did you mean "quota-nearly-spent"?'],
    ['a forced outcome', (it) => it.unforce(7), 'unknown forced outcome "7"'],
    ['a key', (it) => it.removeKey('sk_sandbox_fre'), 'Did you mean "sk_sandbox_free"?'],
    ['a record', (it) => it.collection('pets').update(99, {}), 'There is no record 99 of pets.'],
  ])('%s that is not there', async (_what, deed, message) => {
    const { origin } = await serveSandbox()

    const refusal = await fault(() => deed(createClient<ServiceTypes>(origin)))

    expect(refusal.code).toBe('not_found')
    expect(refusal.message).toContain(message)
  })

  test.each(['', '.', '..', '\ud800'])('a name that no address can carry: %j', async (name) => {
    const { sandbox, origin } = await serveSandbox()

    const refusal = await faultOf(createClient(origin).removeKey(name))
    const deletion = await faultOf(createClient(origin).worlds.delete(name))

    expect([refusal.code, deletion.code]).toEqual(['invalid_name', 'invalid_name'])
    expect(() => createClient(origin, { world: name })).toThrow(
      expect.objectContaining({ code: 'invalid_world', name: 'UsageError' }),
    )
    expect(() => sandbox.world(name)).toThrow(expect.objectContaining({ code: 'invalid_world' }))
  })

  test.each([
    '/worlds/../v1',
    '/worlds/.',
    '/worlds/%2e%2E/v1',
    '/__sandbox/worlds/../',
    '/worlds/%zz/v1',
    `/worlds/${'x'.repeat(201)}/v1`,
  ])('an address whose world has no such name: %s', async (end) => {
    expect(() => createClient(`http://127.0.0.1:4010${end}`)).toThrow(
      expect.objectContaining({ code: 'invalid_world', name: 'UsageError' }),
    )
  })
})

/** The code and message of the UsageError that a deed ends in. */
async function fault(deed: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await deed()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { code: error.code, message: error.message }
  }
  throw new TypeError('It ended well')
}

function faultOf(deed: Promise<unknown>): ReturnType<typeof fault> {
  return fault(() => deed)
}

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

function requestPets(
  { origin }: Pick<ServedSandbox, 'origin'>,
  path = '/v1/pets',
): Promise<Response> {
  return fetch(origin + path, { headers: FREE })
}

describe('the URL of a client', () => {
  test.each(['', '/', '/v1', '/v1/', '/v1/pets?limit=1', '/__sandbox', '/__sandbox/clock'])(
    'can end with "%s" for the default world',
    async (end) => {
      const { sandbox, origin } = await serveSandbox()
      const client = createClient(origin + end)

      await client.clock.set('2030-12-05T00:00:00Z')

      expect(client.name).toBe('default')
      expect(sandbox.clock.now()).toBe(Date.UTC(2030, 11, 5))
    },
  )

  test.each(['/worlds/one', '/worlds/one/v1', '/__sandbox/worlds/one', '/__sandbox/worlds/one/'])(
    'can name a world: %s',
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
    'can name a world with percent-encoding: %s',
    async (end) => {
      const { sandbox, origin } = await serveSandbox()
      const client = createClient(origin + end)

      await client.collection('pets').remove(1)

      expect(client.name).toBe('a > b/c')
      expect(await sandbox.world('a > b/c').collection('pets').count()).toBe(49)
    },
  )

  test('can have the path prefix of a proxy', async () => {
    const urls: string[] = []
    const client = createClient('https://ci.test/stack/7/__sandbox/worlds/one', {
      fetch: async (address) => {
        urls.push(String(address))
        return new Response('<html>')
      },
    })

    await expect(client.reset()).rejects.toThrow('https://ci.test/stack/7:')
    expect(urls).toEqual(['https://ci.test/stack/7/__sandbox/'])
  })

  test('is overridden by the option world', async () => {
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
    for (let request = 0; request < 11; request += 1) await requestPets({ origin })

    await client.clock.advanceToBanEnd('sk_sandbox_free')

    expect(await client.clock.now()).toBe(Date.UTC(2030, 0, 1, 0, 5))
    expect((await requestPets({ origin })).status).toBe(200)
  })

  test('spends the quota of an account, and lifts its ban', async () => {
    const { client, origin } = await open({ sandbox: { plans: { free: { minute: 5 } } } })
    await client.clock.set('2030-01-01T00:00:00Z')

    const spent = await client.setRemaining('sk_sandbox_free', { minute: 1 })
    for (let request = 0; request < 11; request += 1) await requestPets({ origin })
    const [banned] = await client.accounts()
    await client.liftBan('sk_sandbox_free')
    const [lifted] = await client.accounts()

    expect(spent).toMatchObject({ account: 'sk_sandbox_free', minute: { used: 4, remaining: 1 } })
    expect(banned).toMatchObject({ ban: { until: '2030-01-01T00:05:00.000Z', number: 1 } })
    expect(lifted).not.toHaveProperty('ban')
    expect(await client.journal.get(1)).toMatchObject({ id: 1, status: 200, request: {} })
    expect(await client.journal.get(99)).toBe(undefined)
  })

  test('describes collections, and gets the report as a text', async () => {
    const { client } = await open()

    expect(await client.collectionCounts()).toContainEqual({ name: 'pets', count: 50 })
    expect(await client.describeCollection('pets')).toMatchObject({ name: 'pets', id: 'id' })
    await expect(client.describeCollection('pet')).rejects.toThrow('unknown collection "pet"')
    expect(await client.reportAs('html', { plans: true })).toMatch(/^<!doctype html>/i)
    expect(await client.reportAs('junit')).toMatch(/^<\?xml/)
  })

  test('lists the records of a page', async () => {
    const { client } = await open()
    const pets = client.collection('pets')
    const all = await pets.list()

    expect(await pets.list({ skip: 20, limit: 10 })).toEqual(all.slice(20, 30))
    expect(await pets.list({ skip: 45 })).toEqual(all.slice(45))
    expect(await pets.list({ skip: 50, limit: 10 })).toEqual([])
    await expect(pets.list({ skip: -1 })).rejects.toThrow('skip')
  })

  test('says which property of a record is wrong', async () => {
    const { client } = await open()

    const refusal = client.collection('pets').update(1, JSON.parse('{"status":"lost"}'))

    await expect(refusal).rejects.toMatchObject({ code: 'invalid_record', location: 'status' })
  })

  test('says which property of a rule is wrong', async () => {
    const { client } = await open()

    const unknown = client.force('slow', { key: 'nobody' })
    const invalid = client.force('slow', { times: 0 })

    await expect(unknown).rejects.toMatchObject({ code: 'invalid_rule', location: 'key' })
    await expect(invalid).rejects.toMatchObject({
      code: 'invalid_request',
      location: 'body.times',
    })
  })

  test('forces outcomes, lists them, and removes them', async () => {
    const { client, origin } = await open()

    const first = await client.force('rate-limited', { operation: 'listPets', times: 2 })
    await client.force('server-error', { path: '/pets/*', latency: '1ms..2ms' })
    const refused = await requestPets({ origin })

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

  test('lists the operations with their behaviour, resource and reason', async () => {
    const { client } = await open()

    const operations = await client.operations()
    expect(await client.operations({ behaviours: false })).toEqual(
      operations.map(({ behaviour, certainty, reason, resource, ...named }) => named),
    )

    expect(operations.map(({ operation }) => operation)).toEqual([
      'listPets',
      'createPet',
      'getPet',
    ])
    expect(operations[2]).toEqual({
      operation: 'getPet',
      method: 'GET',
      path: '/pets/{petId}',
      behaviour: 'read',
      resource: 'pets',
      reason: 'GET on a record of pets, found by its id',
      certainty: 'sure',
      deprecated: true,
      summary: 'Get an animal',
      tags: ['Pets'],
    })
  })

  test('says how sure an operation is, and checks a request for it', async () => {
    const { client } = await open()

    const details = await client.operation('createPet', { diagnostics: false })

    expect(details).toMatchObject({ certainty: 'sure', diagnostics: [] })
    expect(details.hint).toBe('x-sandbox: { resource: pets, action: create }')
    expect(
      await client.checkRequest('createPet', {
        path: '/pets',
        contentType: 'application/json',
        body: '{"name":"a"}',
      }),
    ).toMatchObject([{ location: 'body.categoryId', message: 'is required' }])
    expect(await client.checkRequest('listPets', { path: '/pets' })).toEqual([])
  })

  test('reads and changes records', async () => {
    const { client } = await open()
    const pets = client.collection('pets')

    expect(await client.collections()).toEqual(['pets'])
    expect(await client.collectionsTo('pets')).toEqual(['pets'])
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

  test('resolves with undefined or false for an unknown record, and rejects for an unknown collection', async () => {
    const { origin, sandbox } = await open()
    const client = createClient<ServiceTypes>(origin)

    expect(await client.collection('pets').get(99)).toBeUndefined()
    expect(await client.collection('pets').remove(99)).toBe(false)
    const inProcess = await errorOf(() => sandbox.collection('pet' as 'pets'))
    const pet = client.collection('pet')
    expect(await errorOf(() => pet.get(1))).toEqual(inProcess)
    expect(await errorOf(() => pet.remove(1))).toEqual(inProcess)
    expect(await errorOf(() => pet.count())).toEqual(inProcess)
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
      await requestPets({ origin }, path)

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
    await requestPets({ origin })
    await requestPets({ origin }, '/v1/pets/1')

    expect(await wait).toMatchObject({ operation: 'getPet', status: 200, request: {} })
  })

  test('lists the latest exchanges when a wait times out', async () => {
    const { client, origin } = await open()
    await requestPets({ origin })

    const wait = client.journal.waitFor({ operation: 'getPet' }, { timeout: '0.05s' })

    const error = await wait.catch((reason: unknown) => reason)
    expect(error).not.toBeInstanceOf(UsageError)
    expect(String(error)).toBe(
      'Error: No exchange matched {"operation":"getPet"} within 0.05s. Latest exchanges: #1 GET /pets 200 (listPets).',
    )
  })

  test('splits a long wait into several requests', async () => {
    const timeouts: string[] = []
    const { origin } = await serveSandbox()
    const client = createClient(origin, {
      fetch: async (address) => {
        const { searchParams } = new URL(String(address))
        const timeout = searchParams.get('timeout')
        if (timeout === null) return fetch(address)
        timeouts.push(timeout)
        const message = `No exchange matched the query within ${timeout} ms. Latest exchanges: none.`
        return Response.json({ code: 'no_exchange', message, status: 408 }, { status: 408 })
      },
    })

    const wait = client.journal.waitFor({}, { timeout: '2m30s' })

    await expect(wait).rejects.toThrow(
      'No exchange matched {} within 2m30s. Latest exchanges: none.',
    )
    expect(timeouts).toEqual(['60000', '60000', '30000'])
  })

  test('rejects with a UsageError for an invalid status', async () => {
    const { client } = await open()

    // @ts-expect-error: the class is written `4xx`.
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
    await requestPets({ origin })
    await client.reset()
    expect(await client.collection('pets').count()).toBe(50)
    expect(await client.journal.last()).toBe(0)
  })

  test('returns the same report as the sandbox in process', async () => {
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

  test('reads the health of the sandbox', async () => {
    const { client } = await open()

    expect(await client.ready()).toBeUndefined()
    expect(await client.health()).toEqual({
      status: 'ready',
      title: 'Pet Adoption Store',
      version: '1.0.0',
      basePath: '/v1',
      world: 'default',
      run: expect.stringMatching(/./),
    })
  })

  test('lists the worlds that were dropped', async () => {
    const { origin } = await serveSandbox({ sandbox: { worlds: 1 } })
    const client = createClient(origin)
    await client.world('one')
    const two = await client.world('two')

    expect(await two.worlds.dropped()).toEqual(['one'])
  })

  test('creates, copies and deletes worlds', async () => {
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

  test('has methods that can be destructured', async () => {
    const { sandbox, client } = await open()
    const { force, clock } = client
    const { freeze } = clock

    await force('banned')
    await freeze()

    expect([sandbox.forced().length, sandbox.clock.isFrozen]).toEqual([1, true])
  })

  test('sends its token', async () => {
    const { origin } = await serveSandbox({ control: { token: 'sesame' } })
    // A request that a proxy forwards counts as a request from another machine.
    const fetchFromRemote = (
      address: string | URL | Request,
      init: RequestInit = {},
    ): Promise<Response> => {
      const headers = new Headers(init.headers)
      headers.set('X-Forwarded-For', '203.0.113.7')
      return fetch(address, { ...init, headers })
    }

    const { name } = await createClient(origin, { token: 'sesame', fetch: fetchFromRemote }).world(
      'one',
    )
    const none = await rejectionOf(createClient(origin, { fetch: fetchFromRemote }).reset())
    const wrong = await rejectionOf(
      createClient(origin, { fetch: fetchFromRemote, token: 'open' }).reset(),
    )

    expect(name).toBe('one')
    expect(none.code).toBe('unauthorized')
    expect(none.message).toBe(
      `Cannot use the sandbox at ${origin}: its token is missing or wrong. ` +
        'Give the token that the sandbox was started with (--control-token).',
    )
    expect(wrong).toEqual(none)
  })
})

/** An invalid duration, as a program without types can pass client. */
const INVALID_DURATION: Duration = JSON.parse('"61x"')

describe('a mistake throws the same UsageError as in process:', () => {
  type Call = (client: SandboxClient) => unknown

  test.each<[string, Call, (sandbox: ServedSandbox['sandbox']) => unknown]>([
    [
      'an invalid duration',
      (client) => client.clock.advance(INVALID_DURATION),
      (sandbox) => sandbox.clock.advance(INVALID_DURATION),
    ],
    [
      'a duration that is not a number',
      (client) => client.clock.advance(NaN),
      (sandbox) => sandbox.clock.advance(NaN),
    ],
    [
      'an invalid time',
      (client) => client.clock.set('tomorrow'),
      (sandbox) => sandbox.clock.set('tomorrow'),
    ],
    [
      'an invalid date',
      (client) => client.clock.set(new Date('')),
      (sandbox) => sandbox.clock.set(new Date('')),
    ],
    [
      'an unknown key',
      (client) => client.clock.advanceToReset('sk'),
      (sandbox) => sandbox.clock.advanceToReset('sk'),
    ],
    [
      'an invalid rule',
      (client) => client.force('slow', { method: 'FETCH' }),
      (sandbox) => sandbox.force('slow', { method: 'FETCH' }),
    ],
    [
      'a new plan without both windows',
      (client) => client.setPlan('gold', { day: 1 }),
      (sandbox) => sandbox.setPlan('gold', { day: 1 }),
    ],
    [
      'an invalid key',
      (client) => client.setKey('a key', 'pro'),
      (sandbox) => sandbox.setKey('a key', 'pro'),
    ],
    [
      'an unknown plan of a key',
      (client) => client.setKey('my', 'gold'),
      (sandbox) => sandbox.setKey('my', 'gold'),
    ],
    [
      'an invalid record',
      (client) => client.collection('pets').create({ name: 5 }),
      (sandbox) => sandbox.collection('pets').create(JSON.parse('{"name":5}')),
    ],
    [
      'an invalid snapshot',
      (client) => client.restore({ version: 9 }),
      (sandbox) => sandbox.restore({ version: 9 }),
    ],
    ['an invalid world name', (client) => client.world('..'), (sandbox) => sandbox.world('..')],
    [
      'a copy of an unknown world',
      (client) => client.world('b', { from: 'a' }),
      (sandbox) => sandbox.world('b', { from: 'a' }),
    ],
    [
      'the deletion of the default world',
      (client) => client.worlds.delete('default'),
      (sandbox) => sandbox.worlds.delete('default'),
    ],
  ])('%s', async (_what, callClient, callSandbox) => {
    const { sandbox, origin } = await serveSandbox()
    const client = createClient<ServiceTypes>(origin)

    const expected = await errorOf(() => callSandbox(sandbox))

    expect(await errorOf(() => callClient(client))).toEqual(expected)
  })

  test.each<[string, Call, string]>([
    [
      'scenario',
      (client) => client.play('quota-nearly-spend'),
      'Did you mean "quota-nearly-spent"?',
    ],
    ['forced outcome', (client) => client.unforce(7), 'unknown forced outcome "7"'],
    ['key', (client) => client.removeKey('sk_sandbox_fre'), 'Did you mean "sk_sandbox_free"?'],
    [
      'record',
      (client) => client.collection('pets').update(99, {}),
      'The collection "pets" has no record with the id 99.',
    ],
  ])('an unknown %s', async (_what, call, message) => {
    const { origin } = await serveSandbox()

    const refusal = await errorOf(() => call(createClient<ServiceTypes>(origin)))

    expect(refusal.code).toBe('not_found')
    expect(refusal.message).toContain(message)
  })

  test.each(['', '.', '..', '\ud800'])('a name that a URL cannot contain: %j', async (name) => {
    const { sandbox, origin } = await serveSandbox()

    const refusal = await rejectionOf(createClient(origin).removeKey(name))
    const deletion = await rejectionOf(createClient(origin).worlds.delete(name))

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
  ])('a URL with an invalid world name: %s', async (end) => {
    expect(() => createClient(`http://127.0.0.1:4010${end}`)).toThrow(
      expect.objectContaining({ code: 'invalid_world', name: 'UsageError' }),
    )
  })
})

/** The code and the message of the UsageError that a call throws or rejects with. */
async function errorOf(call: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await call()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { code: error.code, message: error.message }
  }
  throw new TypeError('The call threw no error')
}

function rejectionOf(promise: Promise<unknown>): ReturnType<typeof errorOf> {
  return errorOf(() => promise)
}

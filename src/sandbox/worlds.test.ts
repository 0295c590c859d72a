import { describe, expect, it } from 'vitest'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { idsOf, petOf, quotaOf, repeat } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'
import { UsageError } from '../validation/usage-error.ts'
import { createSandbox } from './sandbox.ts'
import type { World } from './world.ts'

const REX = { name: 'Rex', categoryId: 1 }

function list({ fetch }: World, path = '/v1/pets?limit=100'): Promise<Response> {
  return fetch(toRequest('GET', `http://localhost${path}`))
}

function add({ fetch }: World, path = '/v1/pets'): Promise<Response> {
  return fetch(toRequest('POST', `http://localhost${path}`, { body: REX }))
}

describe('a world', () => {
  it('starts with the same records as all others, whenever it is first used', async () => {
    const sandbox = createSandbox({ records: 5 })
    await add(sandbox)

    const world = sandbox.world('late')

    expect(await world.collection('pets').list()).toEqual(
      await createSandbox({ records: 5 }).collection('pets').list(),
    )
  })

  it('has records, counts, bans, rules, keys, plans, clock and journal of its own', async () => {
    const sandbox = createSandbox({ records: 2 })
    const untouched = await sandbox.world('untouched').snapshot()
    const own = await sandbox.world('default').snapshot()
    const world = sandbox.world('one')

    await add(world)
    world.force('banned', { times: 3 })
    world.setKey('sk_new', 'pro')
    world.setPlan('free', { minute: 1 })
    await repeat(12, () => list(world))
    world.clock.set('2030-01-01T00:00:00Z')

    expect(await sandbox.world('untouched').snapshot()).toEqual(untouched)
    expect((await sandbox.world('default').snapshot()).state).toEqual(own.state)
    expect(sandbox.journal.last).toBe(0)
    expect(world.journal.last).toBe(13)
  })

  it('is the same by its object and by its path', async () => {
    const sandbox = createSandbox({ records: 2 })
    await add(sandbox.world('one'))

    const response = await list(sandbox, '/worlds/one/v1/pets')

    expect(await idsOf(response)).toEqual([1, 2, 3])
    expect(sandbox.worlds.list()).toEqual([
      { name: 'default', requests: 0 },
      { name: 'one', requests: 2 },
    ])
  })

  it('named default is the sandbox itself', async () => {
    const sandbox = createSandbox({ records: 2 })

    await add(sandbox, '/worlds/default/v1/pets')

    expect(sandbox.world('default')).toBe(sandbox)
    expect(await sandbox.collection('pets').count()).toBe(3)
  })

  it('has a name that is case-sensitive', async () => {
    const sandbox = createSandbox({ records: 2 })

    await add(sandbox.world('one'))

    expect(await sandbox.world('One').collection('pets').count()).toBe(2)
  })

  it('keeps its prefix in links and locations', async () => {
    const sandbox = createSandbox({ records: 5 })

    const listed = await list(sandbox, '/worlds/one/v1/pets?limit=2')
    const added = await add(sandbox, '/worlds/one/v1/pets')
    const found = await list(sandbox, '/worlds/one/v1/pets/6')

    const base = 'http://localhost/worlds/one/v1'
    expect(listed.headers.get('Link')).toMatch(`<${base}/pets?limit=2&cursor=`)
    expect(added.headers.get('Location')).toBe(`${base}/pets/6`)
    expect(found.headers.get('Link')).toMatch(`<${base}/pets?status=available>`)
  })

  it('is named in the 404 of an address below it that is outside the API', async () => {
    const sandbox = createSandbox()

    const { message } = await (await list(sandbox, '/worlds/one/pets')).json()

    expect(message).toContain(
      'is at http://localhost/worlds/one/v1. The operations are: GET /worlds/one/v1/pets,',
    )
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  it('can be used by the same objects after a reset, a scenario and a restore', async () => {
    const { clock, journal, collection } = createSandbox().world('one')
    const world = createSandbox().world('two')
    const facades = { clock: world.clock, journal: world.journal, pets: world.collection('pets') }
    const snapshot = await world.snapshot()

    for (const change of [world.reset, () => world.play('empty-store')]) {
      await change()
      await add(world)
      facades.clock.set('2030-01-01T00:00:00Z')
      expect(facades.journal.last).toBe(1)
      expect(world.clock.now()).toBe(Date.parse('2030-01-01T00:00:00Z'))
      expect(await facades.pets.count()).toBe(await world.collection('pets').count())
    }
    await world.restore(snapshot)
    expect(facades.journal.last).toBe(1)
    expect(await facades.pets.count()).toBe(50)
    expect(clock.isFrozen || journal.last > 0).toBe(false)
    expect(await collection('pets').count()).toBe(50)
  })
})

describe('a fork', () => {
  it('starts with the present state of another world, and then changes independently', async () => {
    const sandbox = createSandbox({ records: 2 })
    sandbox.clock.set('2027-03-01T12:00:00Z')
    sandbox.setKey('sk_new', 'pro')
    sandbox.force('unavailable', { probability: 0.5, key: 'sk_new' })
    const added = await petOf(await add(sandbox))

    const fork = sandbox.world('fork', { from: 'default' })

    expect((await fork.snapshot()).state).toEqual((await sandbox.snapshot()).state)
    expect(fork.journal.last).toBe(0)
    await fork.collection('pets').update(added.id, { name: 'Ash' })
    await sandbox.collection('pets').remove(1)
    expect(await sandbox.collection('pets').get(added.id)).toMatchObject(REX)
    expect(await fork.collection('pets').get(1)).toBeDefined()
    expect(quotaOf(await list(fork)).remaining).toBe(quotaOf(await list(sandbox)).remaining)
  })

  it('keeps rules for removed keys', async () => {
    const sandbox = createSandbox({ keys: { sk_new: 'pro' } })
    sandbox.force('banned', { key: 'sk_new' })
    sandbox.removeKey('sk_new')

    const fork = sandbox.world('fork', { from: 'default' })

    expect(fork.forced()).toEqual(sandbox.forced())
  })

  it.each([
    ['of a world that there is not', 'new', 'on', 'unknown_world', 'Did you mean "one"?'],
    ['in the place of another world', 'one', 'default', 'world_exists', 'Delete it first'],
    ['in the place of the sandbox', 'default', 'one', 'world_exists', 'Delete it first'],
  ])('%s throws a UsageError and creates no world', async (_, name, from, code, advice) => {
    const sandbox = createSandbox()
    sandbox.world('one')

    expect(() => sandbox.world(name, { from })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(advice) }),
    )
    expect(sandbox.worlds.list().map((world) => world.name)).toEqual(['default', 'one'])
  })
})

describe('the worlds', () => {
  it('can be deleted, and are created again at their next use', async () => {
    const sandbox = createSandbox({ records: 2 })
    const world = sandbox.world('one')
    await add(world)

    expect([sandbox.worlds.delete('one'), sandbox.worlds.delete('one')]).toEqual([true, false])

    expect(sandbox.worlds.list()).toHaveLength(1)
    expect(await world.collection('pets').count()).toBe(2)
    expect(() => sandbox.worlds.delete('default')).toThrow(UsageError)
  })

  it('are limited in number: the least recently used world is dropped and reported', async () => {
    const sandbox = createSandbox({ worlds: 2 })
    const received: string[] = []
    sandbox.worlds.onDrop((name) => received.push(name))
    sandbox.worlds.onDrop((name) => received.push(`${name}, removed listener`))()
    await list(sandbox, '/worlds/one/v1/pets')
    await list(sandbox, '/worlds/two/v1/pets')
    await list(sandbox, '/worlds/one/v1/pets')

    await list(sandbox, '/worlds/three/v1/pets')

    expect(sandbox.worlds.list().map(({ name }) => name)).toEqual(['default', 'one', 'three'])
    expect(sandbox.worlds.dropped).toEqual(['two'])
    expect(received).toEqual(['two'])
  })

  it('continue when a listener throws', async () => {
    const sandbox = createSandbox({ worlds: 1 })
    const received: string[] = []
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    const failed = new Promise((resolve) => process.once('unhandledRejection', resolve))
    sandbox.worlds.onDrop(() => {
      throw new Error('a bug of the test')
    })
    sandbox.worlds.onDrop((name) => received.push(name))

    sandbox.world('one')
    const { status } = await list(sandbox, '/worlds/two/v1/pets')

    expect(status).toBe(200)
    expect(received).toEqual(['one'])
    expect(await failed).toMatchObject({ message: 'a bug of the test' })
    for (const other of others) process.on('unhandledRejection', other)
  })

  it('are not restored where fewer are allowed, so that none is lost', async () => {
    const many = createSandbox({ worlds: 3 })
    for (const name of ['one', 'two', 'three']) many.world(name)
    const few = createSandbox({ worlds: 2 })
    few.world('mine')

    const restored = few.restore(await many.snapshot())

    await expect(restored).rejects.toThrow(
      'Cannot restore the snapshot: it has 3 worlds, but the sandbox keeps at most 2. Start the sandbox with worlds: 3.',
    )
    expect(few.worlds.list().map(({ name }) => name)).toEqual(['default', 'mine'])
  })

  it('report every exchange once, also after a restore', async () => {
    const sandbox = createSandbox()
    const received: string[] = []
    const ofWorld: number[] = []
    sandbox.worlds.onExchange(({ id }, world) => received.push(`${world} ${id}`))
    sandbox.world('one').onExchange(({ id }) => ofWorld.push(id))

    await list(sandbox)
    await list(sandbox.world('one'))
    await sandbox.restore(await sandbox.snapshot())
    await list(sandbox.world('one'))

    expect(received).toEqual(['default 1', 'one 1', 'one 2'])
    expect(ofWorld).toEqual([1, 2])
  })
})

describe('the name of a world', () => {
  it.each<[name: unknown, why: string]>([
    ['', 'it is empty. Give a string of 1 to 200 characters.'],
    ['.', 'URLs drop the segments "." and ".."'],
    ['..', 'URLs drop the segments "." and ".."'],
    ['x'.repeat(201), 'it has more than 200 characters. Shorten it.'],
    ['😀'.repeat(201), 'it has more than 200 characters. Shorten it.'],
    ['a\ud83d', 'it has half of a surrogate pair'],
    ['\ude00\ud83d', 'it has half of a surrogate pair'],
    [undefined, 'it is not a string.'],
    [null, 'it is not a string.'],
    [5, 'it is not a string.'],
    [{}, 'it is not a string.'],
  ])('cannot be %o', (name, why) => {
    const sandbox = createSandbox()

    expect(() => Reflect.apply(sandbox.world, undefined, [name])).toThrow(
      expect.objectContaining({
        code: 'invalid_world',
        name: 'UsageError',
        message: expect.stringContaining(`as the name of a world: ${why}`),
      }),
    )
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  it.each([
    'constructor',
    '__proto__',
    '0',
    '-a',
    'a..b',
    '../a',
    '%2e%2e',
    'a > b / c',
    'says "it\'s 100% done"\n\u0000',
    'x'.repeat(200),
    '😀'.repeat(200),
  ])('can be %j, also in a snapshot and in a fork', async (name) => {
    const sandbox = createSandbox({ records: 1 })

    await add(sandbox.world(name))
    await sandbox.restore(JSON.parse(JSON.stringify(await sandbox.snapshot())))
    sandbox.world('copy', { from: name })

    expect(sandbox.worlds.list().map((world) => world.name)).toEqual(['default', name, 'copy'])
    expect(await sandbox.world(name).collection('pets').count()).toBe(2)
    expect(await sandbox.world('copy').collection('pets').count()).toBe(2)
  })
})

describe('requests that are refused for their credentials', () => {
  const send = (sandbox: World, method: string, path: string, key?: string): Promise<Response> =>
    sandbox.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      }),
    )
  const names = (sandbox: ReturnType<typeof createSandbox>): readonly string[] =>
    sandbox.worlds.list().map(({ name }) => name)

  it('get their 401, are told to listeners, and create no world', async () => {
    const sandbox = createSandbox({ records: 2 })
    const told: string[] = []
    sandbox.worlds.onExchange(({ status }, world) => told.push(`${world} ${status}`))

    const responses = [
      await send(sandbox, 'GET', '/worlds/one/v1/pets'),
      await send(sandbox, 'GET', '/worlds/one/v1/pets', 'wrong'),
      await send(sandbox, 'GET', '/worlds/one/v1/nothing'),
      await send(sandbox, 'PURGE', '/worlds/one/v1/pets'),
      await send(sandbox, 'OPTIONS', '/worlds/one/v1/pets'),
    ]

    expect(responses.map(({ status }) => status)).toEqual([401, 401, 404, 405, 204])
    expect(told).toHaveLength(5)
    expect(told[0]).toBe('one 401')
    expect(names(sandbox)).toEqual(['default'])
  })

  it('do not count as uses: the world that others use longest ago is dropped', async () => {
    const sandbox = createSandbox({ records: 2, worlds: 2 })
    const key = 'sk_sandbox_enterprise'
    await send(sandbox, 'GET', '/worlds/a/v1/pets', key)
    await send(sandbox, 'GET', '/worlds/b/v1/pets', key)

    for (const method of ['GET', 'POST', 'PURGE', 'OPTIONS']) {
      await send(sandbox, method, '/worlds/a/v1/pets', 'wrong')
    }
    await send(sandbox, 'GET', '/worlds/c/v1/pets', key)

    expect(names(sandbox)).toEqual(['default', 'b', 'c'])
  })

  it('create no world in a document whose schemes are loaded later', async () => {
    const contract = await loadDocumentOf(
      { '/items': { get: { responses: { 200: { description: 'OK' } } } } },
      {
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      },
    )
    const sandbox = createSandbox({ contract })

    const { status } = await sandbox.fetch(new Request('http://localhost/worlds/one/items'))

    expect(status).toBe(401)
    expect(names(sandbox)).toEqual(['default'])
  })
})

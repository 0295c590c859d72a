import { describe, expect, it } from 'vitest'
import { idsOf, repeat } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'
import { createSandbox } from './sandbox.ts'
import type { World } from './world.ts'

const REX = { name: 'Rex', categoryId: 1 }

function list({ fetch }: World, path = '/v1/pets'): Promise<Response> {
  return fetch(toRequest('GET', `http://localhost${path}`))
}

function add({ fetch }: World): Promise<Response> {
  return fetch(toRequest('POST', 'http://localhost/v1/pets', { body: REX }))
}

/** A request that is under way for a while. */
function addSlowly(world: World): Promise<Response> {
  world.force('slow', { latency: 30, operation: 'createPet', times: 1 })
  return add(world)
}

describe('a request that is under way at a reset', () => {
  it('does not end a wait that follows the reset', async () => {
    const sandbox = createSandbox()
    const received: string[] = []
    const recorded: string[] = []
    sandbox.onExchange(({ target }) => received.push(target))
    sandbox.worlds.onExchange(({ target }) => recorded.push(target))
    const before = sandbox.journal.waitFor({ operation: 'createPet' })
    const slow = addSlowly(sandbox)

    sandbox.reset()
    const after = sandbox.journal.waitFor({ operation: 'createPet' })
    expect((await slow).status).toBe(201)
    expect([received, sandbox.journal.exchanges]).toEqual([[], []])
    expect(recorded).toEqual(['/pets'])
    const prefer = { Prefer: 'code=400' }
    await sandbox.fetch(toRequest('POST', 'http://localhost/v1/pets', { headers: prefer }))

    expect([(await before).status, (await after).status]).toEqual([400, 400])
    expect([received, recorded]).toEqual([['/pets'], ['/pets', '/pets']])
  })

  it('does not end a wait in the next world of the same name', async () => {
    const sandbox = createSandbox({ worlds: 1 })
    const world = sandbox.world('one')
    const slow = addSlowly(world)
    const wait = world.journal.waitFor({ operation: 'createPet' }, { timeout: 100 })

    sandbox.worlds.delete('one')

    expect((await slow).status).toBe(201)
    await expect(wait).rejects.toThrow('No exchange matched')
  })
})

describe('a scenario', () => {
  it('starts at once, and requests wait for its records', async () => {
    const sandbox = createSandbox()

    const played = sandbox.play('empty-store')
    const ids = await idsOf(await list(sandbox))
    await played

    expect(ids).toEqual([])
    expect(sandbox.journal.last).toBe(1)
  })

  it('does not undo later changes', async () => {
    const sandbox = createSandbox({ records: 3 })

    const played = sandbox.play('full-store')
    sandbox.reset()
    sandbox.force('banned')
    await played

    expect(await sandbox.collection('pets').count()).toBe(3)
    expect(sandbox.forced()).toHaveLength(1)
  })

  it('is replaced by the scenario that is played last', async () => {
    const sandbox = createSandbox()

    await Promise.all([sandbox.play('full-store'), sandbox.play('empty-store')])

    expect(await sandbox.collection('pets').count()).toBe(0)
  })

  it('that is unknown does not change the world', async () => {
    const sandbox = createSandbox({ records: 3 })
    await list(sandbox)
    const before = await sandbox.snapshot()
    const name = JSON.parse('"empty-stor"')

    await expect((async () => sandbox.play(name))()).rejects.toThrow('Did you mean "empty-store"?')

    expect(await sandbox.snapshot()).toEqual(before)
    const wait = sandbox.journal.waitFor({ after: 1 })
    await list(sandbox)
    expect((await wait).id).toBe(2)
  })
})

describe('a restore', () => {
  it.each(['default', 'one'])('of the world %s does not undo a later reset', async (name) => {
    const sandbox = createSandbox({ records: 3 })
    const world = sandbox.world(name)
    await add(world)
    const snapshot = await world.snapshot()

    const restored = world.restore(snapshot)
    world.reset()
    await restored

    expect(await world.collection('pets').count()).toBe(3)
  })

  it('is replaced by a later one, also when that one is ready first', async () => {
    const sandbox = createSandbox({ records: 1 })
    await add(sandbox.world('one'))
    const small = await sandbox.snapshot()
    await sandbox.play('full-store')
    await add(sandbox.world('two'))
    const large = await sandbox.snapshot()

    await Promise.all([sandbox.restore(large), sandbox.restore(small)])

    expect(await sandbox.collection('pets').count()).toBe(1)
    expect(sandbox.worlds.list().map(({ name }) => name)).toEqual(['default', 'one'])
  })

  it('that is rejected does not stop an earlier one', async () => {
    const sandbox = createSandbox({ records: 3 })
    await add(sandbox)
    const snapshot = await sandbox.snapshot()
    sandbox.reset()

    const restored = sandbox.restore(snapshot)
    await expect(sandbox.restore({})).rejects.toThrow('Cannot restore')
    await restored

    expect(await sandbox.collection('pets').count()).toBe(4)
  })
})

describe('a listener of a world', () => {
  it.each<[string, (world: World) => unknown]>([
    ['dropped', () => undefined],
    ['deleted', () => undefined],
    ['restored away', () => undefined],
  ])('that is %s is called by the next world of the same name', async (how) => {
    const sandbox = createSandbox({ worlds: 1 })
    const empty = await sandbox.snapshot()
    const world = sandbox.world('one')
    const received: number[] = []
    const unsubscribe = world.onExchange(({ id }) => received.push(id))
    const wait = world.journal.waitFor({ operation: 'createPet' })
    await list(world)

    if (how === 'dropped') sandbox.world('two')
    else if (how === 'deleted') sandbox.worlds.delete('one')
    else await sandbox.restore(empty)
    await repeat(2, () => add(world))

    expect((await wait).id).toBe(1)
    expect(received).toEqual([1, 1, 2])
    unsubscribe()
    await add(world)
    expect(received).toHaveLength(3)
  })
})

describe('a key that is removed and added again', () => {
  it('has no usage, no ban and no earlier Retry-After', async () => {
    const sandbox = createSandbox({ plans: { free: { minute: 1 } }, ban: { refusals: 2 } })
    const statuses = async (): Promise<number[]> => {
      const responses = await repeat(4, () => list(sandbox))
      return responses.map(({ status }) => status)
    }
    const before = await statuses()
    const reason = (await list(sandbox)).headers.get('X-Sandbox-Reason')

    sandbox.removeKey('sk_sandbox_free')
    sandbox.setKey('sk_sandbox_free', 'free')

    expect([before, reason]).toEqual([[200, 429, 429, 429], 'ban'])
    expect(await statuses()).toEqual(before)
    expect((await list(sandbox)).headers.get('Retry-After')).toMatch(/^(300|299)$/)
  })
})

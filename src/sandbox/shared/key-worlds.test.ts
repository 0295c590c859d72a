import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../../contract/contract.ts'
import { findRedis } from '../../testing/redis/find-redis.ts'
import { loadItems, SharedPair } from '../../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../../testing/redis/start-redis.ts'

const KEYS = { auth: 'keys', plans: { free: { minute: 60, day: 900 } } } as const

describe.skipIf(!findRedis())('worlds of API keys', () => {
  let redis: StartedRedis
  let contract: Contract
  let pair: SharedPair
  beforeAll(async () => {
    redis = await startRedis()
    contract = await loadItems()
  })
  afterEach(() => pair.close())
  afterAll(stopRedis)

  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
  const open = async (worldTtl?: number): Promise<SharedPair> =>
    SharedPair.open(redis.address, {
      ...KEYS,
      contract,
      keys: { 'key-one': 'free', 'key-two': 'free' },
      worldBy: 'key',
      worldTtl,
    })

  it('do not see each other', async () => {
    pair = await open()

    const created = await pair.send(0, 'POST', '/items', { name: 'Fern' }, bearer('key-one'))
    const path = `/items/${created.body.id}`
    const own = await pair.send(1, 'GET', path, undefined, bearer('key-one'))
    const other = await pair.send(1, 'GET', path, undefined, bearer('key-two'))
    const invalid = await pair.send(1, 'GET', path, undefined, bearer('key-three'))

    expect([created.status, own.status]).toEqual([201, 200])
    expect([other.status, invalid.status]).toEqual([404, 401])
    const names = await pair.sandboxes[0].store.registry.list()
    expect(names.filter((name) => name.startsWith('key:'))).toHaveLength(2)
    expect(names.join()).not.toContain('key-one')
  })

  it('cannot be chosen by name', async () => {
    pair = await open()
    await pair.send(0, 'GET', '/items', undefined, bearer('key-one'))
    const [name = ''] = await pair.sandboxes[0].store.registry.list()

    const byPath = await pair.send(0, 'GET', `/worlds/${name}/items`)
    const byHeader = await pair.send(0, 'GET', '/items', undefined, { 'X-Sandbox-World': name })

    expect(name).toMatch(/^key:/)
    expect([byPath.status, byHeader.status]).toEqual([400, 400])
  })

  it('are not used when a request names a world', async () => {
    pair = await open()
    const named = { ...bearer('key-one'), 'X-Sandbox-World': 'shared' }
    const created = await pair.send(0, 'POST', '/items', { name: 'Fern' }, named)

    const path = `/worlds/shared/items/${created.body.id}`
    const read = await pair.send(1, 'GET', path, undefined, bearer('key-two'))

    expect(read).toMatchObject({ status: 200, body: { name: 'Fern' } })
  })

  it('are dropped when they are not used, and created again', async () => {
    pair = await open(300)
    const dropped = new Promise<string>((resolve) => pair.sandboxes[0].onDrop(resolve))
    const other = new Promise<string>((resolve) => pair.sandboxes[1].onDrop(resolve))
    const created = await pair.send(0, 'POST', '/items', { name: 'Fern' }, bearer('key-one'))

    const name = await Promise.race([dropped, other])
    const path = `/items/${created.body.id}`
    const read = await pair.send(0, 'GET', path, undefined, bearer('key-one'))

    expect(name).toMatch(/^key:/)
    expect(read.status).toBe(404)
  })
})

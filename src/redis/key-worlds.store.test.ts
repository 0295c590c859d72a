import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { Random } from '../generate/random.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { loadItems, range, SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../testing/redis/start-redis.ts'

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

  it('are neither made nor displaced by requests without a valid key, whatever these ask for', async () => {
    const keys = range(4).map((at) => `tenant-${at}`)
    pair = await SharedPair.open(redis.address, {
      ...KEYS,
      contract,
      worlds: 4,
      records: 1,
      keys: Object.fromEntries(keys.map((key) => [key, 'free'])),
      worldBy: 'key',
    })
    const paths = await Promise.all(
      keys.map(async (key, at) => {
        const { body } = await pair.send(at, 'POST', '/items', { name: key }, bearer(key))
        return `/items/${body.id}`
      }),
    )
    const { registry } = pair.sandboxes[0].store
    const before = await registry.list()
    const random = new Random(28)
    const pick = <Item>(items: readonly Item[]): Item | undefined =>
      items[Math.floor(random.next() * items.length)]

    for (let at = 0; at < 120; at += 1) {
      const path = `${pick(['', `/worlds/hostile-${at}`])}${pick(['/items', '/items/1', '/nothing'])}`
      const named = pick([{}, { 'X-Sandbox-World': `header-${at}` }])
      const key = pick([{}, bearer(`wrong-${at}`), bearer('wrong')])
      const method = pick(['GET', 'POST', 'DELETE', 'OPTIONS']) ?? 'GET'
      await pair.send(at, method, path, undefined, { ...named, ...key })
    }

    expect(await registry.list()).toEqual(before)
    const read = await Promise.all(
      keys.map((key, at) => pair.send(at + 1, 'GET', paths[at] ?? '', undefined, bearer(key))),
    )
    expect(read.map(({ body }) => body.name)).toEqual(keys)
  })

  it('are not displaced by worlds that requests name, and do not displace these', async () => {
    pair = await SharedPair.open(redis.address, {
      ...KEYS,
      contract,
      worlds: 2,
      records: 1,
      keys: { 'key-one': 'free', 'key-two': 'free', 'key-three': 'free' },
      worldBy: 'key',
    })
    const { registry } = pair.sandboxes[0].store
    const named = (await create('key-one')) && (await create('key-two'))
    for (const world of ['a', 'b', 'c']) {
      await pair.send(0, 'GET', `/worlds/${world}/items`, undefined, bearer('key-one'))
    }
    const both = await registry.list()
    await create('key-three')

    expect(named).toBe(201)
    expect(both.filter((name) => name.startsWith('key:'))).toHaveLength(2)
    expect(both.filter((name) => !name.startsWith('key:'))).toEqual(['b', 'c'])
    const last = await registry.list()
    expect(last.filter((name) => name.startsWith('key:'))).toHaveLength(2)
    expect(last.slice(1, 3)).toEqual(['b', 'c'])

    async function create(key: string): Promise<number> {
      return (await pair.send(0, 'POST', '/items', { name: key }, bearer(key))).status
    }
  })

  it('of credentials that are no keys take no places of keys, and a new one is refused while all are in use', async () => {
    pair = await SharedPair.open(redis.address, {
      ...KEYS,
      auth: 'any',
      contract,
      worlds: 2,
      records: 1,
      keys: { 'key-one': 'free', 'key-two': 'free' },
      worldBy: 'key',
    })
    const send = (key: string) => pair.send(0, 'POST', '/items', { name: key }, bearer(key))
    for (const key of ['key-one', 'key-two', 'token-one', 'token-two']) await send(key)

    const refused = await send('token-three')

    expect(refused).toMatchObject({ status: 503 })
    expect(refused.headers.get('Retry-After')).toBe('60')
    for (const key of ['key-one', 'key-two', 'token-one', 'token-two']) {
      const { body } = await pair.send(1, 'GET', '/items/2', undefined, bearer(key))
      expect(body.name).toBe(key)
    }
  })
})

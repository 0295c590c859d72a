import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createSandbox, type SandboxOptions } from '../index.ts'
import { actUntil } from '../testing/act-until.ts'
import { type CallControl, NOON, toControlRequest } from '../testing/control.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { closeInstances, type Instance, openInstances } from '../testing/redis/instances.ts'
import { loadItems, range } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis } from '../testing/redis/start-redis.ts'
import type { JsonObject } from '../testing/responses.ts'

const KEY = { Authorization: 'Bearer sk_sandbox_pro' }

const MADE = { headers: KEY, body: { name: 'Rex' } }

const list = (): Request => new Request('http://localhost/v1/pets?limit=1', { headers: KEY })

/** The result of each call, one call after the other on each instance, and on both at the same time. */
function onBoth<Result>(
  instances: readonly Instance[],
  times: number,
  call: (instance: Instance, at: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(
    instances.flatMap((one) => Array.from({ length: times }, (_, at) => call(one, at))),
  )
}

async function bodyOf<Body = JsonObject>(callControl: CallControl, path: string): Promise<Body> {
  return (await callControl<Body>('GET', path)).body
}

/** The ids of the next events of a stream. */
async function eventIds(response: Response, count: number): Promise<number[]> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const ids = (): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  while (reader && ids().length < count) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }
  await reader?.cancel()
  return ids()
}

describe.skipIf(!findRedis())('control interfaces of two instances on one store', () => {
  let redis: StartedRedis | undefined

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(closeInstances)
  afterAll(() => redis?.stop())

  const open = (settings?: SandboxOptions): ReturnType<typeof openInstances> =>
    openInstances(redis?.address ?? '', settings)

  test('keep every rule that both add at the same time, each with an id of its own', async () => {
    const [one, other] = await open()

    const added = await onBoth([one, other], 20, ({ callControl }) =>
      callControl('POST', '/outcomes', { body: { outcome: 'slow', times: 1 } }),
    )
    const listed = await bodyOf<{ id: number }[]>(other.callControl, '/outcomes')

    expect(new Set(added.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(added.map(({ body }) => body.id)).size).toBe(40)
    expect(listed.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1))
  })

  test('add up moves of the clock at the same time', async () => {
    const [one, other] = await open()
    await one.callControl('POST', '/clock', { body: { set: NOON } })

    await onBoth([one, other], 5, ({ callControl }) =>
      callControl('POST', '/clock', { body: { advance: '1h' } }),
    )

    expect(await bodyOf(one.callControl, '/clock')).toEqual({
      now: '2027-03-01T22:00:00.000Z',
      frozen: true,
    })
  })

  test('count every request while accounts are changed', async () => {
    const [one, other] = await open()
    await one.callControl('POST', '/clock', { body: { set: NOON } })

    await onBoth([one, other], 10, async ({ fetch, callControl }, at) =>
      at === 5
        ? (await callControl('PUT', '/accounts/sk_sandbox_free/remaining', { body: { day: 7 } }))
            .status
        : (await fetch(list())).status,
    )
    const accounts = await bodyOf(other.callControl, '/accounts')

    expect(accounts).toContainEqual(
      expect.objectContaining({
        account: 'sk_sandbox_pro',
        minute: expect.objectContaining({ used: 18 }),
      }),
    )
    expect(accounts).toContainEqual(
      expect.objectContaining({
        account: 'sk_sandbox_free',
        day: expect.objectContaining({ remaining: 7 }),
      }),
    )
  })

  test('reset a world while the other instance serves it', async () => {
    const [one, other] = await open()
    const remove = (): Promise<unknown> => one.callControl('DELETE', '/records/pets/1')
    await remove()

    const served = Promise.all(Array.from({ length: 30 }, () => other.fetch(list())))
    const reset = await one.callControl('POST', '/reset')
    const statuses = (await served).map(({ status }) => status)
    await other.callControl('POST', '/reset')

    expect(reset.status).toBe(204)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await bodyOf(one.callControl, '/journal')).toMatchObject({ exchanges: [], last: 0 })
    expect(await bodyOf(other.callControl, '/records/pets/1')).toMatchObject({ id: 1 })
  })

  test('wait on one instance for a request to the other one, also after a reset', async () => {
    const [one, other] = await open()
    await other.fetch(list())
    const wait = (after: number): Promise<{ readonly body: { readonly id: number } }> =>
      one.callControl('GET', `/journal/wait?operation=listPets&after=${after}&timeout=20000`)

    const first = wait(1)
    await other.fetch(list())
    const found = await first
    await other.callControl('POST', '/reset')
    // The ids start again at 1.
    const second = await actUntil(wait(1000), () => other.fetch(list()))

    expect(found.body).toMatchObject({ id: 2 })
    expect(second.body.id).toBeLessThan(1000)
  })

  test('stream the exchanges of both, and go on after the last event on the other instance', async () => {
    const [one, other] = await open()
    const streamOf = ({ control }: Instance, headers: Record<string, string> = {}) =>
      control.fetch(new Request('http://localhost/__sandbox/journal/events', { headers }), {
        address: '127.0.0.1',
      })
    const stream = await streamOf(one)
    const ids = eventIds(stream, 4)

    await onBoth([one, other], 2, ({ fetch }) => fetch(list()))
    const resumed = await eventIds(await streamOf(other, { 'Last-Event-ID': '2' }), 2)
    await one.callControl('POST', '/reset')
    await other.fetch(list())
    const afterReset = await eventIds(await streamOf(one, { 'Last-Event-ID': '4' }), 1)

    expect(await ids).toEqual([1, 2, 3, 4])
    expect(resumed).toEqual([3, 4])
    expect(afterReset).toEqual([1])
  })

  test('restore snapshots of a sandbox in memory, and the other way round', async () => {
    const memory = createSandbox()
    memory.clock.set(NOON)
    await memory.collection('pets').remove(1)
    memory.world('other').force('slow')
    await memory.fetch(list())
    const snapshot = await memory.snapshot()
    const [one, other] = await open()
    await one.callControl('POST', '/worlds', { body: { name: 'unknown' } })

    const restored = await one.callControl('PUT', '/snapshot', { body: snapshot })
    const stored = await bodyOf(other.callControl, '/snapshot')
    const again = createSandbox()
    await again.restore(stored)

    expect(restored.status).toBe(204)
    expect(stored).toEqual(snapshot)
    expect(await again.snapshot()).toEqual(snapshot)
    expect(await bodyOf(other.callControl, '/worlds')).toMatchObject([
      { name: 'default' },
      { name: 'other' },
    ])
    expect((await other.callControl('GET', '/records/pets/1')).status).toBe(404)
  })

  test('create a world in the state of another one, which changes on its own', async () => {
    const [one, other] = await open()
    await one.callControl('DELETE', '/records/pets/1')

    const created = await other.callControl('POST', '/worlds', {
      body: { name: 'copy', from: 'default' },
    })
    await one.callControl('DELETE', '/records/pets/2')
    const again = await one.callControl('POST', '/worlds', {
      body: { name: 'copy', from: 'default' },
    })

    expect([created.status, again.status]).toEqual([201, 400])
    expect((await one.callControl('GET', '/worlds/copy/records/pets/1')).status).toBe(404)
    expect((await one.callControl('GET', '/worlds/copy/records/pets/2')).status).toBe(200)
  })

  test('play a scenario with records of its own', async () => {
    const scenarios = {
      few: { description: 'Few records', records: 2 },
      frozen: { description: 'A stopped clock', clock: NOON, frozen: true },
    }
    const [one, other] = await open({ scenarios })

    await one.callControl('POST', '/scenarios/few')
    const few = await bodyOf(other.callControl, '/collections/pets')
    await one.callControl('POST', '/scenarios/frozen')

    expect(few.count).toBe(2)
    expect(await bodyOf(other.callControl, '/clock')).toEqual({ now: NOON, frozen: true })
    expect((await bodyOf(other.callControl, '/collections/pets')).count).toBeGreaterThan(2)
  })

  test('change records on one instance, which the other one serves', async () => {
    const [one, other] = await open()
    const values = { name: 'Rex', categoryId: 1 }

    const added = await onBoth([one, other], 10, ({ callControl }) =>
      callControl('POST', '/records/pets', { body: values }),
    )
    const [first] = added
    await other.callControl('PATCH', `/records/pets/${first?.body.id}`, { body: { name: 'Max' } })

    expect(new Set(added.map(({ body }) => body.id)).size).toBe(20)
    expect(await bodyOf(one.callControl, `/records/pets/${first?.body.id}`)).toMatchObject({
      name: 'Max',
    })
  })

  test('answer with a 503 while the store is away, and go on when it is back', async () => {
    const own = await startRedis({ appendOnly: true })
    const [one] = await openInstances(own.address)
    await own.kill()

    const health = await one.callControl('GET', '/health')
    const changed = await one.callControl('POST', '/outcomes', { body: { outcome: 'slow' } })
    await own.restart()
    await expect.poll(async () => (await one.callControl('GET', '/health')).status).toBe(200)

    expect([health.status, changed.status]).toEqual([503, 503])
    expect(health.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect(health.body).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(await bodyOf(one.callControl, '/health')).toMatchObject({ store: 'ready' })
    await closeInstances()
    await own.stop()
  })

  test('write nothing when they are read, and show no collection that was only read', async () => {
    const contract = await loadItems()
    const prefix = `reads-${crypto.randomUUID()}`
    const { address = '' } = redis ?? {}
    const [one, other] = await openInstances(address, { contract, records: 2 }, { prefix })
    const client = new Redis(address)
    const reads = [
      ...['', '/health', '/operations', '/clock', '/outcomes', '/scenarios', '/plans', '/keys'],
      ...['/accounts', '/worlds', '/dropped-worlds', '/journal', '/journal/har', '/report'],
      ...['/snapshot', '/records', '/collections/items', '/records/items', '/records/items/1'],
      ...['/records/items%2F1%2Fparts', '/records/items%2F1%2Fparts?limit=1&name=Fern'],
      ...['/records/items%2F9%2Fparts/1', '/collections/items%2F1%2Fparts'],
      ...['/worlds/nobody/records/items', '/worlds/nobody/clock', '/worlds/nobody/journal'],
    ]
    const operations = await bodyOf<{ operation: string; method: string }[]>(
      one.callControl,
      '/operations',
    )
    const before = await client.keys(`${prefix}*`)

    const answers: Awaited<ReturnType<CallControl>>[] = []
    for (const read of reads) answers.push(await one.callControl('GET', read))
    const samples: unknown[] = []
    for (const { operation, method } of operations) {
      const path = `/operations/${encodeURIComponent(operation)}`
      await other.callControl('GET', path)
      samples.push([method, (await other.callControl('GET', `${path}/request`)).body.path])
    }

    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(samples).toContainEqual(['GET', '/items/1/parts/1'])
    expect((await client.keys(`${prefix}*`)).toSorted()).toEqual(before.toSorted())
    expect(await bodyOf(other.callControl, '/records')).toEqual([
      { name: 'items', count: 2 },
      { name: 'items/{item}/parts', count: 0, opened: [] },
    ])
    expect(await bodyOf(other.callControl, '/worlds')).toHaveLength(1)
    client.disconnect()
  })

  test('write a collection below records when a request changes it, and answer before as in memory', async () => {
    const settings = { contract: await loadItems(), records: 2 }
    const prefix = `reads-${crypto.randomUUID()}`
    const { address = '' } = redis ?? {}
    const instances = await openInstances(address, settings, { prefix })
    const memory = createSandbox(settings)
    const client = new Redis(address)
    let turn = 0
    const answers = async (method: string, path: string, body?: object): Promise<void> => {
      turn += 1
      const send = async ({ fetch }: Pick<Instance, 'fetch'>): Promise<readonly unknown[]> => {
        const headers = { Authorization: 'Bearer sk_sandbox_enterprise' }
        const request = toControlRequest(method, `http://localhost${path}`, { headers, body })
        const response = await fetch(request)
        return [path, response.status, response.headers.get('location'), await response.text()]
      }
      expect(await send(instances[turn % 2 === 0 ? 0 : 1])).toEqual(await send(memory))
    }
    const read = async (paths: readonly string[]): Promise<void> => {
      for (const path of paths) {
        await answers('GET', path)
        await answers('HEAD', path)
      }
    }
    const keys = async (): Promise<readonly string[]> => (await client.keys(`${prefix}*`)).sort()
    await read(['/items', '/items/1'])
    const before = await keys()

    await read([1, 2, 5000].flatMap((item) => [`/items/${item}/parts`, `/items/${item}/parts/1`]))
    await answers('DELETE', '/items/1/parts/99')
    await answers('PATCH', '/items/1/parts/99', { name: 'Fern' })
    expect(await keys()).toEqual(before)

    const lists = [2, 1].map((item) => `/items/${item}/parts`)
    for (const path of lists) await answers('POST', path, { name: 'Rex' })
    await answers('PATCH', '/items/1/parts/1', { name: 'Fern' })
    await answers('DELETE', '/items/1/parts/2')
    await read(lists)
    await answers('DELETE', '/items/1')
    await read(['/items/1/parts', '/items/1/parts/1', '/items/2/parts/3'])
    const made = instances.flatMap(({ fetch }) =>
      range(5).map(() => fetch(toControlRequest('POST', 'http://localhost/items/7/parts', MADE))),
    )
    const ids = (await Promise.all(made)).map((one) => one.headers.get('location'))

    const opened = [
      { name: 'items/2/parts', count: 3 },
      { name: 'items/7/parts', count: 12 },
    ]
    expect(new Set(ids).size).toBe(10)
    expect(await bodyOf(instances[0].callControl, '/records')).toMatchObject([{}, { opened }])
    client.disconnect()
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { toCoreRequest } from '../sandbox/fetch.ts'
import { routerOf } from '../sandbox/router.ts'
import { actUntil } from '../testing/act-until.ts'
import { openControl } from '../testing/control.ts'
import { findRedis } from '../testing/redis/find-redis.ts'
import { closeInstances } from '../testing/redis/instances.ts'
import { sharedControls } from '../testing/redis/shared-controls.ts'
import { range, SharedPair } from '../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis } from '../testing/redis/start-redis.ts'
import { realNow } from '../time/clock.ts'
import { toExchange } from './stored-exchange.ts'

const list = (world = ''): Request =>
  new Request(`http://localhost${world}/v1/pets?limit=1`, {
    headers: { Authorization: 'Bearer sk_sandbox_pro' },
  })

let redis: StartedRedis | undefined

describe.each([
  ['in memory', openControl],
  ['on one store', sharedControls(() => redis?.address ?? '')],
])('a small journal of a sandbox %s', (place, open) => {
  const isLeftOut = place !== 'in memory' && !findRedis()

  beforeAll(async () => {
    redis = isLeftOut ? undefined : await startRedis()
  })
  afterEach(closeInstances)
  afterAll(() => redis?.stop())

  test.skipIf(isLeftOut)(
    'has no exchanges when its size is 0, and tells those who wait',
    async () => {
      const { sandbox, callControl } = open({}, { journal: 0 })
      let sent = 0
      const waiting = callControl('GET', '/journal/wait?operation=listPets&timeout=20000')
      const found = await actUntil(waiting, () => {
        sent += 1
        return sandbox.fetch(list())
      })

      expect(found).toMatchObject({ status: 200, body: { operation: 'listPets' } })
      const { body } = await callControl('GET', '/journal')
      expect(body).toEqual({ exchanges: [], last: sent, dropped: sent })
      const { status } = await callControl('GET', `/journal/${found.body.id}`)
      expect(status).toBe(404)
    },
  )

  test.skipIf(isLeftOut)('has the latest exchanges, and streams all of many at once', async () => {
    const { sandbox, control, callControl } = open({}, { journal: 3 })
    const request = new Request('http://localhost/__sandbox/journal/events')
    const { body: stream } = await control.fetch(request, { address: '127.0.0.1' })
    const told = readIds(stream, 60)

    await Promise.all(range(60).map(() => sandbox.fetch(list())))

    expect(await told).toEqual(range(60).map((at) => at + 1))
    const { body } = await callControl('GET', '/journal')
    expect(body).toMatchObject({ exchanges: [{ id: 58 }, { id: 59 }, { id: 60 }], dropped: 57 })
    const { body: page } = await callControl('GET', '/journal?after=10&limit=2')
    expect(page).toMatchObject({ exchanges: [{ id: 58 }, { id: 59 }], last: 60 })
  })

  test.skipIf(isLeftOut)('stays at restores of all worlds or of one, until a reset', async () => {
    const { sandbox, control, callControl } = open({}, { journal: 9 })
    const idsIn = async (world: string): Promise<readonly number[]> => {
      const { body } = await callControl<{ exchanges: { id: number }[] }>('GET', `${world}/journal`)
      return body.exchanges.map(({ id }) => id)
    }
    await sandbox.fetch(list())
    await sandbox.fetch(list('/worlds/other'))
    const { body: snapshot } = await callControl('GET', '/snapshot')
    const { body: state } = await callControl('GET', '/worlds/other/snapshot')
    const request = new Request('http://localhost/__sandbox/journal/events', {
      headers: { 'Last-Event-ID': '0' },
    })
    const { body: stream } = await control.fetch(request, { address: '127.0.0.1' })
    const told = readIds(stream, 5)

    await sandbox.fetch(list())
    await callControl('PUT', '/snapshot', { body: snapshot })
    await sandbox.fetch(list())
    await callControl('PUT', '/snapshot', { body: snapshot })
    await sandbox.fetch(list('/worlds/other'))
    await callControl('PUT', '/worlds/other/snapshot', { body: state })
    await sandbox.fetch(list('/worlds/other'))
    await sandbox.fetch(list())

    expect(await idsIn('')).toEqual([1, 2, 3, 4])
    expect(await idsIn('/worlds/other')).toEqual([1, 2, 3])
    await callControl('POST', '/reset')
    await sandbox.fetch(list())
    expect(await told).toEqual([1, 2, 3, 4, 1])
    expect(await idsIn('')).toEqual([1])
  })
})

describe.skipIf(!findRedis())('an exchange that came over a network', () => {
  afterAll(() => redis?.stop())

  test('has times of the store, and the connections of two instances have different numbers', async () => {
    redis = await startRedis()
    const pair = await SharedPair.open(redis.address)
    const [first, second] = pair.sandboxes
    // A request that came, by the clock of this machine, in an hour: only the distance to its present counts.
    const received = realNow() + 3_600_000
    const delivery = { received, connection: 1, opened: received - 5 }
    for (const one of [first, second, first]) {
      const mount = routerOf(one).resolveMount('/v1/pets', () => undefined)
      if (mount) await mount.answer({ ...toCoreRequest(list(), mount), delivery })
    }

    const stored = await first.store.world('default').journal.read(0, 10)
    await pair.close()

    const deliveries = stored.map((one) => toExchange(one, first.service).delivery)
    const [one, two, three] = deliveries.map((given) => given?.connection)
    expect(one).toBe(three)
    expect(one).not.toBe(two)
    for (const { received: at = 0, opened = 0 } of deliveries.flatMap((given) => given ?? [])) {
      expect(Math.abs(at - 3_600_000 - Date.now())).toBeLessThan(30_000)
      expect(at - opened).toBeCloseTo(5, 1)
    }
  })
})

/** The ids of so many events of a stream. */
async function readIds(
  stream: ReadableStream<Uint8Array> | null,
  count: number,
): Promise<readonly number[]> {
  const reader = stream?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let ids: readonly number[] = []
  while (reader && ids.length < count) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  }
  await reader?.cancel()

  return ids
}

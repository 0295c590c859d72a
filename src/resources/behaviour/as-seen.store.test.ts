import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { DEPOTS } from '../../testing/depots-document.ts'
import { pathsOf } from '../../testing/documented-api.ts'
import { loadDocumentOf } from '../../testing/load-document-of.ts'
import { loadMarks } from '../../testing/marks-document.ts'
import { listOf, objectOf } from '../../testing/operation-on.ts'
import { findRedis } from '../../testing/redis/find-redis.ts'
import { SharedPair } from '../../testing/redis/shared-pair.ts'
import { type StartedRedis, startRedis, stopRedis } from '../../testing/redis/start-redis.ts'

describe.skipIf(!findRedis())('sandboxes on one store', () => {
  let redis: StartedRedis
  let pair: SharedPair
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(() => pair.close())
  afterAll(stopRedis)

  it('have the same marks', async () => {
    pair = await SharedPair.open(redis.address, { contract: await loadMarks() })
    await pair.send(0, 'POST', '/repos/acme', { name: 'api' })

    await pair.send(0, 'PUT', '/user/starred/acme/api')
    const list = await pair.send<object[]>(1, 'GET', '/user/starred')
    await pair.send(1, 'POST', '/posts/1/like')
    const post = await pair.send(0, 'GET', '/posts/1')
    const removed = await pair.send(1, 'DELETE', '/user/starred/acme/api')
    const gone = await pair.send(0, 'GET', '/user/starred/acme/api')

    expect(list.body).toMatchObject([{ full_name: 'acme/api', stargazers_count: 1 }])
    expect(post.body).toMatchObject({ id: 1, liked: true })
    expect([removed.status, gone.status]).toEqual([204, 404])
  })

  it('have the same teams of the caller', async () => {
    pair = await SharedPair.open(redis.address, { contract: await loadMarks() })
    const { body: team } = await pair.send(0, 'POST', '/teams', { name: 'Ops' })
    const { body: me } = await pair.send(1, 'GET', '/user')

    const before = await pair.send<object[]>(1, 'GET', '/user/teams')
    await pair.send(0, 'POST', `/teams/${team.id}/members`, { user_id: me.id })
    const after = await pair.send<object[]>(1, 'GET', '/user/teams')

    expect(after.body).toEqual([...before.body, team])
  })

  it('count the same', async () => {
    const contract = await loadDocumentOf(pathsOf(DEPOTS))
    pair = await SharedPair.open(redis.address, { contract })
    const { body: depot } = await pair.send(0, 'POST', '/depots', { name: 'North' })

    await pair.send(1, 'POST', '/vehicles', { plate: 'A 1', depot_id: depot.id })
    const read = await pair.send(0, 'GET', `/depots/${depot.id}`)

    expect([depot.vehicle_count, read.body.vehicle_count]).toEqual([0, 1])
  })

  it('forget removed records', async () => {
    const shown = objectOf({ id: { type: 'integer' }, depot_id: { type: ['integer', 'null'] } })
    const stay = { ...shown, required: ['id', 'depot_id'] }
    const path = { id: { type: 'integer' } }
    const contract = await loadDocumentOf(
      pathsOf({
        ...DEPOTS,
        'DELETE /depots/{id}': { status: [204], path },
        'GET /stays': { shown: listOf(stay) },
        'GET /stays/{id}': { shown: stay, path },
        'GET /yards/{yard}/visits': { shown: listOf(stay) },
        'GET /yards/{yard}/visits/{id}': { shown: stay, path },
      }),
    )
    pair = await SharedPair.open(redis.address, { contract })
    type Stays = readonly { readonly depot_id: number | null }[]
    const [list, below] = ['/stays', '/yards/1/visits'] as const
    const stays = (await pair.send<Stays>(0, 'GET', list)).body
    const visits = (await pair.send<Stays>(0, 'GET', below)).body
    const { depot_id } = stays.find((one) => one.depot_id !== null) ?? {}

    await pair.send(1, 'DELETE', `/depots/${depot_id}`)

    const left = (of: Stays) =>
      of.map((one) => (one.depot_id === depot_id ? { ...one, depot_id: null } : one))
    expect((await pair.send(0, 'GET', list)).body).toEqual(left(stays))
    expect((await pair.send(0, 'GET', below)).body).toEqual(left(visits))
    expect(visits.some((one) => one.depot_id === depot_id)).toBe(true)
  })
})

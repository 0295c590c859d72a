import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSandbox, UsageError } from '../index.ts'
import {
  type ControlResponse,
  controlValidator,
  NOON,
  openControl,
  type Steer,
} from '../testing/control.ts'
import { createControl } from './control.ts'

const FREE = 'sk_sandbox_free'

afterEach(() => {
  vi.useRealTimers()
})

/** Sends a request to the API of a sandbox. */
function ask(
  { sandbox }: Pick<ReturnType<typeof openControl>, 'sandbox'>,
  path: string,
  key = FREE,
  method = 'GET',
): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}` }
  return sandbox.fetch(new Request(`http://localhost${path}`, { method, headers }))
}

/** How each operation is asked for in a way that succeeds. */
const EXAMPLES: Readonly<Record<string, (steer: Steer) => Promise<ControlResponse>>> = {
  getIndex: (steer) => steer('GET', ''),
  getDocument: (steer) => steer('GET', '/openapi.json'),
  getHealth: (steer) => steer('GET', '/health'),
  reset: (steer) => steer('POST', '/reset'),
  takeSnapshot: (steer) => steer('GET', '/snapshot'),
  restoreSnapshot: async (steer) => {
    const { body } = await steer('GET', '/snapshot')
    return steer('PUT', '/snapshot', { body })
  },
  getClock: (steer) => steer('GET', '/clock'),
  moveClock: (steer) => steer('POST', '/clock', { body: { advance: 'PT61S' } }),
  listOutcomes: (steer) => steer('GET', '/outcomes'),
  forceOutcome: (steer) => steer('POST', '/outcomes', { body: { outcome: 'banned' } }),
  clearOutcomes: (steer) => steer('DELETE', '/outcomes'),
  removeOutcome: async (steer) => {
    const { body } = await steer('POST', '/outcomes', { body: { outcome: 'banned' } })
    return steer('DELETE', `/outcomes/${body.id}`)
  },
  listScenarios: (steer) => steer('GET', '/scenarios'),
  playScenario: async (steer) => {
    const { body } = await steer('GET', '/scenarios')
    return steer('POST', `/scenarios/${body[0].name}`)
  },
  listCollections: (steer) => steer('GET', '/records'),
  listRecords: (steer) => steer('GET', '/records/pets?limit=2'),
  createRecord: (steer) =>
    steer('POST', '/records/pets', { body: { name: 'Rex', categoryId: 1, status: 'sold' } }),
  getRecord: (steer) => steer('GET', '/records/pets/1'),
  updateRecord: (steer) => steer('PATCH', '/records/pets/1', { body: { status: 'sold' } }),
  removeRecord: (steer) => steer('DELETE', '/records/pets/1'),
  listPlans: (steer) => steer('GET', '/plans'),
  setPlan: (steer) => steer('PUT', '/plans/free', { body: { minute: 5 } }),
  listKeys: (steer) => steer('GET', '/keys'),
  setKey: (steer) => steer('PUT', '/keys/mine', { body: { plan: 'pro' } }),
  removeKey: (steer) => steer('DELETE', `/keys/${FREE}`),
  listWorlds: (steer) => steer('GET', '/worlds'),
  listDroppedWorlds: (steer) => steer('GET', '/dropped-worlds'),
  createWorld: (steer) => steer('POST', '/worlds', { body: { name: 'one' } }),
  removeWorld: async (steer) => {
    await steer('POST', '/worlds', { body: { name: 'one' } })
    return steer('DELETE', '/worlds/one')
  },
  findExchanges: (steer) => steer('GET', '/journal'),
  exportHar: (steer) => steer('GET', '/journal/har'),
  streamExchanges: (steer) => steer('GET', '/journal/events'),
  getReport: (steer) => steer('GET', '/report'),
  waitForExchange: (steer) => steer('GET', '/journal/wait?timeout=1000'),
}

const OF_WORLDS = ['listWorlds', 'listDroppedWorlds', 'createWorld', 'removeWorld']

describe('each operation of the document succeeds as it says:', () => {
  test.each(controlValidator.operations)('%s', async (operation) => {
    const desk = openControl()
    await ask(desk, '/v1/pets')

    const steered = await EXAMPLES[operation]?.(desk.steer)
    desk.control.close()

    expect(steered?.operation).toBe(operation)
    expect(steered?.status).toBeLessThan(300)
    expect(steered?.headers.get('Cache-Control')).toBe('no-store')
    expect(steered?.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test.each(controlValidator.operations.filter((one) => !OF_WORLDS.includes(one)))(
    '%s of a world',
    async (operation) => {
      const desk = openControl()
      const inWorld: Steer = (method, path, options) =>
        desk.steer(method, `/worlds/two${path || '/'}`, options)
      await ask(desk, '/worlds/two/v1/pets')

      const steered = await EXAMPLES[operation]?.(inWorld)
      desk.control.close()

      expect(steered?.operation).toBe(operation)
      expect(steered?.status).toBeLessThan(300)
    },
  )

  test.each(OF_WORLDS)('%s, which no world has', async (operation) => {
    const { steer } = openControl()
    const inWorld: Steer = (method, path, options) => steer(method, `/worlds/two${path}`, options)

    const { status, body } = await (EXAMPLES[operation]?.(inWorld) ?? steer('GET', '/'))

    expect(status).toBe(404)
    expect(body.message).toContain('A world has no worlds.')
  })
})

describe('the sandbox', () => {
  test('lists what can be done to it, with addresses that are there', async () => {
    const { steer } = openControl()

    const { body } = await steer('GET', '')

    expect(body.document).toBe('/__sandbox/openapi.json')
    expect(body.operations).toHaveLength(controlValidator.operations.length)
    expect(body.operations).toContain('POST /__sandbox/reset: Reset the state')
  })

  test('has its own document', async () => {
    const { steer } = openControl()

    const { body } = await steer('GET', '/openapi.json')

    expect(Object.keys(body.paths)).toContain('/journal/wait')
  })

  test('is ready once its records are in', async () => {
    const { steer } = openControl()

    const { body } = await steer('GET', '/health')

    expect(body).toEqual({
      status: 'ready',
      title: 'Pet Adoption Store',
      version: '1.0.0',
      basePath: '/v1',
      world: 'default',
    })
  })

  test('is put back to how it started', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets')
    await desk.steer('POST', '/outcomes', { body: { outcome: 'banned' } })
    await desk.steer('DELETE', '/records/pets/1')

    await desk.steer('POST', '/reset', { body: {} })

    expect((await desk.steer('GET', '/outcomes')).body).toEqual([])
    expect((await desk.steer('GET', '/journal')).body.exchanges).toEqual([])
    expect((await desk.steer('GET', '/records/pets/1')).status).toBe(200)
  })

  test('goes back to a snapshot', async () => {
    const { steer } = openControl()
    await steer('PATCH', '/records/pets/1', { body: { name: 'Before' } })
    const { body } = await steer('GET', '/snapshot')
    await steer('PATCH', '/records/pets/1', { body: { name: 'After' } })

    await steer('PUT', '/snapshot', { body })

    expect((await steer('GET', '/records/pets/1')).body.name).toBe('Before')
  })

  test('answers HEAD as GET, without a body', async () => {
    const { steer } = openControl()

    const health = await steer('HEAD', '/health')
    const events = await steer('HEAD', '/journal/events')

    expect([health.status, health.body]).toEqual([200, undefined])
    expect([events.status, events.body]).toEqual([200, undefined])
  })

  test.each([
    ['GET', '/nothing', 404],
    ['GET', '/clock/', 404],
    ['DELETE', '/clock', 405],
    ['GET', '/reset', 405],
  ])('has no %s %s', async (method, path, status) => {
    const { steer } = openControl()

    expect((await steer(method, path)).status).toBe(status)
  })

  test('is nowhere else', async () => {
    const { control } = openControl()

    const response = await control.fetch(new Request('http://localhost/__sandbox2/reset'), {
      address: '::1',
    })

    expect(response.status).toBe(404)
  })

  test('takes no other thing for a sandbox, and no option that there is not', () => {
    const { sandbox } = openControl()

    // @ts-expect-error It has no records, for instance.
    expect(() => createControl({})).toThrow(UsageError)
    // @ts-expect-error It is origins.
    expect(() => createControl(sandbox, { origin: [] })).toThrow('Did you mean "origins"?')
  })
})

describe('the clock', () => {
  test.each([
    [{ advance: 'PT61S' }, '2027-03-01T12:01:01.000Z'],
    [{ advance: '61s' }, '2027-03-01T12:01:01.000Z'],
    [{ advance: 61_000 }, '2027-03-01T12:01:01.000Z'],
    [{ set: '2030-12-05T00:00:00Z' }, '2030-12-05T00:00:00.000Z'],
    [{ freeze: true }, NOON],
    [{ advanceToReset: FREE }, '2027-03-01T12:01:00.000Z'],
    [{ advanceToRemoval: 'getPet' }, '2030-12-05T00:00:00.000Z'],
  ])('obeys %j', async (body, now) => {
    const { steer } = openControl()

    const moved = await steer('POST', '/clock', { body })

    expect(moved.body).toEqual({ now, frozen: true })
    expect((await steer('GET', '/clock')).body).toEqual(moved.body)
  })

  test('runs on when it is told to', async () => {
    const { steer } = openControl()

    const { body } = await steer('POST', '/clock', { body: { resume: true } })

    expect(body.frozen).toBe(false)
  })

  test('moves to the end of a ban', async () => {
    const desk = openControl()
    const { body } = await desk.steer('PUT', '/plans/free', { body: { minute: 1 } })
    for (let sent = 0; sent < 12; sent += 1) await ask(desk, '/v1/pets')

    const moved = await desk.steer('POST', '/clock', { body: { advanceToBanEnd: FREE } })

    expect(body.minute).toBe(1)
    expect(moved.body.now).toBe('2027-03-01T12:05:00.000Z')
    expect((await ask(desk, '/v1/pets')).status).toBe(200)
  })

  test('tells what moving it back does to the windows', async () => {
    const { steer } = openControl()

    const { body } = await steer('POST', '/clock', { body: { advance: -1000 } })

    expect(body.note).toMatch(/^The clock moved back\. Quota windows start again/)
  })
})

describe('forced outcomes', () => {
  test('are listed with what they did, and taken back one by one', async () => {
    const desk = openControl()
    const rule = { outcome: 'rate-limited', operation: 'listPets', times: 3, retryAfter: 7 }
    const forced = await desk.steer('POST', '/outcomes', { body: rule })
    await desk.steer('POST', '/outcomes', { body: { outcome: 'server-error', path: '/pets/*' } })

    const response = await ask(desk, '/v1/pets')
    const { body } = await desk.steer('GET', '/outcomes')
    await desk.steer('DELETE', forced.headers.get('Location')?.replace('/__sandbox', '') ?? '')

    expect(forced.body).toEqual({ id: 1, ...rule, matched: 0, forced: 0 })
    expect(response.headers.get('Retry-After')).toBe('7')
    expect(body).toEqual([
      { id: 1, ...rule, matched: 1, forced: 1 },
      { id: 2, outcome: 'server-error', path: '/pets/*', matched: 0, forced: 0 },
    ])
    expect((await desk.steer('GET', '/outcomes')).body).toMatchObject([{ id: 2 }])
    expect((await ask(desk, '/v1/pets')).status).toBe(200)
    expect((await ask(desk, '/v1/pets/1')).status).toBe(500)
  })

  test('are all removed by one request', async () => {
    const { steer } = openControl()
    await steer('POST', '/outcomes', { body: { outcome: 'banned' } })

    await steer('DELETE', '/outcomes')

    expect((await steer('GET', '/outcomes')).body).toEqual([])
  })

  test('are explained by the 404 for an id when no outcome is forced', async () => {
    const { steer } = openControl()

    const { status, body } = await steer('DELETE', '/worlds/one/outcomes/9')

    expect(status).toBe(404)
    expect(body.message).toBe(
      'Cannot find the forced outcome: unknown forced outcome "9". ' +
        'No outcomes are forced. Force one with: pet-sandbox ctl force, or POST /__sandbox/worlds/one/outcomes.',
    )
  })

  test('are listed by the 404 for an unknown id', async () => {
    const { steer } = openControl()
    await steer('POST', '/outcomes', { body: { outcome: 'banned' } })

    const { body } = await steer('DELETE', '/outcomes/99999')

    expect(body.message).toBe(
      'Cannot find the forced outcome: unknown forced outcome "99999". Known: 1.',
    )
  })

  test('may be all that the document lists, and no other', async () => {
    const { sandbox, steer } = openControl()
    const { body } = await steer('GET', '/openapi.json')
    const { enum: known } = body.components.schemas.OutcomeRule.properties.outcome

    // @ts-expect-error There is none such.
    expect(() => sandbox.force('-'.repeat(40))).toThrow(`Known: ${known.join(', ')}.`)
    for (const outcome of known) {
      expect((await steer('POST', '/outcomes', { body: { outcome } })).status).toBe(201)
    }
  })
})

describe('scenarios', () => {
  test('are played by name', async () => {
    const { steer } = openControl()
    const { body } = await steer('GET', '/scenarios')

    const played = await steer('POST', `/scenarios/${body[0].name}`)

    expect(body.length).toBeGreaterThan(3)
    expect(played.body).toEqual(body[0])
  })
})

describe('records', () => {
  test('are counted by collection', async () => {
    const { steer } = openControl()

    expect((await steer('GET', '/records')).body).toEqual([{ name: 'pets', count: 50 }])
  })

  test('are filtered by their properties, and limited', async () => {
    const { steer } = openControl()
    const all = (await steer('GET', '/records/pets')).body
    const where = (fits: (pet: { status: string; categoryId: number }) => boolean): unknown =>
      all.filter(fits)

    const sold = await steer('GET', '/records/pets?status=sold')
    const either = await steer('GET', '/records/pets?status=sold&status=pending')
    const ofOne = await steer('GET', '/records/pets?categoryId=1&status=available')
    const two = await steer('GET', '/records/pets?status=sold&limit=2')

    expect(sold.body).toEqual(where(({ status }) => status === 'sold'))
    expect(either.body).toEqual(where(({ status }) => status !== 'available'))
    expect(ofOne.body).toEqual(
      where(({ status, categoryId }) => status === 'available' && categoryId === 1),
    )
    expect(two.body).toEqual(sold.body.slice(0, 2))
  })

  test('go from one state to another, which the API sees', async () => {
    const desk = openControl()
    await desk.steer('PATCH', '/records/pets/1', { body: { status: 'available' } })

    const changed = await desk.steer('PATCH', '/records/pets/1', { body: { status: 'sold' } })
    const asked = await ask(desk, '/v1/pets/1')

    expect(changed.body.status).toBe('sold')
    expect(await asked.json()).toEqual(changed.body)
  })

  test('are added with an id that is made or given, and found where the answer says', async () => {
    const { steer } = openControl()
    const body = { name: 'Rex', categoryId: 1 }

    const made = await steer('POST', '/records/pets', { body })
    const given = await steer('POST', '/records/pets', { body: { ...body, id: 700 } })
    const found = await steer('GET', made.headers.get('Location')?.slice('/__sandbox'.length) ?? '')

    expect(made.body).toEqual({ id: 51, ...body, status: 'available' })
    expect(found.body).toEqual(made.body)
    expect(given.headers.get('Location')).toBe('/__sandbox/records/pets/700')
  })

  test('are removed', async () => {
    const { steer } = openControl()

    await steer('DELETE', '/records/pets/1')

    expect((await steer('GET', '/records/pets/1')).status).toBe(404)
    expect((await steer('DELETE', '/records/pets/1')).status).toBe(404)
  })
})

describe('plans and keys', () => {
  test('are listed', async () => {
    const { steer } = openControl()

    const plans = (await steer('GET', '/plans')).body
    const keys = (await steer('GET', '/keys')).body

    expect(plans).toContainEqual({ name: 'free', minute: 60, day: 1000 })
    expect(keys).toContainEqual({ key: FREE, plan: { name: 'free', minute: 60, day: 1000 } })
    expect(keys).toContainEqual(expect.objectContaining({ always: 'banned' }))
  })

  test('change from now on, in one window or both', async () => {
    const desk = openControl()

    const plan = await desk.steer('PUT', '/plans/free', { body: { minute: 2 } })
    const left = (await ask(desk, '/v1/pets')).headers.get('X-RateLimit-Remaining')

    expect(plan.body).toEqual({ name: 'free', minute: 2, day: 1000 })
    expect(left).toBe('1')
  })

  test('are added and removed', async () => {
    const desk = openControl()

    const plan = await desk.steer('PUT', '/plans/gold', { body: { minute: 7, day: 70 } })
    const key = await desk.steer('PUT', '/keys/sk%2Fmine', { body: { plan: 'gold' } })
    const with_ = await ask(desk, '/v1/pets', 'sk/mine')
    await desk.steer('DELETE', '/keys/sk%2Fmine')
    const without = await ask(desk, '/v1/pets', 'sk/mine')

    expect(key.body).toEqual({ key: 'sk/mine', plan: plan.body })
    expect(with_.headers.get('X-RateLimit-Limit')).toBe('7')
    expect(without.status).toBe(401)
  })
})

describe('worlds', () => {
  test('are made, listed with what they were asked, and removed', async () => {
    const desk = openControl()

    const made = await desk.steer('POST', '/worlds', { body: { name: 'one' } })
    await ask(desk, '/worlds/one/v1/pets')
    const { body } = await desk.steer('GET', '/worlds')
    await desk.steer('DELETE', '/worlds/one')

    expect(made.headers.get('Location')).toBe('/__sandbox/worlds/one')
    expect(body).toEqual([
      { name: 'default', requests: 0, control: '/__sandbox/worlds/default' },
      { name: 'one', requests: 1, control: '/__sandbox/worlds/one' },
    ])
    expect((await desk.steer('GET', '/worlds')).body).toHaveLength(1)
  })

  test('that had to go for newer ones are told', async () => {
    const { steer } = openControl({}, createSandbox({ worlds: 1 }))
    for (const name of ['one', 'two', 'three']) await steer('POST', '/worlds', { body: { name } })

    const { body } = await steer('GET', '/dropped-worlds')

    expect(body).toEqual(['one', 'two'])
  })

  test('that are there already stay as they are', async () => {
    const { steer } = openControl()
    await steer('DELETE', '/worlds/one/records/pets/1')

    const again = await steer('POST', '/worlds', { body: { name: 'one' } })
    const fork = await steer('POST', '/worlds', { body: { name: 'one', from: 'default' } })

    expect([again.status, fork.status]).toEqual([200, 400])
    expect(fork.body.code).toBe('world_exists')
    expect((await steer('GET', '/worlds/one/records/pets/1')).status).toBe(404)
  })

  test('share nothing', async () => {
    const { steer } = openControl()

    await steer('DELETE', '/worlds/one/records/pets/1')
    await steer('POST', '/worlds/one/clock', { body: { set: '2030-12-05T00:00:00Z' } })

    expect((await steer('GET', '/records/pets/1')).status).toBe(200)
    expect((await steer('GET', '/worlds/two/records/pets/1')).status).toBe(200)
    expect((await steer('GET', '/clock')).body.now).toBe(NOON)
  })

  test('start as another is now', async () => {
    const { steer } = openControl()
    await steer('PATCH', '/records/pets/1', { body: { name: 'Twin' } })

    await steer('POST', '/worlds', { body: { name: 'copy', from: 'default' } })

    expect((await steer('GET', '/worlds/copy/records/pets/1')).body.name).toBe('Twin')
  })

  test('come into being by being steered, but not by a request that is refused', async () => {
    const { steer } = openControl()

    await steer('GET', '/worlds/here/clock')
    await steer('GET', '/worlds/there/nothing')
    await steer('POST', '/worlds/there/clock', { body: {} })
    await steer('GET', '/worlds/there/clock', { address: '10.0.0.1' })

    const { body } = await steer('GET', '/worlds')
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['default', 'here'])
  })

  test('are chosen by a header, too; the path goes before it', async () => {
    const { steer } = openControl()
    const headers = { 'X-Sandbox-World': 'a%20%2F%20b' }

    await steer('DELETE', '/records/pets/1', { headers })
    await steer('DELETE', '/worlds/one/records/pets/2', { headers })

    expect((await steer('GET', '/health', { headers })).body.world).toBe('a / b')
    expect((await steer('GET', '/worlds/a%20%2F%20b/records/pets/1')).status).toBe(404)
    expect((await steer('GET', '/worlds/one/records/pets/2')).status).toBe(404)
    expect((await steer('GET', '/records/pets', { headers })).body).toHaveLength(49)
    expect((await steer('GET', '/records/pets')).body).toHaveLength(50)
  })

  test('are listed, made and removed whatever world a header chooses, which is not made', async () => {
    const { steer } = openControl()
    const headers = { 'X-Sandbox-World': 'other' }

    const made = await steer('POST', '/worlds', { headers, body: { name: 'a / b' } })
    const listed = await steer('GET', '/worlds', { headers })
    const removed = await steer('DELETE', '/worlds/a%20%2F%20b', { headers })

    expect(made.headers.get('Location')).toBe('/__sandbox/worlds/a%20%2F%20b')
    expect(made.body).toMatchObject({ control: '/__sandbox/worlds/a%20%2F%20b' })
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['default', 'a / b'])
    expect(removed.status).toBe(204)
  })

  test.each(['.', '%zz', ''])('are not chosen by the header value "%s", a 400', async (value) => {
    const { steer, sandbox } = openControl()

    const { status, body } = await steer('GET', '/clock', { headers: { 'X-Sandbox-World': value } })

    expect(status).toBe(400)
    expect(body.code).toBe('invalid_world')
    expect(body.message).toContain('in the header X-Sandbox-World as the name of a world')
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  test('may be chosen by a header of a page that is let in', async () => {
    const { steer } = openControl({ origins: ['http://localhost:3000'] })
    const headers = {
      Origin: 'http://localhost:3000',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-sandbox-world',
    }

    const preflight = await steer('OPTIONS', '/clock', { headers })

    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('X-Sandbox-World')
  })

  test('may be the sandbox itself, by its name', async () => {
    const { steer } = openControl()

    await steer('DELETE', '/worlds/default/records/pets/1')

    expect((await steer('GET', '/records/pets/1')).status).toBe(404)
  })
})

describe('the journal', () => {
  test('is searched by what its parameters say', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets')
    await ask(desk, '/v1/pets/1')
    await ask(desk, '/v1/pets/999')
    await ask(desk, '/v1/pets', 'sk_sandbox_pro')
    const ids = async (query: string): Promise<number[]> => {
      const { body } = await desk.steer('GET', `/journal?${query}`)
      return body.exchanges.map(({ id }: { id: number }) => id)
    }

    expect(await ids('')).toEqual([1, 2, 3, 4])
    expect(await ids('operation=getPet')).toEqual([2, 3])
    expect(await ids('status=404')).toEqual([3])
    expect(await ids('status=2xx')).toEqual([1, 2, 4])
    expect(await ids('key=sk_sandbox_pro')).toEqual([4])
    expect(await ids('after=2')).toEqual([3, 4])
    expect(await ids('limit=2')).toEqual([1, 2])
    expect(await ids(`since=${NOON}&until=${NOON}`)).toEqual([1, 2, 3, 4])
    expect(await ids('since=2027-03-01T12:00:01Z')).toEqual([])
  })

  test('has requests and answers, of keys their end', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets?limit=1')

    const { body } = await desk.steer('GET', '/journal')

    expect(body).toMatchObject({ last: 1, dropped: 0 })
    expect(body.exchanges[0]).toMatchObject({
      id: 1,
      operation: 'listPets',
      request: { url: 'http://localhost/v1/pets?limit=1' },
      response: { body: expect.stringMatching(/^\[\{"id":1/) },
    })
    expect(JSON.stringify(body)).not.toContain(FREE)
  })

  test('is an HTTP archive as well', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets')

    const { body } = await desk.steer('GET', '/journal/har')

    expect(body.log).toMatchObject({ version: '1.2', entries: [{ request: { method: 'GET' } }] })
  })

  test('is waited for: what is there, and what is to come', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets')

    const there = await desk.steer('GET', '/journal/wait?operation=listPets')
    const coming = desk.steer('GET', '/journal/wait?operation=getPet&after=1')
    await ask(desk, '/v1/pets/1')

    expect(there.body.id).toBe(1)
    expect((await coming).body).toMatchObject({ id: 2, operation: 'getPet' })
  })

  test('is waited for in vain no longer than asked', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets')

    const address = '/journal/wait?operation=getPet&timeout=20'
    const { status, headers, body } = await desk.steer('GET', address)

    expect(status).toBe(408)
    expect(body.code).toBe('no_exchange')
    expect(headers.get('X-Sandbox-Reason')).toBe('no-exchange')
    expect(body.message).toMatch(
      /^No exchange matched the query within 20 ms\. Latest exchanges: .*listPets/,
    )
  })

  test('ends every wait when the interface is closed or the client disconnects', async () => {
    // Only the timers of the waits are fake, so that no other timer is counted.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { control, steer } = openControl()
    const client = new AbortController()
    const address = 'http://localhost/__sandbox/journal/wait?timeout=50000'
    const request = new Request(address, { signal: client.signal })

    const waiting = steer('GET', '/journal/wait?timeout=50000')
    const leaving = control.fetch(request, { address: '::1' })
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(2), 20_000)
    client.abort()
    await leaving
    control.close()

    expect(await waiting).toMatchObject({
      status: 503,
      body: { message: 'The sandbox stopped before an exchange matched the query.' },
    })
    expect(vi.getTimerCount()).toBe(0)
  })
})

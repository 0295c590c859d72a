import { afterEach, describe, expect, test, vi } from 'vitest'
import { createSandbox, UsageError } from '../index.ts'
import {
  type CallControl,
  type ControlResponse,
  controlValidator,
  NOON,
  openControl,
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
const EXAMPLES: Readonly<Record<string, (callControl: CallControl) => Promise<ControlResponse>>> = {
  getIndex: (callControl) => callControl('GET', ''),
  getDocument: (callControl) => callControl('GET', '/openapi.json'),
  getHealth: (callControl) => callControl('GET', '/health'),
  reset: (callControl) => callControl('POST', '/reset'),
  takeSnapshot: (callControl) => callControl('GET', '/snapshot'),
  restoreSnapshot: async (callControl) => {
    const { body } = await callControl('GET', '/snapshot')
    return callControl('PUT', '/snapshot', { body })
  },
  getClock: (callControl) => callControl('GET', '/clock'),
  moveClock: (callControl) => callControl('POST', '/clock', { body: { advance: 'PT61S' } }),
  listOutcomes: (callControl) => callControl('GET', '/outcomes'),
  forceOutcome: (callControl) => callControl('POST', '/outcomes', { body: { outcome: 'banned' } }),
  clearOutcomes: (callControl) => callControl('DELETE', '/outcomes'),
  removeOutcome: async (callControl) => {
    const { body } = await callControl('POST', '/outcomes', { body: { outcome: 'banned' } })
    return callControl('DELETE', `/outcomes/${body.id}`)
  },
  listScenarios: (callControl) => callControl('GET', '/scenarios'),
  playScenario: async (callControl) => {
    const { body } = await callControl('GET', '/scenarios')
    return callControl('POST', `/scenarios/${body[0].name}`)
  },
  listCollections: (callControl) => callControl('GET', '/records'),
  listRecords: (callControl) => callControl('GET', '/records/pets?limit=2'),
  createRecord: (callControl) =>
    callControl('POST', '/records/pets', { body: { name: 'Rex', categoryId: 1, status: 'sold' } }),
  getRecord: (callControl) => callControl('GET', '/records/pets/1'),
  updateRecord: (callControl) =>
    callControl('PATCH', '/records/pets/1', { body: { status: 'sold' } }),
  removeRecord: (callControl) => callControl('DELETE', '/records/pets/1'),
  listPlans: (callControl) => callControl('GET', '/plans'),
  setPlan: (callControl) => callControl('PUT', '/plans/free', { body: { minute: 5 } }),
  listKeys: (callControl) => callControl('GET', '/keys'),
  setKey: (callControl) => callControl('PUT', '/keys/mine', { body: { plan: 'pro' } }),
  removeKey: (callControl) => callControl('DELETE', `/keys/${FREE}`),
  listWorlds: (callControl) => callControl('GET', '/worlds'),
  listDroppedWorlds: (callControl) => callControl('GET', '/dropped-worlds'),
  createWorld: (callControl) => callControl('POST', '/worlds', { body: { name: 'one' } }),
  removeWorld: async (callControl) => {
    await callControl('POST', '/worlds', { body: { name: 'one' } })
    return callControl('DELETE', '/worlds/one')
  },
  findExchanges: (callControl) => callControl('GET', '/journal'),
  exportHar: (callControl) => callControl('GET', '/journal/har'),
  streamExchanges: (callControl) => callControl('GET', '/journal/events'),
  getReport: (callControl) => callControl('GET', '/report'),
  waitForExchange: (callControl) => callControl('GET', '/journal/wait?timeout=1000'),
}

const OF_WORLDS = ['listWorlds', 'listDroppedWorlds', 'createWorld', 'removeWorld']

describe('each operation of the document succeeds as it says:', () => {
  test.each(controlValidator.operations)('%s', async (operation) => {
    const desk = openControl()
    await ask(desk, '/v1/pets')

    const response = await EXAMPLES[operation]?.(desk.callControl)
    desk.control.close()

    expect(response?.operation).toBe(operation)
    expect(response?.status).toBeLessThan(300)
    expect(response?.headers.get('Cache-Control')).toBe('no-store')
    expect(response?.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test.each(controlValidator.operations.filter((one) => !OF_WORLDS.includes(one)))(
    '%s of a world',
    async (operation) => {
      const desk = openControl()
      const inWorld: CallControl = (method, path, options) =>
        desk.callControl(method, `/worlds/two${path || '/'}`, options)
      await ask(desk, '/worlds/two/v1/pets')

      const response = await EXAMPLES[operation]?.(inWorld)
      desk.control.close()

      expect(response?.operation).toBe(operation)
      expect(response?.status).toBeLessThan(300)
    },
  )

  test.each(OF_WORLDS)('%s, which no world has', async (operation) => {
    const { callControl } = openControl()
    const inWorld: CallControl = (method, path, options) =>
      callControl(method, `/worlds/two${path}`, options)

    const { status, body } = await (EXAMPLES[operation]?.(inWorld) ?? callControl('GET', '/'))

    expect(status).toBe(404)
    expect(body.message).toContain('A world has no worlds.')
  })
})

describe('the sandbox', () => {
  test('lists what can be done to it, with addresses that are there', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('GET', '')

    expect(body.document).toBe('/__sandbox/openapi.json')
    expect(body.operations).toHaveLength(controlValidator.operations.length)
    expect(body.operations).toContain('POST /__sandbox/reset: Reset the state')
  })

  test('has its own document', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('GET', '/openapi.json')

    expect(Object.keys(body.paths)).toContain('/journal/wait')
  })

  test('is ready once its records are in', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('GET', '/health')

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
    await desk.callControl('POST', '/outcomes', { body: { outcome: 'banned' } })
    await desk.callControl('DELETE', '/records/pets/1')

    await desk.callControl('POST', '/reset', { body: {} })

    expect((await desk.callControl('GET', '/outcomes')).body).toEqual([])
    expect((await desk.callControl('GET', '/journal')).body.exchanges).toEqual([])
    expect((await desk.callControl('GET', '/records/pets/1')).status).toBe(200)
  })

  test('goes back to a snapshot', async () => {
    const { callControl } = openControl()
    await callControl('PATCH', '/records/pets/1', { body: { name: 'Before' } })
    const { body } = await callControl('GET', '/snapshot')
    await callControl('PATCH', '/records/pets/1', { body: { name: 'After' } })

    await callControl('PUT', '/snapshot', { body })

    expect((await callControl('GET', '/records/pets/1')).body.name).toBe('Before')
  })

  test('answers HEAD as GET, without a body', async () => {
    const { callControl } = openControl()

    const health = await callControl('HEAD', '/health')
    const events = await callControl('HEAD', '/journal/events')

    expect([health.status, health.body]).toEqual([200, undefined])
    expect([events.status, events.body]).toEqual([200, undefined])
  })

  test.each([
    ['GET', '/nothing', 404],
    ['GET', '/clock/', 404],
    ['DELETE', '/clock', 405],
    ['GET', '/reset', 405],
  ])('has no %s %s', async (method, path, status) => {
    const { callControl } = openControl()

    expect((await callControl(method, path)).status).toBe(status)
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
    const { callControl } = openControl()

    const moved = await callControl('POST', '/clock', { body })

    expect(moved.body).toEqual({ now, frozen: true })
    expect((await callControl('GET', '/clock')).body).toEqual(moved.body)
  })

  test('runs on when it is told to', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('POST', '/clock', { body: { resume: true } })

    expect(body.frozen).toBe(false)
  })

  test('moves to the end of a ban', async () => {
    const desk = openControl()
    const { body } = await desk.callControl('PUT', '/plans/free', { body: { minute: 1 } })
    for (let sent = 0; sent < 12; sent += 1) await ask(desk, '/v1/pets')

    const moved = await desk.callControl('POST', '/clock', { body: { advanceToBanEnd: FREE } })

    expect(body.minute).toBe(1)
    expect(moved.body.now).toBe('2027-03-01T12:05:00.000Z')
    expect((await ask(desk, '/v1/pets')).status).toBe(200)
  })

  test('tells what moving it back does to the windows', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('POST', '/clock', { body: { advance: -1000 } })

    expect(body.note).toMatch(/^The clock moved back\. Quota windows start again/)
  })
})

describe('forced outcomes', () => {
  test('are listed with what they did, and taken back one by one', async () => {
    const desk = openControl()
    const rule = { outcome: 'rate-limited', operation: 'listPets', times: 3, retryAfter: 7 }
    const forced = await desk.callControl('POST', '/outcomes', { body: rule })
    await desk.callControl('POST', '/outcomes', {
      body: { outcome: 'server-error', path: '/pets/*' },
    })

    const response = await ask(desk, '/v1/pets')
    const { body } = await desk.callControl('GET', '/outcomes')
    await desk.callControl(
      'DELETE',
      forced.headers.get('Location')?.replace('/__sandbox', '') ?? '',
    )

    expect(forced.body).toEqual({ id: 1, ...rule, matched: 0, forced: 0 })
    expect(response.headers.get('Retry-After')).toBe('7')
    expect(body).toEqual([
      { id: 1, ...rule, matched: 1, forced: 1 },
      { id: 2, outcome: 'server-error', path: '/pets/*', matched: 0, forced: 0 },
    ])
    expect((await desk.callControl('GET', '/outcomes')).body).toMatchObject([{ id: 2 }])
    expect((await ask(desk, '/v1/pets')).status).toBe(200)
    expect((await ask(desk, '/v1/pets/1')).status).toBe(500)
  })

  test('are all removed by one request', async () => {
    const { callControl } = openControl()
    await callControl('POST', '/outcomes', { body: { outcome: 'banned' } })

    await callControl('DELETE', '/outcomes')

    expect((await callControl('GET', '/outcomes')).body).toEqual([])
  })

  test('are explained by the 404 for an id when no outcome is forced', async () => {
    const { callControl } = openControl()

    const { status, body } = await callControl('DELETE', '/worlds/one/outcomes/9')

    expect(status).toBe(404)
    expect(body.message).toBe(
      'Cannot find the forced outcome: unknown forced outcome "9". ' +
        'No outcomes are forced. Force one with: pet-sandbox ctl force, or POST /__sandbox/worlds/one/outcomes.',
    )
  })

  test('are listed by the 404 for an unknown id', async () => {
    const { callControl } = openControl()
    await callControl('POST', '/outcomes', { body: { outcome: 'banned' } })

    const { body } = await callControl('DELETE', '/outcomes/99999')

    expect(body.message).toBe(
      'Cannot find the forced outcome: unknown forced outcome "99999". Known: 1.',
    )
  })

  test('may be all that the document lists, and no other', async () => {
    const { sandbox, callControl } = openControl()
    const { body } = await callControl('GET', '/openapi.json')
    const { enum: known } = body.components.schemas.OutcomeRule.properties.outcome

    // @ts-expect-error There is none such.
    expect(() => sandbox.force('-'.repeat(40))).toThrow(`Known: ${known.join(', ')}.`)
    for (const outcome of known) {
      expect((await callControl('POST', '/outcomes', { body: { outcome } })).status).toBe(201)
    }
  })
})

describe('scenarios', () => {
  test('are played by name', async () => {
    const { callControl } = openControl()
    const { body } = await callControl('GET', '/scenarios')

    const played = await callControl('POST', `/scenarios/${body[0].name}`)

    expect(body.length).toBeGreaterThan(3)
    expect(played.body).toEqual(body[0])
  })
})

describe('records', () => {
  test('are counted by collection', async () => {
    const { callControl } = openControl()

    expect((await callControl('GET', '/records')).body).toEqual([{ name: 'pets', count: 50 }])
  })

  test('are filtered by their properties, and limited', async () => {
    const { callControl } = openControl()
    const all = (await callControl('GET', '/records/pets')).body
    const where = (fits: (pet: { status: string; categoryId: number }) => boolean): unknown =>
      all.filter(fits)

    const sold = await callControl('GET', '/records/pets?status=sold')
    const either = await callControl('GET', '/records/pets?status=sold&status=pending')
    const ofOne = await callControl('GET', '/records/pets?categoryId=1&status=available')
    const two = await callControl('GET', '/records/pets?status=sold&limit=2')

    expect(sold.body).toEqual(where(({ status }) => status === 'sold'))
    expect(either.body).toEqual(where(({ status }) => status !== 'available'))
    expect(ofOne.body).toEqual(
      where(({ status, categoryId }) => status === 'available' && categoryId === 1),
    )
    expect(two.body).toEqual(sold.body.slice(0, 2))
  })

  test('go from one state to another, which the API sees', async () => {
    const desk = openControl()
    await desk.callControl('PATCH', '/records/pets/1', { body: { status: 'available' } })

    const changed = await desk.callControl('PATCH', '/records/pets/1', { body: { status: 'sold' } })
    const asked = await ask(desk, '/v1/pets/1')

    expect(changed.body.status).toBe('sold')
    expect(await asked.json()).toEqual(changed.body)
  })

  test('are added with an id that is made or given, and found where the answer says', async () => {
    const { callControl } = openControl()
    const body = { name: 'Rex', categoryId: 1 }

    const made = await callControl('POST', '/records/pets', { body })
    const given = await callControl('POST', '/records/pets', { body: { ...body, id: 700 } })
    const found = await callControl(
      'GET',
      made.headers.get('Location')?.slice('/__sandbox'.length) ?? '',
    )

    expect(made.body).toEqual({ id: 51, ...body, status: 'available' })
    expect(found.body).toEqual(made.body)
    expect(given.headers.get('Location')).toBe('/__sandbox/records/pets/700')
  })

  test('are removed', async () => {
    const { callControl } = openControl()

    await callControl('DELETE', '/records/pets/1')

    expect((await callControl('GET', '/records/pets/1')).status).toBe(404)
    expect((await callControl('DELETE', '/records/pets/1')).status).toBe(404)
  })
})

describe('plans and keys', () => {
  test('are listed', async () => {
    const { callControl } = openControl()

    const plans = (await callControl('GET', '/plans')).body
    const keys = (await callControl('GET', '/keys')).body

    expect(plans).toContainEqual({ name: 'free', minute: 60, day: 1000 })
    expect(keys).toContainEqual({ key: FREE, plan: { name: 'free', minute: 60, day: 1000 } })
    expect(keys).toContainEqual(expect.objectContaining({ always: 'banned' }))
  })

  test('change from now on, in one window or both', async () => {
    const desk = openControl()

    const plan = await desk.callControl('PUT', '/plans/free', { body: { minute: 2 } })
    const left = (await ask(desk, '/v1/pets')).headers.get('X-RateLimit-Remaining')

    expect(plan.body).toEqual({ name: 'free', minute: 2, day: 1000 })
    expect(left).toBe('1')
  })

  test('are added and removed', async () => {
    const desk = openControl()

    const plan = await desk.callControl('PUT', '/plans/gold', { body: { minute: 7, day: 70 } })
    const key = await desk.callControl('PUT', '/keys/sk%2Fmine', { body: { plan: 'gold' } })
    const with_ = await ask(desk, '/v1/pets', 'sk/mine')
    await desk.callControl('DELETE', '/keys/sk%2Fmine')
    const without = await ask(desk, '/v1/pets', 'sk/mine')

    expect(key.body).toEqual({ key: 'sk/mine', plan: plan.body })
    expect(with_.headers.get('X-RateLimit-Limit')).toBe('7')
    expect(without.status).toBe(401)
  })
})

describe('worlds', () => {
  test('are made, listed with what they were asked, and removed', async () => {
    const desk = openControl()

    const made = await desk.callControl('POST', '/worlds', { body: { name: 'one' } })
    await ask(desk, '/worlds/one/v1/pets')
    const { body } = await desk.callControl('GET', '/worlds')
    await desk.callControl('DELETE', '/worlds/one')

    expect(made.headers.get('Location')).toBe('/__sandbox/worlds/one')
    expect(body).toEqual([
      { name: 'default', requests: 0, control: '/__sandbox/worlds/default' },
      { name: 'one', requests: 1, control: '/__sandbox/worlds/one' },
    ])
    expect((await desk.callControl('GET', '/worlds')).body).toHaveLength(1)
  })

  test('that had to go for newer ones are told', async () => {
    const { callControl } = openControl({}, createSandbox({ worlds: 1 }))
    for (const name of ['one', 'two', 'three'])
      await callControl('POST', '/worlds', { body: { name } })

    const { body } = await callControl('GET', '/dropped-worlds')

    expect(body).toEqual(['one', 'two'])
  })

  test('that are there already stay as they are', async () => {
    const { callControl } = openControl()
    await callControl('DELETE', '/worlds/one/records/pets/1')

    const again = await callControl('POST', '/worlds', { body: { name: 'one' } })
    const fork = await callControl('POST', '/worlds', { body: { name: 'one', from: 'default' } })

    expect([again.status, fork.status]).toEqual([200, 400])
    expect(fork.body.code).toBe('world_exists')
    expect((await callControl('GET', '/worlds/one/records/pets/1')).status).toBe(404)
  })

  test('share nothing', async () => {
    const { callControl } = openControl()

    await callControl('DELETE', '/worlds/one/records/pets/1')
    await callControl('POST', '/worlds/one/clock', { body: { set: '2030-12-05T00:00:00Z' } })

    expect((await callControl('GET', '/records/pets/1')).status).toBe(200)
    expect((await callControl('GET', '/worlds/two/records/pets/1')).status).toBe(200)
    expect((await callControl('GET', '/clock')).body.now).toBe(NOON)
  })

  test('start as another is now', async () => {
    const { callControl } = openControl()
    await callControl('PATCH', '/records/pets/1', { body: { name: 'Twin' } })

    await callControl('POST', '/worlds', { body: { name: 'copy', from: 'default' } })

    expect((await callControl('GET', '/worlds/copy/records/pets/1')).body.name).toBe('Twin')
  })

  test('are created by the first valid control request, but not by a refused request', async () => {
    const { callControl } = openControl()

    await callControl('GET', '/worlds/here/clock')
    await callControl('GET', '/worlds/there/nothing')
    await callControl('POST', '/worlds/there/clock', { body: {} })
    await callControl('GET', '/worlds/there/clock', { address: '10.0.0.1' })

    const { body } = await callControl('GET', '/worlds')
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['default', 'here'])
  })

  test('are chosen by a header, too; the path goes before it', async () => {
    const { callControl } = openControl()
    const headers = { 'X-Sandbox-World': 'a%20%2F%20b' }

    await callControl('DELETE', '/records/pets/1', { headers })
    await callControl('DELETE', '/worlds/one/records/pets/2', { headers })

    expect((await callControl('GET', '/health', { headers })).body.world).toBe('a / b')
    expect((await callControl('GET', '/worlds/a%20%2F%20b/records/pets/1')).status).toBe(404)
    expect((await callControl('GET', '/worlds/one/records/pets/2')).status).toBe(404)
    expect((await callControl('GET', '/records/pets', { headers })).body).toHaveLength(49)
    expect((await callControl('GET', '/records/pets')).body).toHaveLength(50)
  })

  test('are listed, made and removed whatever world a header chooses, which is not made', async () => {
    const { callControl } = openControl()
    const headers = { 'X-Sandbox-World': 'other' }

    const made = await callControl('POST', '/worlds', { headers, body: { name: 'a / b' } })
    const listed = await callControl('GET', '/worlds', { headers })
    const removed = await callControl('DELETE', '/worlds/a%20%2F%20b', { headers })

    expect(made.headers.get('Location')).toBe('/__sandbox/worlds/a%20%2F%20b')
    expect(made.body).toMatchObject({ control: '/__sandbox/worlds/a%20%2F%20b' })
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['default', 'a / b'])
    expect(removed.status).toBe(204)
  })

  test.each(['.', '%zz', ''])('are not chosen by the header value "%s", a 400', async (value) => {
    const { callControl, sandbox } = openControl()

    const { status, body } = await callControl('GET', '/clock', {
      headers: { 'X-Sandbox-World': value },
    })

    expect(status).toBe(400)
    expect(body.code).toBe('invalid_world')
    expect(body.message).toContain('in the header X-Sandbox-World as the name of a world')
    expect(sandbox.worlds.list()).toHaveLength(1)
  })

  test('may be chosen by a header of a page that is let in', async () => {
    const { callControl } = openControl({ origins: ['http://localhost:3000'] })
    const headers = {
      Origin: 'http://localhost:3000',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-sandbox-world',
    }

    const preflight = await callControl('OPTIONS', '/clock', { headers })

    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('X-Sandbox-World')
  })

  test('may be the sandbox itself, by its name', async () => {
    const { callControl } = openControl()

    await callControl('DELETE', '/worlds/default/records/pets/1')

    expect((await callControl('GET', '/records/pets/1')).status).toBe(404)
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
      const { body } = await desk.callControl('GET', `/journal?${query}`)
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

    const { body } = await desk.callControl('GET', '/journal')

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

    const { body } = await desk.callControl('GET', '/journal/har')

    expect(body.log).toMatchObject({ version: '1.2', entries: [{ request: { method: 'GET' } }] })
  })

  test('is waited for: what is there, and what is to come', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets')

    const there = await desk.callControl('GET', '/journal/wait?operation=listPets')
    const coming = desk.callControl('GET', '/journal/wait?operation=getPet&after=1')
    await ask(desk, '/v1/pets/1')

    expect(there.body.id).toBe(1)
    expect((await coming).body).toMatchObject({ id: 2, operation: 'getPet' })
  })

  test('is waited for in vain no longer than asked', async () => {
    const desk = openControl()
    await ask(desk, '/v1/pets')

    const address = '/journal/wait?operation=getPet&timeout=20'
    const { status, headers, body } = await desk.callControl('GET', address)

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
    const { control, callControl } = openControl()
    const client = new AbortController()
    const address = 'http://localhost/__sandbox/journal/wait?timeout=50000'
    const request = new Request(address, { signal: client.signal })

    const waiting = callControl('GET', '/journal/wait?timeout=50000')
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

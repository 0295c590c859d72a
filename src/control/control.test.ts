import { afterEach, describe, expect, test, vi } from 'vitest'
import { contract } from '../generated/contract.ts'
import { UsageError } from '../index.ts'
import type { Har } from '../journal/har.ts'
import { actUntil } from '../testing/act-until.ts'
import {
  areControlsShared,
  type CallControl,
  type ControlResponse,
  controlValidator,
  NOON,
  openControl,
} from '../testing/control.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import type { Pet } from '../testing/responses.ts'
import { createControl } from './control.ts'

const FREE = 'sk_sandbox_free'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Sends a request to the API of a sandbox. */
function requestApi(
  { sandbox }: Pick<ReturnType<typeof openControl>, 'sandbox'>,
  path: string,
  key = FREE,
  method = 'GET',
): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}` }
  return sandbox.fetch(new Request(`http://localhost${path}`, { method, headers }))
}

interface Named {
  readonly name: string
}

interface ControlDocument {
  readonly components: {
    readonly schemas: {
      readonly OutcomeRule: {
        readonly properties: { readonly outcome: { readonly enum: string[] } }
      }
    }
  }
}

interface Exchanges {
  readonly exchanges: readonly { readonly id: number }[]
}

/** A request that succeeds, for each operation. */
const EXAMPLES: Readonly<Record<string, (callControl: CallControl) => Promise<ControlResponse>>> = {
  getIndex: (callControl) => callControl('GET', ''),
  getDocument: (callControl) => callControl('GET', '/openapi.json'),
  getHealth: (callControl) => callControl('GET', '/health'),
  listOperations: (callControl) => callControl('GET', '/operations'),
  getOperation: (callControl) => callControl('GET', '/operations/listPets'),
  checkRequest: (callControl) =>
    callControl('POST', '/operations/createPet/check', {
      body: { path: '/pets', contentType: 'application/json', body: '{}' },
    }),
  sampleRequest: (callControl) => callControl('GET', '/operations/createPet/request'),
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
    const { body } = await callControl<Named[]>('GET', '/scenarios')
    return callControl('POST', `/scenarios/${body[0]?.name}`)
  },
  listCollections: (callControl) => callControl('GET', '/records'),
  describeCollection: (callControl) => callControl('GET', '/collections/pets'),
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
  listAccounts: (callControl) => callControl('GET', '/accounts'),
  setRemaining: (callControl) =>
    callControl('PUT', `/accounts/${FREE}/remaining`, { body: { minute: 0 } }),
  liftBan: (callControl) => callControl('DELETE', `/accounts/${FREE}/ban`),
  listWorlds: (callControl) => callControl('GET', '/worlds'),
  listDroppedWorlds: (callControl) => callControl('GET', '/dropped-worlds'),
  createWorld: (callControl) => callControl('POST', '/worlds', { body: { name: 'one' } }),
  removeWorld: async (callControl) => {
    await callControl('POST', '/worlds', { body: { name: 'one' } })
    return callControl('DELETE', '/worlds/one')
  },
  findExchanges: (callControl) => callControl('GET', '/journal'),
  getExchange: (callControl) => callControl('GET', '/journal/1'),
  exportHar: (callControl) => callControl('GET', '/journal/har'),
  streamExchanges: (callControl) => callControl('GET', '/journal/events'),
  getReport: (callControl) => callControl('GET', '/report'),
  listDeliveries: (callControl) => callControl('GET', '/deliveries?state=failed'),
  resendDelivery: async (callControl) => {
    await callControl('POST', '/events', { body: { type: 'pet.created' } })
    return callControl('POST', '/deliveries/1/resend')
  },
  settleDeliveries: (callControl) => callControl('GET', '/deliveries/settled?wait=10'),
  emitEvent: (callControl) => callControl('POST', '/events', { body: { type: 'pet.sold' } }),
  receiveDeliveries: (callControl) =>
    callControl('POST', '/receivers', { body: { url: 'http://127.0.0.1:3000/mine' } }),
  waitForEvent: async (callControl) => {
    const waiting = callControl('GET', '/events/next?type=pet.sold&timeout=5000')
    return actUntil(waiting, () => callControl('POST', '/events', { body: { type: 'pet.sold' } }))
  },
  listSubscriptions: (callControl) => callControl('GET', '/subscriptions'),
  waitForExchange: (callControl) => callControl('GET', '/journal/wait?timeout=1000'),
  getSignIn: (callControl) => callControl('GET', '/sign-in'),
  listSignInUsers: (callControl) => callControl('GET', '/sign-in/users'),
  listTokens: async (callControl) => {
    await callControl('POST', '/sign-in/tokens', { body: {} })
    return callControl('GET', '/sign-in/tokens?state=valid')
  },
  issueToken: (callControl) => callControl('POST', '/sign-in/tokens', { body: { user: 'user_2' } }),
  revokeGrant: async (callControl) => {
    await callControl('POST', '/sign-in/tokens', { body: {} })
    const { body } = await callControl<readonly { readonly grant: string }[]>(
      'GET',
      '/sign-in/tokens',
    )
    return callControl('DELETE', `/sign-in/grants/${body[0]?.grant}`)
  },
}

/** Servers on one store send no events. */
const EVENT_OPERATIONS = [
  ...['listDeliveries', 'resendDelivery', 'settleDeliveries'],
  ...['emitEvent', 'waitForEvent', 'listSubscriptions', 'receiveDeliveries'],
]
const OPERATIONS = controlValidator.operations.filter(
  (one) =>
    !(areControlsShared() && EVENT_OPERATIONS.includes(one)) &&
    // It needs the ticket of a stream, and has a test of its own.
    one !== 'answerForwarded',
)

/** Every event is sent to a receiver that accepts it, and users can sign in. */
const SETTINGS = {
  events: { to: 'http://127.0.0.1:3000/hooks', deliver: async () => new Response('thanks') },
  contract: {
    ...contract,
    signIn: { flows: [], endpoints: {}, paths: {}, addresses: [], issuerPath: '' },
  },
}

const WORLDS_OPERATIONS = ['listWorlds', 'listDroppedWorlds', 'createWorld', 'removeWorld']

describe('each operation of the OpenAPI document sends a valid response:', () => {
  test.each(OPERATIONS)('%s', async (operation) => {
    const opened = openControl(undefined, SETTINGS)
    await requestApi(opened, '/v1/pets')

    const response = await EXAMPLES[operation]?.(opened.callControl)
    opened.control.close()

    expect(response?.operation).toBe(operation)
    expect(response?.status).toBeLessThan(300)
    expect(response?.headers.get('Cache-Control')).toBe('no-store')
    expect(response?.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test.each(OPERATIONS.filter((one) => !WORLDS_OPERATIONS.includes(one)))(
    '%s, for a world',
    async (operation) => {
      const opened = openControl(undefined, SETTINGS)
      const inWorld: CallControl = (method, path, options) =>
        opened.callControl(method, `/worlds/two${path || '/'}`, options)
      await requestApi(opened, '/worlds/two/v1/pets')

      const response = await EXAMPLES[operation]?.(inWorld)
      opened.control.close()

      expect(response?.operation).toBe(operation)
      expect(response?.status).toBeLessThan(300)
    },
  )

  test.each(WORLDS_OPERATIONS)('a world does not have the operation %s', async (operation) => {
    const { callControl } = openControl()
    const inWorld: CallControl = (method, path, options) =>
      callControl(method, `/worlds/two${path}`, options)

    const { status, body } = await (EXAMPLES[operation]?.(inWorld) ?? callControl('GET', '/'))

    expect(status).toBe(404)
    expect(body.message).toContain('A world has no worlds.')
  })
})

test.skipIf(areControlsShared())(
  'a client that receives a delivery tells what its receiver has answered',
  async () => {
    const { callControl, control, sandbox } = openControl()
    const body = JSON.stringify({ url: 'http://127.0.0.1:3000/mine' })
    const stream = await control.fetch(
      new Request('http://localhost/__sandbox/receivers', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
      }),
      { address: '127.0.0.1' },
    )
    await callControl('POST', '/events', { body: { type: 'pet.sold' } })
    const ticket = await ticketIn(stream)

    const path = `/receivers/answers/${ticket}`
    const told = await callControl('POST', path, { body: { status: 202, body: 'thanks' } })
    const again = await callControl('POST', path, { body: { status: 202 } })
    await sandbox.events.settled()
    control.close()

    expect(told).toMatchObject({ operation: 'answerForwarded', status: 204 })
    expect(again.status).toBe(404)
    expect(sandbox.events.deliveries).toMatchObject([
      {
        state: 'delivered',
        url: 'http://127.0.0.1:3000/mine',
        attempts: [{ status: 202, responseBody: 'thanks' }],
      },
    ])
  },
)

test('a fault of deliveries of an event that never happens is refused with a suggestion', async () => {
  const { callControl } = openControl()
  const force = (event: string): ReturnType<CallControl> =>
    callControl('POST', '/outcomes', { body: { delivery: 'twice', event } })

  const unknown = await force('pet.creatd')

  expect(unknown.status).toBe(400)
  expect(unknown.body).toMatchObject({
    message:
      'Cannot force a fault of deliveries: no event has the name "pet.creatd" (body.event). Did you mean "pet.created"?',
  })
  expect((await force('pets.*')).status).toBe(400)
  expect((await force('pet.*')).status).toBe(201)
  expect((await force('pet.created')).status).toBe(201)
})

test.skipIf(areControlsShared())(
  'an archive has the deliveries; with conditions only if they are asked for',
  async () => {
    const opened = openControl(undefined, SETTINGS)
    await requestApi(opened, '/v1/pets')
    await opened.callControl('POST', '/events', { body: { type: 'pet.sold' } })
    await opened.sandbox.events.settled()

    const { body } = await opened.callControl<Har>('GET', '/journal/har')
    const entriesFor = async (query: string): Promise<readonly unknown[]> =>
      (await opened.callControl<Har>('GET', `/journal/har?${query}`)).body.log.entries

    expect(await entriesFor('deliveries=false')).toHaveLength(1)
    expect(await entriesFor('operation=listPets')).toHaveLength(1)
    expect(await entriesFor('operation=listPets&deliveries=true')).toHaveLength(2)
    expect(body.log.entries).toMatchObject([
      { request: { url: 'http://localhost/v1/pets' }, _id: 1 },
      {
        request: { url: 'http://127.0.0.1:3000/hooks', postData: { mimeType: 'application/json' } },
        response: { status: 200, content: { text: 'thanks' } },
        _event: { type: 'pet.sold' },
        _sent: { id: 1, state: 'delivered' },
      },
    ])
  },
)

/** The ticket of the first delivery of a stream. */
async function ticketIn({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  let text = ''
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    text += new TextDecoder().decode(part.value)
    const [, ticket] = /"ticket":"([^"]+)"/.exec(text) ?? []
    if (ticket) return ticket
  }
  throw new TypeError('The stream has no delivery')
}

describe('the control interface', () => {
  test('lists its operations and its OpenAPI document', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('GET', '')

    expect(body.document).toBe('/__sandbox/openapi.json')
    expect(body.operations).toHaveLength(controlValidator.operations.length)
    expect(body.operations).toContain('POST /__sandbox/reset: Reset the state')
  })

  test('serves its OpenAPI document', async () => {
    const { callControl } = openControl()

    const { body } = await callControl<{ paths: object }>('GET', '/openapi.json')

    expect(Object.keys(body.paths)).toContain('/journal/wait')
  })

  test('reports the health of the sandbox: its status, its API and its world', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('GET', '/health')

    expect(body).toMatchObject({
      status: 'ready',
      title: 'Pet Adoption Store',
      version: '1.0.0',
      basePath: '/v1',
      world: 'default',
      run: expect.stringMatching(/./),
    })
  })

  test('reports whether every credential is valid, and samples of requests have none where no key is', async () => {
    const json = { 'application/json': { schema: {} } }
    const get = {
      operationId: 'getMe',
      security: [{ bearer: [] }],
      responses: { 200: { description: 'Me', content: json } },
    }
    const contract = await loadDocumentOf(
      { '/me': { get } },
      { components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } },
    )
    const told = async (auth: 'any' | 'keys'): Promise<readonly unknown[]> => {
      const { callControl } = openControl({}, { contract, auth })
      const { body: health } = await callControl('GET', '/health')
      const { body: sample } = await callControl('GET', '/operations/getMe/request')
      return [health.anyCredential, sample.headers]
    }
    expect(await told('any')).toEqual([true, [['Authorization', 'Bearer sk_sandbox']]])
    expect(await told('keys')).toEqual([undefined, []])
  })

  test('reports the same run for all worlds, and another one for another sandbox', async () => {
    const { callControl } = openControl()
    const runOf = async (call: typeof callControl, path: string): Promise<unknown> =>
      (await call('GET', path)).body.run
    const run = await runOf(callControl, '/health')

    expect(await runOf(callControl, '/worlds/one/health')).toBe(run)
    expect(await runOf(openControl().callControl, '/health')).not.toBe(run)
  })

  test('resets outcomes, journal and records', async () => {
    const opened = openControl()
    await requestApi(opened, '/v1/pets')
    await opened.callControl('POST', '/outcomes', { body: { outcome: 'banned' } })
    await opened.callControl('DELETE', '/records/pets/1')

    await opened.callControl('POST', '/reset', { body: {} })

    expect((await opened.callControl('GET', '/outcomes')).body).toEqual([])
    expect((await opened.callControl('GET', '/journal')).body.exchanges).toEqual([])
    expect((await opened.callControl('GET', '/records/pets/1')).status).toBe(200)
  })

  test('restores the records of a snapshot', async () => {
    const { callControl } = openControl()
    await callControl('PATCH', '/records/pets/1', { body: { name: 'Before' } })
    const { body } = await callControl('GET', '/snapshot')
    await callControl('PATCH', '/records/pets/1', { body: { name: 'After' } })

    await callControl('PUT', '/snapshot', { body })

    expect((await callControl('GET', '/records/pets/1')).body.name).toBe('Before')
  })

  test('answers HEAD like GET, without a body', async () => {
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
  ])('refuses %s %s, which is not in its document', async (method, path, status) => {
    const { callControl } = openControl()

    expect((await callControl(method, path)).status).toBe(status)
  })

  test('answers 404 for a path that only starts with the characters of its base path', async () => {
    const { control } = openControl()

    const response = await control.fetch(new Request('http://localhost/__sandbox2/reset'), {
      address: '::1',
    })

    expect(response.status).toBe(404)
  })

  test('cannot be created without a sandbox or with an unknown option', () => {
    const { sandbox } = openControl()

    // @ts-expect-error The object is not a sandbox.
    expect(() => createControl({})).toThrow(UsageError)
    // @ts-expect-error The name of the option is origins.
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
  ])('moves by %j', async (body, now) => {
    const { callControl } = openControl()

    const moved = await callControl('POST', '/clock', { body })

    expect(moved.body).toEqual({ now, frozen: true })
    expect((await callControl('GET', '/clock')).body).toEqual(moved.body)
  })

  test('runs again after resume', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('POST', '/clock', { body: { resume: true } })

    expect(body.frozen).toBe(false)
  })

  test('moves to the end of a ban, and the key is served again', async () => {
    const opened = openControl()
    const { body } = await opened.callControl('PUT', '/plans/free', { body: { minute: 1 } })
    for (let sent = 0; sent < 12; sent += 1) await requestApi(opened, '/v1/pets')

    const moved = await opened.callControl('POST', '/clock', { body: { advanceToBanEnd: FREE } })

    expect(body.minute).toBe(1)
    expect(moved.body.now).toBe('2027-03-01T12:05:00.000Z')
    expect((await requestApi(opened, '/v1/pets')).status).toBe(200)
  })

  test('explains in a note that quota windows start again when it moves back', async () => {
    const { callControl } = openControl()

    const { body } = await callControl('POST', '/clock', { body: { advance: -1000 } })

    expect(body.note).toMatch(/^The clock moved back\. Quota windows start again/)
  })
})

describe('forced outcomes', () => {
  test('are listed with their counts, and removed one by one', async () => {
    const opened = openControl()
    const rule = { outcome: 'rate-limited', operation: 'listPets', times: 3, retryAfter: 7 }
    const forced = await opened.callControl('POST', '/outcomes', { body: rule })
    await opened.callControl('POST', '/outcomes', {
      body: { outcome: 'server-error', path: '/pets/*' },
    })

    const response = await requestApi(opened, '/v1/pets')
    const { body } = await opened.callControl('GET', '/outcomes')
    await opened.callControl(
      'DELETE',
      forced.headers.get('Location')?.replace('/__sandbox', '') ?? '',
    )

    expect(forced.body).toEqual({ id: 1, ...rule, matched: 0, forced: 0 })
    expect(response.headers.get('Retry-After')).toBe('7')
    expect(body).toEqual([
      { id: 1, ...rule, matched: 1, forced: 1 },
      { id: 2, outcome: 'server-error', path: '/pets/*', matched: 0, forced: 0 },
    ])
    expect((await opened.callControl('GET', '/outcomes')).body).toMatchObject([{ id: 2 }])
    expect((await requestApi(opened, '/v1/pets')).status).toBe(200)
    expect((await requestApi(opened, '/v1/pets/1')).status).toBe(500)
  })

  test('are all removed by one request', async () => {
    const { callControl } = openControl()
    await callControl('POST', '/outcomes', { body: { outcome: 'banned' } })

    await callControl('DELETE', '/outcomes')

    expect((await callControl('GET', '/outcomes')).body).toEqual([])
  })

  test('get a 404 for any id when there are none, and the error says how to add one', async () => {
    const { callControl } = openControl()

    const { status, body } = await callControl('DELETE', '/worlds/one/outcomes/9')

    expect(status).toBe(404)
    expect(body.message).toBe(
      'Cannot find the forced outcome: unknown forced outcome "9". ' +
        'No outcomes are forced. Force one with: pet-sandbox ctl force, or POST /__sandbox/worlds/one/outcomes.',
    )
  })

  test('get a 404 for an unknown id, and the error lists the known ids', async () => {
    const { callControl } = openControl()
    await callControl('POST', '/outcomes', { body: { outcome: 'banned' } })

    const { body } = await callControl('DELETE', '/outcomes/99999')

    expect(body.message).toBe(
      'Cannot find the forced outcome: unknown forced outcome "99999". Known: 1.',
    )
  })

  test('can be every outcome that the document lists, and no other', async () => {
    const { sandbox, callControl } = openControl()
    const { body } = await callControl<ControlDocument>('GET', '/openapi.json')
    const { enum: known } = body.components.schemas.OutcomeRule.properties.outcome

    // @ts-expect-error The outcome is unknown.
    expect(() => sandbox.force('-'.repeat(40))).toThrow(expect.objectContaining({ allowed: known }))
    for (const outcome of known) {
      expect((await callControl('POST', '/outcomes', { body: { outcome } })).status).toBe(201)
    }
  })
})

describe('scenarios', () => {
  test('are listed, and played by name', async () => {
    const { callControl } = openControl()
    const { body } = await callControl<Named[]>('GET', '/scenarios')

    const played = await callControl('POST', `/scenarios/${body[0]?.name}`)

    expect(body.length).toBeGreaterThan(3)
    expect(played.body).toEqual(body[0])
  })
})

describe('records', () => {
  test('are counted for each collection', async () => {
    const { callControl } = openControl()

    expect((await callControl('GET', '/records')).body).toEqual([{ name: 'pets', count: 50 }])
    const { body } = await callControl('GET', '/records?counts=false')
    expect(body).toEqual([{ name: 'pets' }])
  })

  test('have collections on the path to one, which are found without reading the others', async () => {
    const shown = { '200': { description: 'One', content: { 'application/json': { schema: {} } } } }
    const contract = await loadDocumentOf(
      Object.fromEntries(
        ['/v2', '/v2/zoos', '/v2/zoos/{zooId}/animals', '/v2/keepers'].flatMap((path) => [
          [path, { get: { responses: shown } }],
          [`${path}/{id}`, { get: { responses: shown } }],
        ]),
      ),
    )
    const { callControl } = openControl({}, { contract })

    const { body } = await callControl('GET', '/records?to=v2/zoos/7/animals')

    expect(body).toEqual([{ name: 'v2/zoos' }, { name: 'v2/zoos/{zooId}/animals' }])
    expect((await callControl('GET', '/records?to=v2/aviaries')).body).toEqual([{ name: 'v2' }])
  })

  test('are filtered by their properties, and at most limit of them are listed', async () => {
    const { callControl } = openControl()
    const all = (await callControl<Pet[]>('GET', '/records/pets')).body
    const where = (matches: (pet: Pet) => boolean): unknown => all.filter(matches)

    const sold = await callControl<Pet[]>('GET', '/records/pets?status=sold')
    const either = await callControl('GET', '/records/pets?status=sold&status=pending')
    const byCategory = await callControl('GET', '/records/pets?categoryId=1&status=available')
    const limited = await callControl('GET', '/records/pets?status=sold&limit=2')

    expect(sold.body).toEqual(where(({ status }) => status === 'sold'))
    expect(either.body).toEqual(where(({ status }) => status !== 'available'))
    expect(byCategory.body).toEqual(
      where(({ status, categoryId }) => status === 'available' && categoryId === 1),
    )
    expect(limited.body).toEqual(sold.body.slice(0, 2))
  })

  test('that control changes are changed for the API, too', async () => {
    const opened = openControl()
    await opened.callControl('PATCH', '/records/pets/1', { body: { status: 'available' } })

    const changed = await opened.callControl('PATCH', '/records/pets/1', {
      body: { status: 'sold' },
    })
    const response = await requestApi(opened, '/v1/pets/1')

    expect(changed.body.status).toBe('sold')
    expect(await response.json()).toEqual(changed.body)
  })

  test('are created with a given or generated id, and Location is their path', async () => {
    const { callControl } = openControl()
    const body = { name: 'Rex', categoryId: 1 }

    const generated = await callControl('POST', '/records/pets', { body })
    const given = await callControl('POST', '/records/pets', { body: { ...body, id: 700 } })
    const found = await callControl(
      'GET',
      generated.headers.get('Location')?.slice('/__sandbox'.length) ?? '',
    )

    expect(generated.body).toEqual({ id: 51, ...body, status: 'available' })
    expect(found.body).toEqual(generated.body)
    expect(given.headers.get('Location')).toBe('/__sandbox/records/pets/700')
  })

  test('cannot be read or removed once they are removed', async () => {
    const { callControl } = openControl()

    await callControl('DELETE', '/records/pets/1')

    expect((await callControl('GET', '/records/pets/1')).status).toBe(404)
    expect((await callControl('DELETE', '/records/pets/1')).status).toBe(404)
  })
})

describe('plans and API keys', () => {
  test('are listed', async () => {
    const { callControl } = openControl()

    const plans = (await callControl('GET', '/plans')).body
    const keys = (await callControl('GET', '/keys')).body

    expect(plans).toContainEqual({ name: 'free', minute: 60, day: 1000 })
    expect(keys).toContainEqual({ key: FREE, plan: { name: 'free', minute: 60, day: 1000 } })
    expect(keys).toContainEqual(expect.objectContaining({ always: 'banned' }))
  })

  test('apply a changed window to later requests, and keep the other window', async () => {
    const opened = openControl()

    const plan = await opened.callControl('PUT', '/plans/free', { body: { minute: 2 } })
    const remaining = (await requestApi(opened, '/v1/pets')).headers.get('X-RateLimit-Remaining')

    expect(plan.body).toEqual({ name: 'free', minute: 2, day: 1000 })
    expect(remaining).toBe('1')
  })

  test('are added, and a removed key is refused', async () => {
    const opened = openControl()

    const plan = await opened.callControl('PUT', '/plans/gold', { body: { minute: 7, day: 70 } })
    const key = await opened.callControl('PUT', '/keys/sk%2Fmine', { body: { plan: 'gold' } })
    const accepted = await requestApi(opened, '/v1/pets', 'sk/mine')
    await opened.callControl('DELETE', '/keys/sk%2Fmine')
    const refused = await requestApi(opened, '/v1/pets', 'sk/mine')

    expect(key.body).toEqual({ key: 'sk/mine', plan: plan.body })
    expect(accepted.headers.get('X-RateLimit-Limit')).toBe('7')
    expect(refused.status).toBe(401)
  })
})

describe('worlds', () => {
  test('with If-Match: *, a request for a world that does not exist is a 412 and creates none', async () => {
    const { callControl } = openControl()
    const headers = { 'If-Match': '*' }
    await callControl('POST', '/worlds', { body: { name: 'one' } })

    const known = await callControl('GET', '/worlds/one/clock', { headers })
    const own = await callControl('GET', '/clock', { headers })
    const unknown = await callControl('GET', '/worlds/two/clock', { headers })

    expect([known.status, own.status, unknown.status]).toEqual([200, 200, 412])
    expect(unknown.body).toMatchObject({
      code: 'unknown_world',
      message: expect.stringContaining('"two"'),
    })
    expect((await callControl('GET', '/worlds')).body).toMatchObject([
      { name: 'default' },
      { name: 'one' },
    ])
  })

  test('are created, listed with the number of their requests, and removed', async () => {
    const opened = openControl()

    const created = await opened.callControl('POST', '/worlds', { body: { name: 'one' } })
    await requestApi(opened, '/worlds/one/v1/pets')
    const { body } = await opened.callControl('GET', '/worlds')
    await opened.callControl('DELETE', '/worlds/one')

    expect(created.headers.get('Location')).toBe('/__sandbox/worlds/one')
    expect(body).toEqual([
      { name: 'default', requests: 0, control: '/__sandbox/worlds/default' },
      { name: 'one', requests: 1, control: '/__sandbox/worlds/one' },
    ])
    expect((await opened.callControl('GET', '/worlds')).body).toHaveLength(1)
  })

  test('that were dropped for newer worlds are listed', async () => {
    const { callControl } = openControl({}, { worlds: 1 })
    for (const name of ['one', 'two', 'three'])
      await callControl('POST', '/worlds', { body: { name } })

    const { body } = await callControl('GET', '/dropped-worlds')

    expect(body).toEqual(['one', 'two'])
  })

  test('that exist are not changed by another creation', async () => {
    const { callControl } = openControl()
    await callControl('DELETE', '/worlds/one/records/pets/1')

    const again = await callControl('POST', '/worlds', { body: { name: 'one' } })
    const fork = await callControl('POST', '/worlds', { body: { name: 'one', from: 'default' } })

    expect([again.status, fork.status]).toEqual([200, 400])
    expect(fork.body.code).toBe('world_exists')
    expect((await callControl('GET', '/worlds/one/records/pets/1')).status).toBe(404)
  })

  test('have their own records and their own clock', async () => {
    const { callControl } = openControl()

    await callControl('DELETE', '/worlds/one/records/pets/1')
    await callControl('POST', '/worlds/one/clock', { body: { set: '2030-12-05T00:00:00Z' } })

    expect((await callControl('GET', '/records/pets/1')).status).toBe(200)
    expect((await callControl('GET', '/worlds/two/records/pets/1')).status).toBe(200)
    expect((await callControl('GET', '/clock')).body.now).toBe(NOON)
  })

  test('can be created from the current state of another world', async () => {
    const { callControl } = openControl()
    await callControl('PATCH', '/records/pets/1', { body: { name: 'Copied' } })

    await callControl('POST', '/worlds', { body: { name: 'copy', from: 'default' } })

    expect((await callControl('GET', '/worlds/copy/records/pets/1')).body.name).toBe('Copied')
  })

  test('are created by the first valid control request, but neither by a read nor by a refused request', async () => {
    const { callControl } = openControl()

    await callControl('PUT', '/worlds/here/plans/free', { body: { minute: 5 } })
    await callControl('GET', '/worlds/read/clock')
    await callControl('GET', '/worlds/there/nothing')
    await callControl('POST', '/worlds/there/clock', { body: {} })
    await callControl('GET', '/worlds/there/clock', { address: '10.0.0.1' })

    const { body } = await callControl<Named[]>('GET', '/worlds')
    expect(body.map(({ name }) => name)).toEqual(['default', 'here'])
  })

  test('are chosen by the path, or else by the header X-Sandbox-World', async () => {
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

  test('are listed, created and removed without regard to the header X-Sandbox-World', async () => {
    const { callControl } = openControl()
    const headers = { 'X-Sandbox-World': 'other' }

    const created = await callControl('POST', '/worlds', { headers, body: { name: 'a / b' } })
    const listed = await callControl<Named[]>('GET', '/worlds', { headers })
    const removed = await callControl('DELETE', '/worlds/a%20%2F%20b', { headers })

    expect(created.headers.get('Location')).toBe('/__sandbox/worlds/a%20%2F%20b')
    expect(created.body).toMatchObject({ control: '/__sandbox/worlds/a%20%2F%20b' })
    expect(listed.body.map(({ name }) => name)).toEqual(['default', 'a / b'])
    expect(removed.status).toBe(204)
  })

  test.each(['.', '%zz', ''])('cause a 400 for the invalid header value "%s"', async (value) => {
    const { callControl } = openControl()

    const { status, body } = await callControl('GET', '/clock', {
      headers: { 'X-Sandbox-World': value },
    })

    expect(status).toBe(400)
    expect(body.code).toBe('invalid_world')
    expect(body.message).toContain('in the header X-Sandbox-World as the name of a world')
    expect((await callControl('GET', '/worlds')).body).toHaveLength(1)
  })

  test('can be chosen by a header of a page whose origin is allowed', async () => {
    const { callControl } = openControl({ origins: ['http://localhost:3000'] })
    const headers = {
      Origin: 'http://localhost:3000',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'x-sandbox-world',
    }

    const preflight = await callControl('OPTIONS', '/clock', { headers })

    expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('X-Sandbox-World')
  })

  test('include the default world by its name', async () => {
    const { callControl } = openControl()

    await callControl('DELETE', '/worlds/default/records/pets/1')

    expect((await callControl('GET', '/records/pets/1')).status).toBe(404)
  })
})

describe('the journal', () => {
  test('is searched by operation, status, key, id and time', async () => {
    const opened = openControl()
    await requestApi(opened, '/v1/pets')
    await requestApi(opened, '/v1/pets/1')
    await requestApi(opened, '/v1/pets/999')
    await requestApi(opened, '/v1/pets', 'sk_sandbox_pro')
    const ids = async (query: string): Promise<number[]> => {
      const { body } = await opened.callControl<Exchanges>('GET', `/journal?${query}`)
      return body.exchanges.map(({ id }) => id)
    }

    expect(await ids('')).toEqual([1, 2, 3, 4])
    expect(await ids('operation=getPet')).toEqual([2, 3])
    expect(await ids('status=404')).toEqual([3])
    expect(await ids('status=2xx')).toEqual([1, 2, 4])
    expect(await ids('key=sk_sandbox_pro')).toEqual([4])
    expect(await ids('after=2')).toEqual([3, 4])
    expect(await ids('limit=2')).toEqual([3, 4])
    expect(await ids('limit=2&from=start')).toEqual([1, 2])
    expect(await ids('after=1&limit=2')).toEqual([2, 3])
    expect(await ids(`since=${NOON}&until=${NOON}`)).toEqual([1, 2, 3, 4])
    expect(await ids('since=2027-03-01T12:00:01Z')).toEqual([])
  })

  test('contains requests and responses, with only the end of API keys', async () => {
    const opened = openControl()
    await requestApi(opened, '/v1/pets?limit=1')

    const { body } = await opened.callControl<Exchanges>('GET', '/journal')

    expect(body).toMatchObject({ last: 1, dropped: 0 })
    expect(body.exchanges[0]).toMatchObject({
      id: 1,
      operation: 'listPets',
      request: { url: 'http://localhost/v1/pets?limit=1' },
      response: { body: expect.stringMatching(/^\[\{"id":1/) },
    })
    expect(JSON.stringify(body)).not.toContain(FREE)
  })

  test('is exported as an HTTP archive', async () => {
    const opened = openControl()
    await requestApi(opened, '/v1/pets')

    const { body } = await opened.callControl('GET', '/journal/har')

    expect(body.log).toMatchObject({ version: '1.2', entries: [{ request: { method: 'GET' } }] })
  })

  test('answers a wait with a recorded exchange, or with a later one', async () => {
    const opened = openControl()
    await requestApi(opened, '/v1/pets')

    const recorded = await opened.callControl('GET', '/journal/wait?operation=listPets')
    const later = opened.callControl('GET', '/journal/wait?operation=getPet&after=1')
    await requestApi(opened, '/v1/pets/1')

    expect(recorded.body.id).toBe(1)
    expect((await later).body).toMatchObject({ id: 2, operation: 'getPet' })
  })

  test('answers 408 and lists the latest exchanges when a wait times out', async () => {
    const opened = openControl()
    await requestApi(opened, '/v1/pets')

    const address = '/journal/wait?operation=getPet&timeout=20'
    const { status, headers, body } = await opened.callControl('GET', address)

    expect(status).toBe(408)
    expect(body.code).toBe('no_exchange')
    expect(headers.get('X-Sandbox-Reason')).toBe('no-exchange')
    expect(body.message).toMatch(
      /^No exchange matched the query within 20 ms\. Latest exchanges: .*listPets/,
    )
  })

  test('ends every wait when the interface is closed or the client disconnects', async () => {
    const started = vi.spyOn(globalThis, 'setTimeout')
    const stopped = vi.spyOn(globalThis, 'clearTimeout')
    // Other code starts timers, too. Only those of the waits are this long.
    const waitTimers = (): unknown[] =>
      started.mock.results
        .filter((_, index) => started.mock.calls[index]?.[1] === 50_000)
        .map(({ value }) => value)
    const { control, callControl } = openControl()
    const client = new AbortController()
    const address = 'http://localhost/__sandbox/journal/wait?timeout=50000'
    const request = new Request(address, { signal: client.signal })

    const pending = callControl('GET', '/journal/wait?timeout=50000')
    const aborted = control.fetch(request, { address: '::1' })
    await vi.waitFor(() => expect(waitTimers()).toHaveLength(2), 20_000)
    client.abort()
    await aborted
    control.close()

    expect(await pending).toMatchObject({
      status: 503,
      body: { message: 'The sandbox stopped before an exchange matched the query.' },
    })
    const stoppedTimers = stopped.mock.calls.map(([timer]) => timer)
    for (const timer of waitTimers()) expect(stoppedTimers).toContain(timer)
  })
})

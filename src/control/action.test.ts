import { expect, test } from 'vitest'
import { createSandbox } from '../sandbox/sandbox.ts'
import { type ControlRequestOptions, openControl } from '../testing/control.ts'
import type { ControlAction } from './action.ts'

const KEY = 'sk_very_secret_1234'

type SentRequest = readonly [method: string, path: string, options?: ControlRequestOptions]

/** The actions that requests cause. The requests are sent one after the other. */
async function actionsOf(...sent: readonly SentRequest[]): Promise<ControlAction[]> {
  const actions: ControlAction[] = []
  const options = { onAction: (action: ControlAction) => void actions.push(action) }
  const { callControl } = openControl(options, { keys: { [KEY]: 'pro' } })
  for (const request of sent) await callControl(...request)

  return actions
}

test.each<[string, SentRequest, Partial<ControlAction>]>([
  ['reset', ['POST', '/reset'], { target: '/__sandbox/reset', status: 204 }],
  [
    'moveClock',
    ['POST', '/clock', { body: { advance: 'PT61S' } }],
    { input: { advance: 'PT61S' } },
  ],
  [
    'moveClock',
    ['POST', '/clock', { body: { advanceToReset: KEY } }],
    { input: { advanceToReset: '…1234' } },
  ],
  [
    'forceOutcome',
    ['POST', '/outcomes', { body: { outcome: 'banned', key: KEY, times: 2 } }],
    { input: { outcome: 'banned', key: '…1234', times: 2 }, created: '/__sandbox/outcomes/1' },
  ],
  ['clearOutcomes', ['DELETE', '/outcomes'], { status: 204 }],
  ['playScenario', ['POST', '/scenarios/flaky'], { target: '/__sandbox/scenarios/flaky' }],
  ['setPlan', ['PUT', '/plans/pro', { body: { minute: 5 } }], { input: { minute: 5 } }],
  [
    'setKey',
    ['PUT', `/keys/${KEY}`, { body: { plan: 'free' } }],
    { target: '/__sandbox/keys/…1234', input: { plan: 'free' } },
  ],
  ['removeKey', ['DELETE', `/keys/${KEY}`], { target: '/__sandbox/keys/…1234' }],
  [
    'createRecord',
    ['POST', '/records/pets', { body: { name: 'Fern', categoryId: 1 } }],
    { created: '/__sandbox/records/pets/51' },
  ],
  ['updateRecord', ['PATCH', '/records/pets/1', { body: { name: 'Fern' } }], { status: 200 }],
  ['removeRecord', ['DELETE', '/records/pets/1'], { target: '/__sandbox/records/pets/1' }],
  ['createWorld', ['POST', '/worlds', { body: { name: 'one' } }], { input: { name: 'one' } }],
  [
    'reset',
    ['POST', '/reset', { headers: { 'X-Sandbox-World': 'a%20%2F%20b' } }],
    { world: 'a / b', target: '/__sandbox/worlds/a%20%2F%20b/reset' },
  ],
  [
    'createWorld',
    ['POST', '/worlds', { headers: { 'X-Sandbox-World': 'x' }, body: { name: 'a / b' } }],
    { target: '/__sandbox/worlds', created: '/__sandbox/worlds/a%20%2F%20b' },
  ],
  ['reset', ['POST', '/worlds/one/reset'], { world: 'one', target: '/__sandbox/worlds/one/reset' }],
])('%s calls onAction with what it changed', async (operation, sent, expected) => {
  const [action, ...others] = await actionsOf(sent)

  expect(action).toMatchObject({ world: 'default', operation, method: sent[0], ...expected })
  expect(action).not.toHaveProperty('refusal')
  expect(others).toEqual([])
})

test('the target of an action percent-encodes the name of the world', async () => {
  const [, action] = await actionsOf(
    ['POST', '/worlds', { body: { name: 'a / b' } }],
    ['DELETE', '/worlds/a%20%2F%20b'],
  )

  expect(action).toMatchObject({ world: 'default', target: '/__sandbox/worlds/a%20%2F%20b' })
})

test('restoring a snapshot is an action without the snapshot', async () => {
  const snapshot = await createSandbox().snapshot()

  const actions = await actionsOf(['PUT', '/snapshot', { body: snapshot }])

  expect(actions).toMatchObject([{ operation: 'restoreSnapshot', status: 204 }])
  expect(actions[0]).not.toHaveProperty('input')
})

test('reads and successful preflights are not actions', async () => {
  expect(await actionsOf(['GET', '/clock'], ['HEAD', '/keys'], ['OPTIONS', '/reset'])).toEqual([])
})

test.each<[string, SentRequest]>([
  ['contains records', ['POST', '/records/pets', { body: { name: 'Fern', categoryId: 1 } }]],
  ['is absent', ['POST', '/reset']],
  ['is empty', ['POST', '/keys/sk_one', { body: {} }]],
])('a body that %s is not in the input of its action', async (_what, sent) => {
  const [action] = await actionsOf(sent)

  expect(action).not.toHaveProperty('input')
})

test('creating a world that exists is not an action', async () => {
  const create: SentRequest = ['POST', '/worlds', { body: { name: 'one' } }]

  const actions = await actionsOf(create, create, [
    'POST',
    '/worlds',
    { body: { name: 'default' } },
  ])

  expect(actions).toMatchObject([{ operation: 'createWorld', status: 201 }])
})

const FOREIGN = { headers: { Origin: 'http://evil.test' } }

test.each<[SentRequest, string]>([
  [['POST', '/reset', FOREIGN], '/reset'],
  [['POST', '', FOREIGN], ''],
  [['POST', '/', FOREIGN], '/'],
  [['DELETE', `/keys/${KEY}`, FOREIGN], '/keys/…'],
  [['POST', '/scenarios/flaky/now', FOREIGN], '/scenarios/…'],
  [['POST', '/worlds/a%20b/reset', FOREIGN], '/worlds/a%20b/reset'],
  [['DELETE', '/worlds/a%20b', FOREIGN], '/worlds/a%20b'],
  [['DELETE', `/worlds/a%20b/keys/${KEY}`, FOREIGN], '/worlds/a%20b/keys/…'],
  [['POST', `/keyz/${KEY}`], '/keyz/…'],
  [['POST', `/keys/${KEY}`], '/keys/…'],
])(
  '%j is refused before its operation is known, and its target is masked as %s',
  async (sent, path) => {
    const [action] = await actionsOf(sent)

    expect(action).toMatchObject({ target: `/__sandbox${path}` })
    expect(action).not.toHaveProperty('operation')
    expect(JSON.stringify(action)).not.toContain('sk_very')
  },
)

test('the action of an unknown path has the message when no part of the path can be an API key', async () => {
  const [action] = await actionsOf(['POST', '/nothing'])

  expect(action).toMatchObject({
    target: '/__sandbox/nothing',
    refusal: {
      code: 'not_found',
      message: expect.stringContaining('There is no operation at /nothing.'),
    },
  })
})

test('a refused action has the code and the message of the refusal', async () => {
  const actions = await actionsOf(
    ['DELETE', '/outcomes/7'],
    ['POST', '/reset', { headers: { Origin: 'http://evil.test' } }],
    ['POST', '/reset', { address: '192.0.2.1' }],
  )

  expect(actions).toMatchObject([
    {
      operation: 'removeOutcome',
      status: 404,
      refusal: { message: expect.stringContaining('"7"') },
    },
    {
      status: 403,
      refusal: { code: 'forbidden', message: expect.stringContaining('http://evil.test') },
    },
    { status: 401, target: '/__sandbox/reset', refusal: { code: 'unauthorized' } },
  ])
  expect(actions[1]).not.toHaveProperty('operation')
})

test('a preflight that fails is an action with the origin and the method of the page', async () => {
  const headers = { Origin: 'http://evil.test', 'Access-Control-Request-Method': 'POST' }

  const actions = await actionsOf(['OPTIONS', '/reset', { headers }])

  expect(actions).toMatchObject([
    {
      method: 'OPTIONS',
      status: 403,
      preflight: { origin: 'http://evil.test', method: 'POST' },
      refusal: { code: 'forbidden' },
    },
  ])
})

test('API keys are masked wherever a wrong request contains them', async () => {
  const body = { keys: [KEY], plan: KEY }

  const actions = await actionsOf(
    ['DELETE', `/keys/${KEY}5`],
    ['PUT', `/keys/${KEY}`, { body: { plan: 'lost' } }],
    ['POST', `/keys/${KEY}`],
    ['POST', `/keyz/${KEY}`],
    ['PUT', `/keys/${KEY} `, { body: { plan: 'pro' } }],
    ['POST', '/clock', { body: { advanceToBanEnd: `${KEY}6` } }],
    ['POST', '/outcomes', { body: { outcome: 'banned', key: `${KEY}7` } }],
    ['PUT', '/snapshot', { body }],
  )

  expect(actions).toHaveLength(8)
  expect(JSON.stringify(actions)).not.toContain('sk_very')
})

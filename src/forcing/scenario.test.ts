import { afterEach, describe, expect, it, test, vi } from 'vitest'
import { contract } from '../generated/contract.ts'
import { type ScenarioName, scenarios } from '../generated/fixtures.ts'
import { resolveOptions } from '../sandbox/options.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { idsOf, linkOf, repeat, retryAfterOf } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'
import { UsageError } from '../validation/usage-error.ts'
import { checkScenario, type Scenario, scenarioMistakes, scenarioNames } from './scenario.ts'

const { keys } = resolveOptions({ plans: { gold: { minute: 1, day: 2 } } })
const names = scenarioNames(contract, keys, false)

/** A scenario whose one rule has these fields beside its outcome. */
function withRule(rule: object): object {
  return { description: 'A rule.', rules: [{ outcome: 'slow', ...rule }] }
}

function refusalOf(value: unknown): UsageError {
  try {
    checkScenario('x', value, names)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('The scenario was taken')
}

/** Why the value is refused, without what every refusal starts with. */
function whyNot(value: unknown): string {
  return refusalOf(value).message.replace('Cannot apply the scenario "x": ', '')
}

describe('the shipped scenarios', () => {
  const shipped: Readonly<Record<string, Scenario>> = scenarios

  it('are nine', () => {
    const known: ScenarioName[] = [
      'banned-client',
      'empty-store',
      'first-429-then-fine',
      'flaky',
      'full-store',
      'outage-and-recovery',
      'quota-nearly-spent',
      'slow',
      'sunset-eve',
    ]

    expect(Object.keys(shipped)).toEqual(known)
  })

  it.each(Object.entries(shipped))('can be played: %s', (name, scenario) => {
    expect(() => checkScenario(name, scenario, names)).not.toThrow()
  })
})

describe('a scenario', () => {
  it('can have every field', () => {
    const scenario: Scenario = {
      description: 'Everything.',
      records: { pets: [{ id: 1, name: 'Rex', categoryId: 1 }] },
      clock: '2030-12-04T23:59:00.5+01:00',
      frozen: true,
      plans: { free: { minute: 5 }, gold: { minute: 1, day: 1 } },
      spent: { sk_sandbox_free: { minute: 0, day: 997 } },
      banned: { sk_sandbox_pro: '5m', sk_sandbox_business: 1000 },
      rules: [
        { outcome: 'timeout' },
        {
          outcome: 'unavailable',
          operation: 'listPets',
          method: 'GET',
          path: '/pets/*',
          key: 'sk_sandbox_free',
          times: 1,
          skip: 0,
          probability: 1,
          retryAfter: 1,
          latency: '100ms..2s',
        },
      ],
    }

    expect(() => checkScenario('x', scenario, names)).not.toThrow()
  })

  it.each([
    { description: 'Nothing.', records: undefined, rules: undefined },
    { description: 'None.', records: 0, rules: [], plans: {}, spent: {}, banned: {} },
    withRule({ latency: 200 }),
    withRule({ latency: '1s..1s' }),
    withRule({ latency: 'PT0.5S..PT2S', probability: 0.001 }),
  ])('can be %j', (scenario) => {
    expect(() => checkScenario('x', scenario, names)).not.toThrow()
  })

  it('that is invalid is rejected with all errors as text, and the path of each', () => {
    const scenario = {
      description: 'Mistakes.',
      frozn: true,
      rules: [{ outcome: 'rate-limitted' }, { outcome: 'slow', times: 0 }],
    }

    expect(refusalOf(scenario)).toMatchObject({
      code: 'invalid_scenario',
      message: [
        'Cannot apply the scenario "x": 3 mistakes.',
        '  unknown field "frozn". Did you mean "frozen"?',
        '  unknown outcome "rate-limitted" in rules[0].outcome. Did you mean "rate-limited"?',
        '  rules[1].times must be an integer ≥ 1 (got 0).',
      ].join('\n'),
      location: 'frozn',
      suggestion: 'frozen',
    })
    expect(scenarioMistakes(scenario, names)).toMatchObject([
      { path: ['frozn'], part: 'key', reason: 'unknown field "frozn"', suggestion: 'frozen' },
      {
        path: ['rules', 0, 'outcome'],
        part: 'value',
        reason: 'unknown outcome "rate-limitted" in rules[0].outcome',
        suggestion: 'rate-limited',
      },
      {
        path: ['rules', 1, 'times'],
        part: 'value',
        reason: 'rules[1].times must be an integer ≥ 1 (got 0)',
      },
    ])
  })
})

describe('an invalid scenario is rejected with the reason:', () => {
  const withMistake = (given: object): object => ({ description: 'A mistake.', ...given })
  const key = 'sk_sandbox_free'

  it.each<[value: unknown, why: string]>([
    [undefined, 'the value is required.'],
    [null, 'the value must be an object (got null).'],
    [[], 'the value must be an object (got array).'],
    [{}, 'description is required.'],
    [{ description: ' ' }, 'description must be a sentence about the scenario (got " ").'],
    [{ description: ['A'] }, 'description must be a sentence about the scenario (got array).'],
    [
      withMistake({ 'a b': 1 }),
      expect.stringMatching(/^unknown field "a b"\. Known: description, /),
    ],
    [
      withMistake({ records: -1 }),
      'records must be an integer ≥ 0 or an object of arrays (got -1).',
    ],
    [
      withMistake({ records: [] }),
      'records must be an integer ≥ 0 or an object of arrays (got array).',
    ],
    [
      withMistake({ records: { pet: [] } }),
      'unknown collection "records.pet". Did you mean "pets"?',
    ],
    [
      withMistake({ records: { pets: true } }),
      'records.pets must be an integer ≥ 0 or an array (got true).',
    ],
    [
      withMistake({ records: { pets: [{ name: 'Rex', categoryId: 1 }, 'Rex'] } }),
      'records.pets[1] must be an object (got "Rex").',
    ],
    ...[
      'tomorrow',
      '2030-12',
      '2030-12-05T00:00:00',
      '2030-02-30T00:00:00Z',
      '2030-13-01T00:00Z',
    ].map((clock): [object, string] => [
      withMistake({ clock }),
      `clock must be a time with its time zone, as "2030-12-05T00:00:00Z" (got "${clock}").`,
    ]),
    [
      withMistake({ clock: 0 }),
      'clock must be a time with its time zone, as "2030-12-05T00:00:00Z" (got 0).',
    ],
    [withMistake({ frozen: 'yes' }), 'frozen must be true or false (got "yes").'],
    [withMistake({ plans: { golf: {} } }), 'unknown plan "plans.golf". Did you mean "gold"?'],
    [withMistake({ plans: { gold: 5 } }), 'plans.gold must be an object (got 5).'],
    [
      withMistake({ plans: { gold: { minutes: 5 } } }),
      'unknown field "plans.gold.minutes". Did you mean "minute"?',
    ],
    [
      withMistake({ plans: { gold: { day: 0 } } }),
      'plans.gold.day must be an integer ≥ 1 (got 0).',
    ],
    [
      withMistake({ spent: { sk_sandbox_fee: {} } }),
      'unknown API key "spent.sk_sandbox_fee". Did you mean "sk_sandbox_free"?',
    ],
    [
      withMistake({ spent: { [key]: { day: 1.5 } } }),
      'spent.sk_sandbox_free.day must be an integer ≥ 0 (got 1.5).',
    ],
    [
      withMistake({ banned: { sk_sandbox_fre: '5m' } }),
      'unknown API key "banned.sk_sandbox_fre". Did you mean "sk_sandbox_free"?',
    ],
    ...[
      ['"5 minutes"', '5 minutes'] as const,
      ['-5', -5] as const,
      ['NaN', Number.NaN] as const,
    ].map(([shown, length]): [object, string] => [
      withMistake({ banned: { [key]: length } }),
      `banned.sk_sandbox_free must be a duration ≥ 0, as "5m" (got ${shown}).`,
    ]),
    [withMistake({ rules: { outcome: 'slow' } }), 'rules must be an array (got object).'],
    [withMistake({ rules: ['slow'] }), 'rules[0] must be an object (got "slow").'],
    [
      withMistake({ rules: [{ times: 1 }] }),
      expect.stringMatching(
        /^rules\[0\] does not say what is forced\. Give an outcome, a status, /,
      ),
    ],
    [
      withMistake({ rules: [{ status: 409, headers: { Date: 'x' } }] }),
      'the header "Date" is written by the sandbox itself (rules[0].headers.Date). Leave it out.',
    ],
    [
      withMistake({ rules: [{ series: [503, { status: 204, body: {} }] }] }),
      'rules[0].series[1].body must be left out, because a response 204 has no body.',
    ],
    [
      withRule({ operation: 'listPet' }),
      'unknown operation "listPet" in rules[0].operation. Did you mean "listPets"?',
    ],
    [withRule({ method: 'get' }), 'unknown method "get" in rules[0].method. Did you mean "GET"?'],
    [withRule({ path: 'pets' }), 'rules[0].path must be a path as /books/* (got "pets").'],
    [
      withRule({ key: 'sk_sandbox_por' }),
      'unknown API key "sk_sandbox_por" in rules[0].key. Did you mean "sk_sandbox_pro"?',
    ],
    [
      withRule({ key: 5 }),
      expect.stringMatching(
        /^rules\[0\]\.key must be the name of an API key \(got 5\)\. Known: sk_sandbox_free, /,
      ),
    ],
    [withRule({ skip: -1 }), 'rules[0].skip must be an integer ≥ 0 (got -1).'],
    [
      withRule({ retryAfter: '1' }),
      'rules[0].retryAfter must be an integer from 1 to 31536000 (got "1").',
    ],
    ...[0, 1.1, Number.NaN].map((probability): [object, string] => [
      withRule({ probability }),
      `rules[0].probability must be a number > 0 and ≤ 1 (got ${probability}).`,
    ]),
    ...['2s..1s', '1s..', '..1s', '1s..2s..3s', 'slow', ''].map((latency): [object, string] => [
      withRule({ latency }),
      `rules[0].latency must be a duration, as "200ms" or "100ms..2s" (got "${latency}").`,
    ]),
  ])('%o', (value, why) => {
    expect(whyNot(value)).toEqual(why)
  })

  it.each(['__proto__', 'constructor', 'toString'])('%s is an unknown name', (name) => {
    const named: unknown = JSON.parse(`{ "${name}": [] }`)

    expect(whyNot(JSON.parse(`{ "description": "A.", "${name}": 1 }`))).toMatch(
      `unknown field "${name}"`,
    )
    expect(whyNot(withMistake({ records: named }))).toMatch(`unknown collection "records.${name}"`)
    expect(whyNot(withMistake({ plans: named }))).toMatch(`unknown plan "plans.${name}"`)
    expect(whyNot(withMistake({ spent: named }))).toMatch(`unknown API key "spent.${name}"`)
    expect(whyNot(withMistake({ banned: named }))).toMatch(`unknown API key "banned.${name}"`)
    expect(whyNot(withRule({ outcome: name }))).toMatch(`unknown outcome "${name}"`)
    expect(whyNot(withRule({ operation: name }))).toMatch(`unknown operation "${name}"`)
    expect(whyNot(withRule({ key: name }))).toMatch(`unknown API key "${name}"`)
  })
})

afterEach(() => {
  vi.restoreAllMocks()
})

test('a scenario is listed with its description, also by the former name of that field', () => {
  const sandbox = createSandbox({ scenarios: { own: { description: 'An own scenario.' } } })

  expect(sandbox.scenarios).toContainEqual({
    name: 'own',
    description: 'An own scenario.',
    rehearses: 'An own scenario.',
  })
})

test('a scenario with "rehearses" is played, and a warning names it once', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const scenarios = { old: { rehearses: 'An old scenario.', records: 2 } }

  const [sandbox] = [createSandbox({ scenarios }), createSandbox({ scenarios })]
  await sandbox.play('old')

  expect(await sandbox.collection('pets').count()).toBe(2)
  expect(sandbox.scenarios).toContainEqual({
    name: 'old',
    description: 'An old scenario.',
    rehearses: 'An old scenario.',
  })
  expect(warn.mock.calls).toEqual([
    [
      'The scenario "old" has "rehearses", which is deprecated. Rename it to "description".',
      'DeprecationWarning',
    ],
  ])
})

test('a scenario freezes its clock at the very time that it names, however long it takes to apply', async () => {
  const sandbox = createSandbox({
    scenarios: { noon: { description: 'Noon.', clock: '2030-03-01T12:00:00Z', frozen: true } },
  })
  let time = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => (time += 1))

  await sandbox.play('noon')

  expect(new Date(sandbox.clock.now()).toISOString()).toBe('2030-03-01T12:00:00.000Z')
})

type Send = (path: string, key?: string) => Promise<Response>

async function play(
  scenario: ScenarioName,
  seed = 1,
): Promise<{ sandbox: ReturnType<typeof createSandbox>; send: Send }> {
  const sandbox = createSandbox({ seed })
  await sandbox.play(scenario)
  const send: Send = (path, key = 'sk_sandbox_free') =>
    sandbox.fetch(toRequest('GET', `http://localhost/v1${path}`, { key }))
  return { sandbox, send }
}

async function statusesOf(send: Send, count: number): Promise<number[]> {
  return repeat(count, async () => (await send('/pets/1', 'sk_sandbox_enterprise')).status)
}

it('first-429-then-fine refuses the first request for one second, and then serves', async () => {
  const { send } = await play('first-429-then-fine')

  const [first, second] = [await send('/pets'), await send('/pets')]

  expect([first.status, retryAfterOf(first), second.status]).toEqual([429, 1, 200])
})

it('flaky fails about one request in ten, the same ones with the same seed', async () => {
  const [one, same, other] = [
    await play('flaky', 5),
    await play('flaky', 5),
    await play('flaky', 6),
  ]

  const statuses = await statusesOf(one.send, 400)

  const failed = statuses.filter((status) => status === 503).length
  expect(failed).toBeGreaterThan(20)
  expect(failed).toBeLessThan(65)
  expect(await statusesOf(same.send, 400)).toEqual(statuses)
  expect(await statusesOf(other.send, 400)).not.toEqual(statuses)
})

it('sunset-eve serves the operation until the clock has moved by one minute', async () => {
  const { send, sandbox } = await play('sunset-eve')

  const before = await send('/pets/1')
  sandbox.clock.advance('60s')
  const after = await send('/pets/1')

  expect([before.status, before.headers.has('Sunset'), after.status]).toEqual([200, true, 404])
  expect(after.headers.get('X-Sandbox-Reason')).toBe('operation-removed')
})

it('full-store has ten thousand animals, each on exactly one page', async () => {
  const { send } = await play('full-store')

  const ids: number[] = []
  let next: string | undefined = '/pets?limit=100'
  while (next) {
    const page = await send(next, 'sk_sandbox_enterprise')
    ids.push(...(await idsOf(page)))
    next = linkOf(page, 'next')?.replace('http://localhost/v1', '')
  }

  expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000])
}, 20_000)

it('empty-store returns an empty list', async () => {
  const { send } = await play('empty-store')

  expect(await idsOf(await send('/pets'))).toEqual([])
})

it('outage-and-recovery serves three requests, fails five, and recovers', async () => {
  const { send } = await play('outage-and-recovery')

  expect(await statusesOf(send, 10)).toEqual([200, 200, 200, 503, 503, 503, 503, 503, 200, 200])
})

it('quota-nearly-spent leaves three requests of the day', async () => {
  const { send, sandbox } = await play('quota-nearly-spent')
  sandbox.clock.set('2027-03-01T12:00:00Z')
  await sandbox.play('quota-nearly-spent')

  const responses = await repeat(4, () => send('/pets'))

  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429])
  expect(responses[3]?.headers.get('X-Sandbox-Reason')).toBe('day-quota')
})

it('banned-client is served after its ban ends, and other keys during the ban', async () => {
  const { send, sandbox } = await play('banned-client')

  const banned = await send('/pets')
  const other = await send('/pets', 'sk_sandbox_pro')
  sandbox.clock.advanceToBanEnd('sk_sandbox_free')

  expect([banned.status, retryAfterOf(banned), other.status]).toEqual([429, 300, 200])
  expect((await send('/pets')).status).toBe(200)
})

it('slow takes at least half a second', async () => {
  const { send, sandbox } = await play('slow')

  await send('/pets')

  expect(sandbox.journal.exchanges[0]?.milliseconds).toBeGreaterThan(490)
})

it('a reset after another scenario returns to the scenario that the sandbox started with', async () => {
  const sandbox = createSandbox({ scenario: 'empty-store' })
  await sandbox.play('banned-client')

  sandbox.reset()

  expect(await sandbox.collection('pets').count()).toBe(0)
  expect((await sandbox.snapshot()).state.bans).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import { type ScenarioName, scenarios } from '../generated/fixtures.ts'
import { resolveOptions } from '../sandbox/options.ts'
import { UsageError } from '../validation/usage-error.ts'
import { checkScenario, InvalidScenarioError, type Scenario, scenarioNames } from './scenario.ts'

const { keys } = resolveOptions({ plans: { gold: { minute: 1, day: 2 } } })
const names = scenarioNames(contract, keys)

/** A scenario whose one rule has these fields beside its outcome. */
function withRule(rule: object): object {
  return { description: 'A rule.', rules: [{ outcome: 'slow', ...rule }] }
}

function refusalOf(value: unknown): InvalidScenarioError {
  try {
    checkScenario('x', value, names)
  } catch (error) {
    if (error instanceof InvalidScenarioError) return error
    throw error
  }
  throw new Error('The scenario was taken')
}

/** Why the value is refused, without what every refusal starts with. */
function whyNot(value: unknown): string {
  return refusalOf(value).message.replace('Cannot play the scenario "x": ', '')
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

  it('that is invalid is rejected with the first error as text, and the path of each error', () => {
    const refusal = refusalOf({
      description: 'Mistakes.',
      frozn: true,
      rules: [{ outcome: 'rate-limitted' }, { outcome: 'slow', times: 0 }],
    })

    expect(refusal).toBeInstanceOf(UsageError)
    expect(refusal).toMatchObject({
      code: 'invalid_scenario',
      message: 'Cannot play the scenario "x": frozn is no field. Did you mean "frozen"?',
    })
    expect(refusal.mistakes).toEqual([
      {
        path: ['frozn'],
        part: 'key',
        why: 'frozn is no field',
        advice: 'Did you mean "frozen"?',
      },
      {
        path: ['rules', 0, 'outcome'],
        part: 'value',
        why: 'rules[0].outcome "rate-limitted" is not known',
        advice: 'Did you mean "rate-limited"?',
      },
      {
        path: ['rules', 1, 'times'],
        part: 'value',
        why: 'rules[1].times 0 is no whole number from 1 up',
        advice: 'Give one.',
      },
    ])
  })
})

describe('an invalid scenario is rejected with the reason:', () => {
  const told = (given: object): object => ({ description: 'A mistake.', ...given })
  const key = 'sk_sandbox_free'

  it.each<[value: unknown, why: string]>([
    [undefined, 'the value is missing. Write one.'],
    [null, 'the value is no map. Write one.'],
    [[], 'the value is no map. Write one.'],
    [{}, 'description is missing. Say in one sentence what the scenario is for.'],
    [
      { description: ' ' },
      'description " " is no sentence. Say in one sentence what the scenario is for.',
    ],
    [
      { description: ['A'] },
      'description is no sentence. Say in one sentence what the scenario is for.',
    ],
    [told({ 'a b': 1 }), expect.stringMatching(/^a b is no field\. Known: description, /)],
    [
      told({ records: -1 }),
      'records -1 is no count. Give a whole number from 0 up, or lists of records by collection.',
    ],
    [
      told({ records: [] }),
      'records is no count. Give a whole number from 0 up, or lists of records by collection.',
    ],
    [told({ records: { pet: [] } }), 'records.pet is no collection. Did you mean "pets"?'],
    [told({ records: { pets: {} } }), 'records.pets is no list. Write one.'],
    [told({ records: { pets: [{}, 'Rex'] } }), 'records.pets[1] "Rex" is no map. Write one.'],
    ...[
      'tomorrow',
      '2030-12',
      '2030-12-05T00:00:00',
      '2030-02-30T00:00:00Z',
      '2030-13-01T00:00Z',
    ].map((clock): [object, string] => [
      told({ clock }),
      `clock "${clock}" is no instant with a zone. Write it as 2030-12-05T00:00:00Z.`,
    ]),
    [told({ clock: 0 }), 'clock 0 is no instant with a zone. Write it as 2030-12-05T00:00:00Z.'],
    [told({ frozen: 'yes' }), 'frozen "yes" is neither true nor false. Give one of them.'],
    [told({ plans: { golf: {} } }), 'plans.golf is no plan. Did you mean "gold"?'],
    [told({ plans: { gold: 5 } }), 'plans.gold 5 is no map. Write one.'],
    [
      told({ plans: { gold: { minutes: 5 } } }),
      'plans.gold.minutes is no field. Did you mean "minute"?',
    ],
    [
      told({ plans: { gold: { day: 0 } } }),
      'plans.gold.day 0 is no whole number from 1 up. Give one.',
    ],
    [
      told({ spent: { sk_sandbox_fee: {} } }),
      'spent.sk_sandbox_fee is no API key. Did you mean "sk_sandbox_free"?',
    ],
    [
      told({ spent: { [key]: { day: 1.5 } } }),
      'spent.sk_sandbox_free.day 1.5 is no whole number from 0 up. Give one.',
    ],
    [
      told({ banned: { sk_sandbox_fre: '5m' } }),
      'banned.sk_sandbox_fre is no API key. Did you mean "sk_sandbox_free"?',
    ],
    ...[
      ['"5 minutes"', '5 minutes'] as const,
      ['-5', -5] as const,
      ['NaN', Number.NaN] as const,
    ].map(([shown, length]): [object, string] => [
      told({ banned: { [key]: length } }),
      `banned.sk_sandbox_free ${shown} is no duration. Write it as 5m.`,
    ]),
    [told({ rules: { outcome: 'slow' } }), 'rules is no list. Write one.'],
    [told({ rules: ['slow'] }), 'rules[0] "slow" is no map. Write one.'],
    [
      told({ rules: [{ times: 1 }] }),
      expect.stringMatching(/^rules\[0\]\.outcome is missing\. Known: unauthorized, /),
    ],
    [
      withRule({ operation: 'listPet' }),
      'rules[0].operation "listPet" is not known. Did you mean "listPets"?',
    ],
    [withRule({ method: 'get' }), 'rules[0].method "get" is not known. Did you mean "GET"?'],
    [withRule({ path: 'pets' }), 'rules[0].path "pets" is no path. Write it as /books/*.'],
    [
      withRule({ key: 'sk_sandbox_por' }),
      'rules[0].key "sk_sandbox_por" is not known. Did you mean "sk_sandbox_pro"?',
    ],
    [
      withRule({ key: 5 }),
      expect.stringMatching(/^rules\[0\]\.key 5 is not known\. Known: sk_sandbox_free, /),
    ],
    [withRule({ skip: -1 }), 'rules[0].skip -1 is no whole number from 0 up. Give one.'],
    [
      withRule({ retryAfter: '1' }),
      'rules[0].retryAfter "1" is no whole number from 1 to 31536000. Give one.',
    ],
    ...[0, 1.1, Number.NaN].map((probability): [object, string] => [
      withRule({ probability }),
      `rules[0].probability ${probability} is no share. Give a number over 0 and up to 1.`,
    ]),
    ...['2s..1s', '1s..', '..1s', '1s..2s..3s', 'slow', ''].map((latency): [object, string] => [
      withRule({ latency }),
      `rules[0].latency "${latency}" is no duration. Write it as 200ms, or as 100ms..2s.`,
    ]),
  ])('%o', (value, why) => {
    expect(whyNot(value)).toEqual(why)
  })

  it.each(['__proto__', 'constructor', 'toString'])('%s is an unknown name', (name) => {
    const named: unknown = JSON.parse(`{ "${name}": [] }`)

    expect(whyNot(JSON.parse(`{ "description": "A.", "${name}": 1 }`))).toMatch(
      `${name} is no field`,
    )
    expect(whyNot(told({ records: named }))).toMatch(`records.${name} is no collection`)
    expect(whyNot(told({ plans: named }))).toMatch(`plans.${name} is no plan`)
    expect(whyNot(told({ spent: named }))).toMatch(`spent.${name} is no API key`)
    expect(whyNot(told({ banned: named }))).toMatch(`banned.${name} is no API key`)
    expect(whyNot(withRule({ outcome: name }))).toMatch(`outcome "${name}" is not known`)
    expect(whyNot(withRule({ operation: name }))).toMatch(`operation "${name}" is not known`)
    expect(whyNot(withRule({ key: name }))).toMatch(`key "${name}" is not known`)
  })
})

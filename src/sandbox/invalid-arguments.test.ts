import { describe, expect, it } from 'vitest'
import { toRequest } from '../testing/transports.ts'
import { createSandbox } from './sandbox.ts'

/** Calls a function with what the compiler would refuse. */
function call(method: (...given: never[]) => unknown, ...given: readonly unknown[]): unknown {
  return Reflect.apply(method, undefined, given)
}

const INSTANTS = [
  '5',
  '',
  '2027-01-01T00:00:00',
  '2027-02-30',
  '+010000-01-01',
  '9999-12-31T23:59-23:59',
]
const NO_INSTANTS = [null, undefined, true, {}, [2030], Number.NaN, -1, 9e15]
const DURATIONS = [
  'x',
  '',
  '1y',
  '-',
  '1e3',
  null,
  undefined,
  true,
  {},
  [],
  Number.NaN,
  1 / 0,
  1e300,
]

const RULES: [field: string, value: unknown, expected: string][] = [
  ...[0, 1.1, -1, Number.NaN, '0.5', null].map((value): [string, unknown, string] => [
    'probability',
    value,
    'probability must be a number > 0 and ≤ 1',
  ]),
  ...[0, -1, 1.5, '1', null].map((value): [string, unknown, string] => [
    'times',
    value,
    'times must be an integer ≥ 1',
  ]),
  ...['-1s', '2s..1s', '1s..2s..3s', '1s..', {}, null].map((value): [string, unknown, string] => [
    'latency',
    value,
    'latency must be a duration, as "200ms" or "100ms..2s"',
  ]),
  ['skip', -1, 'skip must be an integer ≥ 0 (got -1)'],
  ...[0, -1, 1.5, '1', 31_536_001, 9e15].map((value): [string, unknown, string] => [
    'retryAfter',
    value,
    'retryAfter must be an integer from 1 to 31536000',
  ]),
  ['retryAfter', 5, 'retryAfter must be left out, because this outcome sends no Retry-After'],
  ['operation', 'listPet', 'Did you mean "listPets"?'],
  ['method', 'get', 'Did you mean "GET"?'],
  ['path', 'pets', 'path must be a path as /books/*'],
  ['path', '/\ud800', 'path must be a path as /books/*'],
  ['path', '/pet/7', 'no operation has the path "/pet/7". Did you mean "/pets/{petId}"?'],
  ['path', '/v1/pet/*', 'no operation has the path "/v1/pet/*". Did you mean "/pets/{petId}"?'],
  ['path', '/pets/7/*', 'no operation has the path "/pets/7/*"'],
  ['key', 'sk_sandbox_fre', 'Did you mean "sk_sandbox_free"?'],
  ['time', 1, 'Did you mean "times"?'],
]

describe('a call with invalid arguments throws a UsageError and changes nothing:', () => {
  it.each([...INSTANTS, ...NO_INSTANTS])('clock.set(%o)', (instant) => {
    const { clock } = createSandbox()
    clock.set('2027-03-01T12:00:00Z')

    expect(() => call((given) => clock.set(given), instant)).toThrow(
      /^Cannot set the clock to ".*": .*\. Write it as 2030-12-05T00:00:00Z\.$/,
    )
    expect(clock.now()).toBe(Date.parse('2027-03-01T12:00:00Z'))
  })

  it.each(DURATIONS)('clock.advance(%o)', (duration) => {
    const { clock } = createSandbox()
    clock.set('2027-03-01T12:00:00Z')

    expect(() => call((given) => clock.advance(given), duration)).toThrow(
      expect.objectContaining({ name: 'UsageError' }),
    )
    expect(clock.now()).toBe(Date.parse('2027-03-01T12:00:00Z'))
  })

  it.each(RULES)('force with %s %o', (field, value, expected) => {
    const { force, forced } = createSandbox()

    expect(() => call(force, 'slow', { [field]: value })).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        message: expect.stringMatching(/^Cannot force "slow": /),
      }),
    )
    expect(() => call(force, 'slow', { [field]: value })).toThrow(expected)
    expect(forced()).toEqual([])
  })

  it.each([undefined, '', 'slwo', '__proto__', 'constructor', 5])('force(%o)', (outcome) => {
    const { force, forced } = createSandbox()

    expect(() => call(force, outcome)).toThrow(expect.objectContaining({ name: 'UsageError' }))
    expect(forced()).toEqual([])
  })

  it.each(['flakyy', '__proto__', undefined, 5])('play(%o)', async (name) => {
    const sandbox = createSandbox()
    const before = await sandbox.snapshot()

    await expect(call(sandbox.play, name)).rejects.toThrow(
      expect.objectContaining({ code: 'unknown_scenario' }),
    )
    expect(await sandbox.snapshot()).toEqual(before)
  })

  it.each(['-1s', '2s..1s', 'x', {}, null, true, Number.NaN])('latency: %o', (latency) => {
    expect(() => call(createSandbox, { latency })).toThrow(
      expect.objectContaining({ name: 'UsageError' }),
    )
  })

  it.each([
    [
      { description: 'x', rules: [{ outcome: 'slwo' }] },
      'unknown outcome "slwo" in rules[0].outcome',
    ],
    [{ description: 'x', spent: { sk_nobody: { day: 1 } } }, 'unknown API key "spent.sk_nobody"'],
    [{}, 'description is required'],
    [null, 'the value must be an object'],
  ])('createSandbox with the scenario %o', (scenario, why) => {
    expect(() => call(createSandbox, { scenarios: { mine: scenario } })).toThrow(
      `Cannot apply the scenario "mine": ${why}`,
    )
  })
})

it('a rule is copied, so that later changes of the object have no effect', () => {
  const { force, forced } = createSandbox()
  const rule = { times: 1 }

  force('slow', rule)
  rule.times = 5

  expect(forced()).toMatchObject([{ times: 1 }])
})

it('a rule with the base path in its path matches as one without it', async () => {
  const { fetch, force, forced } = createSandbox()

  force('not-found', { path: '/v1/pets/{id}' })
  const response = await fetch(toRequest('GET', 'http://localhost/v1/pets/1'))

  expect(response.headers.get('X-Sandbox-Reason')).toBe('forced:not-found')
  expect(forced()).toMatchObject([{ path: '/pets/{id}', forced: 1 }])
})

import { describe, expect, it } from 'vitest'
import { contract } from '../generated/contract.ts'
import type { DurationRange } from '../time/duration.ts'
import { UsageError } from '../validation/usage-error.ts'
import { resolveOptions, type SandboxOptions } from './options.ts'

/** Options as a program without types could give them. */
function untyped(options: Readonly<Record<string, unknown>>): SandboxOptions {
  return options
}

function refusalOf(options: Readonly<Record<string, unknown>>): UsageError {
  try {
    resolveOptions(untyped(options))
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('The options were taken')
}

describe('a contract', () => {
  it('that was not awaited is refused with the word that is missing', () => {
    expect(refusalOf({ contract: Promise.resolve(contract) }).message).toBe(
      'Cannot use the option contract: the value is a promise of a contract. Write: contract: await loadContract(…)',
    )
  })

  it('of the known format is used', () => {
    expect(resolveOptions({ contract: { ...contract, format: 1 } }).contract.format).toBe(1)
  })

  it('of a newer format is refused', () => {
    expect(refusalOf({ contract: { ...contract, format: 2 } })).toMatchObject({
      code: 'newer_contract',
      message:
        'Cannot use the option contract: a newer pet-sandbox compiled it (format 2, at most 1 is known). Update pet-sandbox, or run "pet-sandbox compile" again.',
    })
  })
})

describe('options', () => {
  it('have the documented defaults', () => {
    const settings = resolveOptions()

    expect(settings).toMatchObject({
      seed: 1,
      records: 'default',
      ban: { refusals: 10, seconds: 300, factor: 2, maxSeconds: 3600 },
      quota: true,
      auth: 'keys',
      latency: { from: 0, to: 0 },
      worlds: 1000,
      journal: 1000,
    })
    expect(settings.contract).toBe(contract)
    expect(settings.keys.plans).toEqual([
      { name: 'free', minute: 60, day: 1000 },
      { name: 'pro', minute: 300, day: 10_000 },
      { name: 'business', minute: 1000, day: 100_000 },
      { name: 'enterprise', minute: 10_000, day: 1_000_000 },
    ])
  })

  it('that are undefined get their defaults', () => {
    const names = [
      'contract',
      'seed',
      'records',
      'plans',
      'keys',
      'ban',
      'quota',
      'auth',
      'latency',
      'journal',
      'scenario',
      'scenarios',
      'worlds',
    ]
    const nothing = Object.fromEntries(names.map((name) => [name, undefined]))

    expect(resolveOptions(untyped(nothing))).toEqual(resolveOptions())
  })

  it('can change a part of a plan, and add a complete one', () => {
    const { keys } = resolveOptions({
      plans: { free: { minute: 5 }, tiny: { minute: 1, day: 2 } },
    })

    expect(keys.plans).toContainEqual({ name: 'free', minute: 5, day: 1000 })
    expect(keys.plans).toContainEqual({ name: 'tiny', minute: 1, day: 2 })
    expect(keys.plans).toContainEqual({ name: 'pro', minute: 300, day: 10_000 })
  })

  it('can add a key, also on a plan that they add', () => {
    const { keys } = resolveOptions({
      plans: { tiny: { minute: 1, day: 2 } },
      keys: { 'my-key_1.~+/==': 'tiny', sk_sandbox_free: 'pro' },
    })

    expect(keys.keys).toContainEqual(['my-key_1.~+/==', { plan: 'tiny' }])
    expect(keys.keys).toContainEqual(['sk_sandbox_free', { plan: 'pro' }])
    expect(keys.keys).toContainEqual(['sk_sandbox_banned', { plan: 'free', always: 'banned' }])
  })

  it('can change a part of the ban rules, or switch bans off', () => {
    expect(resolveOptions({ ban: { seconds: 7 } }).ban).toEqual({
      refusals: 10,
      seconds: 7,
      factor: 2,
      maxSeconds: 3600,
    })
    expect(resolveOptions({ ban: false }).ban).toBeUndefined()
  })

  it.each<[DurationRange, number]>([
    ['200ms', 200],
    ['1s', 1000],
    [50, 50],
  ])('can delay responses by %j', (latency, milliseconds) => {
    expect(resolveOptions({ latency }).latency).toEqual({ from: milliseconds, to: milliseconds })
  })
})

describe('invalid options', () => {
  const integerError = (name: string, value: string, least: number): string =>
    `Cannot use the option ${name}: the value must be an integer ≥ ${least} (got ${value}).`

  it.each<[options: Readonly<Record<string, unknown>>, code: string, message: string]>([
    [
      { record: 5 },
      'unknown_option',
      'Cannot read the createSandbox options: unknown option "record". Did you mean "records"?',
    ],
    [
      { colour: 5 },
      'unknown_option',
      'Cannot read the createSandbox options: unknown option "colour". ' +
        'Known: contract, seed, records, locale, plans, keys, ban, quota, auth, latency, bodyLimit, validation, unknownIds, journal, handlers, onHandlerMistake, events, deliver, signIn, scenario and 3 more.',
    ],
    [
      { plans: { free: { minutes: 5 } } },
      'unknown_option',
      'Cannot read the plans.free windows: unknown window "minutes". Did you mean "minute"?',
    ],
    [
      { ban: { maxseconds: 5 } },
      'unknown_option',
      'Cannot read the ban options: unknown option "maxseconds". Did you mean "maxSeconds"?',
    ],
    [
      { keys: { my_key: 'fre' } },
      'unknown_plan',
      'Cannot assign the API key my_key to a plan: unknown plan "fre". Did you mean "free"?',
    ],
    [
      { keys: { my_key: 'constructor' } },
      'unknown_plan',
      'Cannot assign the API key my_key to a plan: unknown plan "constructor". ' +
        'Known: free, pro, business, enterprise.',
    ],
    [
      { keys: { 'my key': 'free' } },
      'invalid_key',
      'Cannot add the API key "my key": a bearer token consists of letters, digits and -._~+/ only (RFC 6750, section 2.1). Choose another key.',
    ],
    [
      { plans: { tiny: { minute: 1 } } },
      'invalid_option',
      'Cannot add the plan "tiny": a new plan needs both minute and day. Known: free, pro, business, enterprise.',
    ],
    [
      { plans: { free: { minute: 0 } } },
      'invalid_option',
      integerError('plans.free.minute', '0', 1),
    ],
    [
      { seed: 2 ** 53 },
      'invalid_option',
      'Cannot use the option seed: the value must be an integer from -9007199254740991 to 9007199254740991 (got 9007199254740992).',
    ],
    [
      { seed: 1.5 },
      'invalid_option',
      'Cannot use the option seed: the value must be an integer (got 1.5).',
    ],
    [
      { ban: true },
      'invalid_option',
      'Cannot use the option ban: the value must be an object or false (got true). Give {} for the default rules, or false to switch bans off.',
    ],
    [
      { journal: Number.POSITIVE_INFINITY },
      'invalid_option',
      integerError('journal', 'Infinity', 0),
    ],
    [{ journal: 5n }, 'invalid_option', integerError('journal', 'bigint', 0)],
    [{ ban: { refusals: 0 } }, 'invalid_option', integerError('ban.refusals', '0', 1)],
    [{ ban: { seconds: 0.5 } }, 'invalid_option', integerError('ban.seconds', '0.5', 1)],
    [
      { latency: 'slow' },
      'invalid_duration',
      'Cannot read the duration "slow": it is not a duration. Write 61s, 5m, 1h30m, PT61S or milliseconds.',
    ],
  ])('such as %o throw a UsageError that says what to do', (options, code, message) => {
    expect(refusalOf(options)).toMatchObject({ code, message })
  })

  it.each(['', ' ', 'a b', 'ключ', 'a\nb', 'a"b', '=a', 'a=b'])(
    'such as the key %j are rejected',
    (key) => {
      expect(refusalOf({ keys: { [key]: 'free' } }).code).toBe('invalid_key')
    },
  )
})

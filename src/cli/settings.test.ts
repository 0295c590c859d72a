import { describe, expect, test } from 'vitest'
import { UsageError } from '../validation/usage-error.ts'
import { resolveSettings, type SettingsSource } from './settings.ts'

const DEFAULTS = { port: 4010, host: '127.0.0.1', plans: {}, keys: {}, force: [], log: 'pretty' }

function source(
  values: SettingsSource['values'],
  nameOf: SettingsSource['nameOf'] = (setting) => setting,
): SettingsSource {
  return { values, nameOf }
}

const LONG = 'x'.repeat(1000)

/** The error message for an invalid value of a flag. */
function refusal(setting: string, value: unknown, name = `--${setting}`): string {
  try {
    resolveSettings([source({ [setting]: value }, () => name)])
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
  throw new Error(`${setting} was accepted`)
}

describe('a proxy', () => {
  test.each(['all', '10.0.0', '10.0.0.0/33', '10.0.0.0/0', '::1/129', '10.0.0.0/8/8', 'a.test'])(
    'cannot be trusted as "%s"',
    (name) => {
      expect(refusal('trustProxy', name, '--trust-proxy')).toBe(
        `Cannot use --trust-proxy "${name}": it is not an IP address, a subnet or a known range. ` +
          'Write loopback, linklocal, uniquelocal, 10.0.0.1 or 10.0.0.0/8.',
      )
    },
  )

  test('needs a public URL with a scheme', () => {
    expect(refusal('basePath', 'v1', '--base-path')).toBe(
      'Cannot use --base-path: it must be a path (got v1). Write it as /v1, or / for the root.',
    )
    expect(refusal('publicUrl', 'a.test', '--public-url')).toBe(
      'Cannot use --public-url "a.test": it is not an http or https address. ' +
        'Write the URL that clients use, as https://example.com/sandbox.',
    )
  })
})

describe('settings', () => {
  test('have their default values when nothing is set', () => {
    const settings = resolveSettings([source({})])

    expect(settings).toEqual(DEFAULTS)
  })

  test.each([
    ['openapi', 'a.yaml', 'b.yaml', 'c.yaml', 'c.yaml'],
    ['basePath', '/a', '/b/', '/', ''],
    ['port', 1, '2', '3', 3],
    ['host', 'a', 'b', 'c', 'c'],
    ['publicUrl', 'http://a.test', 'http://b.test/', 'https://c.test/d/', 'https://c.test/d'],
    ['trustProxy', ['loopback'], '10.0.0.1, ::1', ['10.0.0.0/8'], ['10.0.0.0/8']],
    ['records', { pets: [{ name: 'Rex', categoryId: 2 }] }, '2', '3', 3],
    ['records', 1, 'pets=2', ['pets=3', '4'], { pets: 3, '*': 4 }],
    [
      'records',
      1,
      '5, pets=2',
      ['orders=0', 'orgs/acme/repos=3'],
      { orders: 0, 'orgs/acme/repos': 3, '*': 'default' },
    ],
    ['seed', 1, '2', '-3', -3],
    ['force', ['banned'], 'removed', ['not-found'], ['not-found']],
    ['latency', 1, '2ms', '3s..4s', '3s..4s'],
    ['bodyLimit', 1, '2kb', '1.5 MB', 1_572_864],
    ['validation', 'warn', 'off', 'error', 'error'],
    ['scenario', 'slow', 'flaky', 'empty-store', 'empty-store'],
    ['scenarios', 'a', 'b', 'c', 'c'],
    ['worlds', 1, '2', '3', 3],
    ['quota', true, 'true', false, false],
    ['auth', true, '1', '0', false],
    ['auth', 'keys', 'any', 'off', 'off'],
    ['ban', { refusals: 1 }, 'true', false, false],
    ['log', 'json', 'pretty', 'silent', 'silent'],
    ['journal', 1, '2', '3', 3],
    ['control', true, 'true', false, false],
    ['controlToken', 'a', 'b', 'c', 'c'],
    ['controlOrigins', ['http://a.test'], 'http://b.test', ['http://c.test'], ['http://c.test']],
    ['remoteRefs', false, 'false', true, true],
    ['outsideRefs', false, 'false', true, true],
  ])(
    '%s has the value of the last source that sets it',
    (setting, config, environment, flag, value) => {
      const sources = [config, environment, flag].map((given) => source({ [setting]: given }))

      const [fromConfig, fromEnvironment, fromFlag] = [1, 2, 3].map((count) =>
        resolveSettings(sources.slice(0, count)),
      )

      expect(fromFlag).toEqual({ ...DEFAULTS, [setting]: value })
      expect(fromEnvironment).not.toEqual(fromFlag)
      expect(fromConfig).not.toEqual(fromFlag)
      expect(resolveSettings([...sources, source({})])).toEqual(fromFlag)
    },
  )

  test('merge the plans and keys of all sources', () => {
    const settings = resolveSettings([
      source({ plans: { free: { minute: 1 }, pro: '2/20' }, keys: { one: 'free', two: 'pro' } }),
      source({ plans: 'pro=3/30 gold=4/40', keys: 'two=gold,three=pro' }),
      source({ plans: ['gold=5/50'], keys: ['three=gold'] }),
    ])

    expect(settings.plans).toEqual({
      free: { minute: 1 },
      pro: { minute: 3, day: 30 },
      gold: { minute: 5, day: 50 },
    })
    expect(settings.keys).toEqual({ one: 'free', two: 'gold', three: 'gold' })
  })

  test('with the value null are ignored', () => {
    const settings = resolveSettings([source({ port: 5000 }), source({ port: null, ban: null })])

    expect(settings).toEqual({ ...DEFAULTS, port: 5000 })
  })

  test('split a key and its plan at the last equals sign', () => {
    const settings = resolveSettings([source({ keys: ['bXkta2V5==pro'] })])

    expect(settings.keys).toEqual({ 'bXkta2V5=': 'pro' })
  })
})

describe('an invalid value throws an error of one line:', () => {
  test.each<[string, unknown, string]>([
    ['port', 'abc', 'it must be an integer from 0 to 65535 (got abc).'],
    ['port', '65536', 'it must be an integer from 0 to 65535 (got 65536).'],
    ['port', '', 'it must be an integer from 0 to 65535 (got "").'],
    ['port', [1], 'it must be an integer from 0 to 65535 (got [1]).'],
    ['host', 127, 'it must be a text that is not empty (got 127).'],
    ['openapi', '', 'it must be a text that is not empty (got "").'],
    ['records', '-1', 'it must be an integer from 0 to 1000000 (got -1).'],
    ['records', 1.5, 'it must be an integer from 0 to 1000000 (got 1.5).'],
    [
      'records',
      '=3',
      'it must be a number or COLLECTION=NUMBER (got =3). Write it as 20 or pets=3.',
    ],
    ['seed', 'x', 'it must be an integer (got x).'],
    ['seed', '1.5', 'it must be an integer (got 1.5).'],
    [
      'seed',
      '9007199254740992',
      'it must be an integer from -9007199254740991 to 9007199254740991 (got 9007199254740992).',
    ],
    ['latency', 'soon', 'it must be a duration: milliseconds, 200ms, or 100ms..2s (got soon).'],
    ['latency', -5, 'it must be a duration: milliseconds, 200ms, or 100ms..2s (got -5).'],
    [
      'latency',
      Number.POSITIVE_INFINITY,
      'it must be a duration: milliseconds, 200ms, or 100ms..2s (got Infinity).',
    ],
    [
      'bodyLimit',
      '10 pages',
      'it must be a size (got 10 pages). Write it as 10mb, 512kb, or as a number of bytes.',
    ],
    [
      'bodyLimit',
      0,
      'it must be a size (got 0). Write it as 10mb, 512kb, or as a number of bytes.',
    ],
    ['validation', 'of', 'unknown mode "of". Did you mean "off"?'],
    ['quota', 'no', 'it must be true or false (got no).'],
    ['auth', 'of', 'unknown mode "of". Did you mean "off"?'],
    ['auth', 3, 'it must be true or false (got 3).'],
    ['ban', 'off', 'it must be true or false (got off).'],
    ['ban', 5, 'it must be true, false or an object (got 5). Write an object as { seconds: 60 }.'],
    ['log', 'jsn', 'unknown log format "jsn". Did you mean "json"?'],
    ['log', 'xml-lines', 'unknown log format "xml-lines". Known: pretty, json, silent.'],
    ['journal', 'x', 'it must be an integer from 0 to 1000000 (got x).'],
    [
      'plans',
      'free=60',
      'it must be PLAN=MINUTE/DAY (got free=60). Write the requests per minute and per day, for example free=60/1000.',
    ],
    [
      'plans',
      { free: 60 },
      'it must be PLAN=MINUTE/DAY (got free=60). Write the requests per minute and per day, for example free=60/1000.',
    ],
    ['keys', 'my_key', 'it must be KEY=PLAN (got my_key). Write it as my_key=pro.'],
    ['keys', '=pro', 'it must be KEY=PLAN (got =pro). Write it as my_key=pro.'],
    ['keys', { my_key: 5 }, 'it must be KEY: PLAN (got {"my_key":5}). Write it as my_key: pro.'],
    [
      'force',
      [{ 'rate-limited': 'listPets' }],
      'it must be text without spaces (got {"rate-limited":"listPets"}).',
    ],
  ])('%s %j', (setting, value, reason) => {
    const message = refusal(setting, value)

    expect(message).toBe(`Cannot use --${setting}: ${reason}`)
  })

  test.each<[string, unknown, string]>([
    ['openapi', [LONG], `: it must be a text that is not empty (got ["${'x'.repeat(78)}…)`],
    ['log', LONG, `: unknown log format "${'x'.repeat(80)}…"`],
    ['publicUrl', LONG, ` "${'x'.repeat(80)}…": it is not an http or https address.`],
    ['trustProxy', LONG, ` "${'x'.repeat(80)}…": it is not an IP address,`],
  ])('%s, whose message shows at most 80 characters of the value', (setting, value, message) => {
    expect(refusal(setting, value)).toContain(`Cannot use --${setting}${message}`)
  })

  test('a value in a file, with its location', () => {
    const message = refusal('port', 'x', 'port (pet-sandbox.config.yaml:3:1)')

    expect(message).toBe(
      'Cannot use port (pet-sandbox.config.yaml:3:1): it must be an integer from 0 to 65535 (got x).',
    )
  })

  test('an unknown setting, with a suggestion', () => {
    const message = refusal('prot', 1, 'prot (pet-sandbox.config.yaml:1:1)')

    expect(message).toBe(
      'Cannot use prot (pet-sandbox.config.yaml:1:1): unknown setting "prot". Did you mean "port"?',
    )
  })
})

describe('webhooks', () => {
  test('have the times between attempts, with commas', () => {
    const { webhookRetries } = resolveSettings([source({ webhookRetries: '5s,1m 2h' })])

    expect(webhookRetries).toEqual([5000, 60_000, 7_200_000])
  })

  test.each([
    ['webhookRetries', '5s,soon', 'it must be a duration (got soon). Write it as 5s.'],
    ['webhookTimeout', '11m', 'it must be a duration of at most 10m (got 11m). Write it as 10s.'],
    ['webhookOrder', 'loose', 'unknown order of webhooks'],
    ['webhookSignature', 'gihub', 'unknown signature "gihub". Did you mean "github"?'],
    ['webhookSignature', 'Stripe', 'unknown signature "Stripe". Did you mean "stripe"?'],
  ])('refuse %s "%s"', (setting, value, reason) => {
    expect(refusal(setting, value)).toContain(reason)
  })
})

import { setTimeout as pass } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { ControlAction } from '../control/action.ts'
import { contract } from '../generated/contract.ts'
import type { Exchange } from '../journal/exchange.ts'
import { exampleExchange } from '../testing/example-exchange.ts'
import { createLog } from './request-log.ts'
import { painter } from './terminal.ts'

const EXCHANGE: Exchange = exampleExchange()
const OPTIONS = { contract: () => contract, paint: (_style: unknown, text: string) => text }

/** The writes of the log for these exchanges. */
async function written(
  log: 'pretty' | 'json',
  exchanges: readonly Partial<Exchange>[],
): Promise<string[]> {
  const writes: string[] = []
  const listener = createLog(log, { ...OPTIONS, output: { write: (text) => writes.push(text) } })
  for (const exchange of exchanges) listener?.({ ...EXCHANGE, ...exchange }, 'default')
  await pass(40)

  return writes
}

test('the log shows the address of a world, percent-encoded', async () => {
  const writes: string[] = []
  const log = createLog('pretty', { ...OPTIONS, output: { write: (text) => writes.push(text) } })

  log?.(EXCHANGE, 'a / b\n')
  log?.dropped('a / b\u001b[2J', EXCHANGE.time)
  await pass(40)

  expect(writes.join('')).toContain('  /worlds/a%20%2F%20b%0A/v1/pets?limit=5  ')
  expect(writes.join('')).toContain('world a / b was evicted')
})

test('the pretty log of a sandbox without plans shows the end of the credential, if there is one', async () => {
  const writes: string[] = []
  const log = createLog('pretty', { ...OPTIONS, output: { write: (text) => writes.push(text) } })
  const { plan: _plan, quota: _quota, key: _key, ...anonymous } = EXCHANGE

  log?.({ ...anonymous, key: '…oken' }, 'default')
  log?.(anonymous, 'default')
  await pass(40)

  expect(writes.join('')).toBe(
    '12:34:56  GET     200  /v1/pets?limit=5  …oken, 1.3 ms\n12:34:56  GET     200  /v1/pets?limit=5  1.3 ms\n',
  )
})

describe('the pretty log', () => {
  test.each<[string, Partial<Exchange>, string]>([
    ['a response', {}, '12:34:56  GET     200  /v1/pets?limit=5  free, 59 left, 1.3 ms'],
    [
      'ignored parts of the request',
      {
        notes: [
          { kind: 'unknown-parameter', place: 'query.page' },
          { kind: 'ignored-preference', place: 'prefer.code=418' },
          { kind: 'dropped-property', place: 'body.color' },
          { kind: 'deprecated-operation', place: 'getPet' },
        ],
      },
      '12:34:56  GET     200  /v1/pets?limit=5  free, 59 left, 1.3 ms  query.page ignored; prefer.code=418 ignored; body.color dropped; getPet is deprecated',
    ],
    [
      'a response with stored records',
      { source: 'record' },
      '12:34:56  GET     200  /v1/pets?limit=5  free, 59 left, 1.3 ms',
    ],
    [
      'a response without stored records',
      { source: 'generated', sourceReason: 'its response contains no record' },
      '12:34:56  GET     200  /v1/pets?limit=5  free, 59 left, 1.3 ms  generated: its response contains no record',
    ],
    [
      'a missing key',
      { caller: 'missing' },
      '12:34:56  GET     200  /v1/pets?limit=5  no key, 59 left, 1.3 ms',
    ],
    [
      'an invalid key',
      { caller: 'invalid', key: '…typo' },
      '12:34:56  GET     200  /v1/pets?limit=5  wrong key, 59 left, 1.3 ms',
    ],
    [
      'the remaining quota of the day, if it is smaller',
      { quota: { before: { minute: 60, day: 8 }, after: { minute: 59, day: 7 } } },
      '12:34:56  GET     200  /v1/pets?limit=5  free, 7 left, 1.3 ms',
    ],
    [
      'the reason of a refusal',
      { status: 404, refusal: { code: 'not_found', message: 'There is none.' } },
      '12:34:56  GET     404  /v1/pets?limit=5  free, 59 left, 1.3 ms  There is none.',
    ],
    [
      'a forced refusal',
      { status: 404, forced: 'not-found', refusal: { code: 'not_found', message: 'None.' } },
      '12:34:56  GET     404  /v1/pets?limit=5  free, 59 left, 1.3 ms  forced not-found: None.',
    ],
    [
      'the reason of a failed preflight',
      {
        method: 'OPTIONS',
        status: 204,
        preflight: { origin: 'https://shop.example', method: 'PUT' },
        refusal: { code: 'method_not_allowed', message: 'PUT is not available.' },
      },
      '12:34:56  OPTIONS  204  /v1/pets?limit=5  free, 59 left, 1.3 ms  preflight for PUT from https://shop.example failed: PUT is not available.',
    ],
    [
      'a successful preflight',
      {
        method: 'OPTIONS',
        status: 204,
        preflight: { origin: 'https://shop.example', method: 'POST' },
      },
      '12:34:56  OPTIONS  204  /v1/pets?limit=5  free, 59 left, 1.3 ms',
    ],
  ])('has one line for %s', async (_what, exchange, line) => {
    const writes = await written('pretty', [exchange])

    expect(writes).toEqual([`${line}\n`])
  })

  test('replaces control characters and invisible characters', async () => {
    const target = '/\u001b[31mred\u001b]0;title\u0007\u009b2J\n\u202egnp.exe\u200b\u2028\u2029'

    const [line = ''] = await written('pretty', [
      { target, notes: [{ kind: 'dropped-property', place: 'body.\u001b[2J' }] },
    ])

    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(line).toContain('red')
  })
})

describe('an action of the control interface', () => {
  const ACTION: ControlAction = {
    world: 'check out',
    operation: 'forceOutcome',
    method: 'POST',
    target: '/__sandbox/worlds/check%20out/outcomes',
    status: 201,
    input: { outcome: 'rate-limited', times: 2 },
    created: '/__sandbox/worlds/check%20out/outcomes/1',
  }

  async function lineOf(log: 'pretty' | 'json', action: Partial<ControlAction>): Promise<string> {
    const writes: string[] = []
    const lines = createLog(log, { ...OPTIONS, output: { write: (text) => writes.push(text) } })
    lines?.action({ ...ACTION, ...action }, EXCHANGE.time)
    await pass(40)

    return writes.join('')
  }

  test('is a line of the pretty log', async () => {
    expect(await lineOf('pretty', {})).toBe(
      '12:34:56  POST    201  /__sandbox/worlds/check%20out/outcomes  ' +
        'forceOutcome outcome=rate-limited times=2 created=/__sandbox/worlds/check%20out/outcomes/1\n',
    )
  })

  test('is a line of the JSON log', async () => {
    const { operation, ...rest } = ACTION

    expect(JSON.parse(await lineOf('json', {}))).toEqual({
      time: '2027-03-01T12:34:56.789Z',
      control: operation,
      ...rest,
    })
  })

  test('has the reason of a refusal and of a failed preflight', async () => {
    const refusal = { code: 'forbidden', message: 'Not you.' }
    const preflight = { origin: 'http://a.test', method: 'POST' }

    expect(await lineOf('pretty', { status: 403, refusal })).toMatch(/ {2}Not you\.\n$/)
    expect(await lineOf('pretty', { refusal: { code: 'not_found' } })).toMatch(/ {2}not_found\n$/)
    expect(await lineOf('pretty', { refusal, preflight })).toContain(
      'preflight for POST from http://a.test failed: Not you.',
    )
  })

  test('has no control characters in the log', async () => {
    const evil = '\u001b[2J\u009b31m\n'
    const action = { world: evil, target: evil, input: { name: evil, [evil]: 1 }, created: evil }

    expect((await lineOf('pretty', action)).trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect((await lineOf('json', action)).trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('the JSON log', () => {
  test('has the exchange, with its time in ISO 8601', async () => {
    const [line = ''] = await written('json', [{}])

    expect(JSON.parse(line)).toEqual({ ...EXCHANGE, time: '2027-03-01T12:34:56.789Z' })
  })

  test('escapes control characters that JSON does not escape', async () => {
    const [line = ''] = await written('json', [{ target: '/\u009b2J\u007f\u001b[31m' }])

    expect(line).toContain('/\\u009b2J\\u007f\\u001b[31m')
    expect(JSON.parse(line).target).toBe('/\u009b2J\u007f\u001b[31m')
  })
})

describe('a log', () => {
  test('writes simultaneous lines together', async () => {
    const writes = await written('pretty', [{}, {}, {}])

    expect(writes).toHaveLength(1)
    expect(writes[0]?.trimEnd().split('\n')).toHaveLength(3)
  })

  test('is undefined in the format silent', () => {
    const listener = createLog('silent', { ...OPTIONS, output: process.stdout })

    expect(listener).toBeUndefined()
  })
})

describe('a log of many lines', () => {
  test.each([
    ['many lines', 3000, '/pets'],
    ['lines with non-ASCII letters', 900, `/pets?name=${'ä€😀'.repeat(30)}`],
    ['lines longer than a batch', 3, `/pets?name=${'x'.repeat(100_000)}`],
    ['lines as long as a batch', 2, `/pets?name=${'x'.repeat(21_700)}`],
  ])('writes %s completely and in order', async (_what, count, target) => {
    const exchanges = Array.from({ length: count }, (_, at) => ({ id: at, target }))

    const writes = await written('json', exchanges)

    const lines = writes.join('').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(exchanges)
  })
})

describe('an event that is not an exchange', () => {
  const NOON = Date.parse('2027-03-01T12:00:00Z')
  const UNROUTED = { method: 'GET', target: '/no\u001b[2Jthing', status: 404, message: 'not there' }

  test.each<['pretty' | 'json', readonly string[]]>([
    [
      'pretty',
      [
        '12:00:00  world one was evicted: --worlds limits the number of worlds',
        '12:00:00  GET     404  /nothing  not there',
      ],
    ],
    [
      'json',
      [
        '{"time":"2027-03-01T12:00:00.000Z","world":"one","dropped":true}',
        '{"time":"2027-03-01T12:00:00.000Z","method":"GET","target":"/no\\u001b[2Jthing","status":404,"message":"not there"}',
      ],
    ],
  ])('has a line in the %s log', async (kind, lines) => {
    const writes: string[] = []
    const log = createLog(kind, { ...OPTIONS, output: { write: (text) => writes.push(text) } })

    log?.dropped('one', NOON)
    log?.unrouted(UNROUTED, NOON)
    await pass(40)

    expect(writes.join('').trimEnd().split('\n')).toEqual(lines)
  })
})

test.each(['pretty', 'json'] as const)(
  'the %s log has no token and no code of a request that reached no world',
  async (kind) => {
    const writes: string[] = []
    const log = createLog(kind, { ...OPTIONS, output: { write: (text) => writes.push(text) } })
    const code = `sbx_ac_${'C'.repeat(36)}`
    const jwt = `${'eyJhbGciOiJSUzI1NiJ9'}.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl`
    const target = `/callback?code=${code}&access_token=${jwt}`

    log?.unrouted(
      { method: 'GET', target, status: 404, message: `There is no ${target}` },
      Date.UTC(2027, 2, 1),
    )
    await pass(40)

    expect(writes.join('')).toContain('code=…CCCC&access_token=…dXJl')
    for (const secret of [code, jwt]) expect(writes.join('')).not.toContain(secret)
  },
)

describe('colour', () => {
  test.each([
    ['on a terminal', true, {}, true],
    ['not when the output is not a terminal', false, {}, false],
    ['not when NO_COLOR is set', true, { NO_COLOR: '1' }, false],
    ['when NO_COLOR is empty', true, { NO_COLOR: '' }, true],
  ])('is used %s', (_where, isTTY, environment, isUsed) => {
    const paint = painter({ isTTY, write: () => true }, environment)

    expect(paint('red', 'x') !== 'x').toBe(isUsed)
  })
})

test('lines of JSON start with their time and the name of the server, when it has one', async () => {
  const writes: string[] = []
  const output = { write: (text: string) => writes.push(text) }
  const log = createLog('json', { ...OPTIONS, output, instance: 'one' })

  log?.(EXCHANGE, 'default')
  log?.dropped('a', EXCHANGE.time)
  await pass(40)

  const lines = writes.join('').trim().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line).toMatch(/^\{"time":"[^"]+","instance":"one",/)
})

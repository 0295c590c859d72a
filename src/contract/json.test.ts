import { describe, expect, it } from 'vitest'
import { ValueLimit } from '../http/body-limits.ts'
import { Problem } from '../http/problem.ts'
import { findInexactNumber, InexactNumber, parseJson, parseOwnJson } from './json.ts'

async function parsed(text: string): Promise<unknown> {
  return parseJson(new TextEncoder().encode(text), ValueLimit.ofBody(100))
}

async function problemOf(bytes: Uint8Array): Promise<Problem> {
  try {
    await parseJson(bytes, ValueLimit.ofBody(100))
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('No problem')
}

function problemOfText(text: string): Promise<Problem> {
  return problemOf(new TextEncoder().encode(text))
}

describe('JSON', () => {
  it.each([
    'null',
    'true',
    '0',
    '-0.5',
    '1e3',
    '""',
    '[]',
    '{}',
    ' \t\r\n[1, {"a": [null, "x"]}] ',
    '"\\u00e9\\n\\"\\\\\\/ é 🐶"',
    '{"a":{"b":{"c":[[[1]]]}}}',
    '{"":1}',
    '{"toString":1,"constructor":2,"hasOwnProperty":3}',
  ])('%s is parsed as by JSON.parse', async (text) => {
    expect(await parsed(text)).toEqual(JSON.parse(text))
  })

  it.each([
    '{"a":[1,2.5,"x",null,{"b":true}]}',
    '{"__proto__":{"admin":true}}',
    '{"a":1,"a":1}',
    '{"a":1,"a":2}',
    '-0',
    '1e-7',
    '1e+21',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '0.12345678901234566',
    '"1234567890123456 e+"',
    '[1,]',
  ])(
    '%s has the same value with a leading space, which JSON.stringify does not write',
    async (text) => {
      const read = async (written: string): Promise<unknown> => {
        try {
          return await parsed(written)
        } catch (error) {
          return error instanceof Problem && error.message.replace(/ (at )?position \d+/g, '')
        }
      }

      expect(await read(text)).toStrictEqual(await read(` ${text}`))
    },
  )

  it('with a byte order mark is parsed', async () => {
    expect(await parsed('\uFEFF{"a":1}')).toEqual({ a: 1 })
  })

  it('with the key __proto__ has a property of that name and its usual prototype', async () => {
    const value = await parsed('{"__proto__": {"admin": true}}')

    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.keys(Object(value))).toEqual(['__proto__'])
    expect(value).not.toHaveProperty('admin')
  })

  it.each([
    ['nothing', ''],
    ['white space', '  '],
    ['a trailing comma', '[1,]'],
    ['a comment', '{} // end'],
    ['single quotes', "{'a': 1}"],
    ['an unquoted key', '{a: 1}'],
    ['a leading zero', '01'],
    ['a trailing decimal point', '1.'],
    ['NaN', 'NaN'],
    ['two values', '1 2'],
    ['an unclosed object', '{"a": 1'],
    ['an unclosed string', '"abc'],
    ['a line break in a string', '"a\nb"'],
    ['an unknown escape', '"\\x"'],
    ['a duplicate key', '{"a": 1, "a": 2}'],
    ['a nested duplicate key', '[{"b": {"a": 1, "a": null}}]'],
  ])('with %s is rejected with its position', async (_name, text) => {
    const { status, code, message } = await problemOfText(text)

    expect([status, code]).toEqual([400, 'invalid_request'])
    expect(message).toMatch(/^body must be valid JSON: .*position \d+/)
  })

  it('with invalid UTF-8 is rejected', async () => {
    const bytes = Uint8Array.from([0x22, 0xc3, 0x28, 0x22])

    expect((await problemOf(bytes)).message).toBe('body must be valid UTF-8')
  })
})

describe('a number', () => {
  it.each([
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['1.0', 1],
    ['1.50', 1.5],
    ['1e2', 100],
    ['120e-1', 12],
    ['0.1', 0.1],
    ['0', 0],
    ['-0', -0],
    ['0.12345678901234567890', 0.12345678901234568],
  ])('%s is %d', async (text, value) => {
    expect(await parsed(text)).toBe(value)
  })

  it.each([
    '9007199254740992',
    '9007199254740993',
    '-9007199254740992',
    '9223372036854775807',
    '9007199254740993.0',
    '1e300',
    '1e999',
    '-1e999',
    `1${'0'.repeat(400)}`,
    '1.00000000000000000001',
  ])('%s, which JavaScript cannot represent exactly, keeps its text', async (text) => {
    const [value] = [await parsed(`[${text}]`)].flat()

    expect(value).toBeInstanceOf(InexactNumber)
    expect(value).toHaveProperty('text', text)
  })
})

describe('nesting', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  it.each([nested(100), objects(100), `[${nested(99)},${nested(99)}]`])(
    'of 100 levels is accepted',
    async (text) => {
      expect(await parsed(text)).toEqual(JSON.parse(text))
    },
  )

  it.each([nested(101), objects(101), '['.repeat(101)])(
    'of 101 levels is rejected',
    async (text) => {
      expect((await problemOfText(text)).message).toBe(
        'body must not be nested more than 100 levels deep',
      )
    },
  )

  it('ignores brackets in strings', async () => {
    const text = JSON.stringify(`${'['.repeat(500)}"\\${'{'.repeat(500)}`)

    expect(await parsed(text)).toBe(JSON.parse(text))
  })
})

describe('hostile text of 1 MiB', () => {
  const LENGTH = 1024 * 1024

  // A parser with quadratic time would need 10^12 steps and never end.
  it.each<[name: string, text: string]>([
    ['open brackets', '['.repeat(LENGTH)],
    ['open braces', '{"a":'.repeat(LENGTH / 5)],
    ['quotes', '"'.repeat(LENGTH)],
    ['backslashes', `"${'\\'.repeat(LENGTH)}`],
    ['quotes after backslashes', '\\"'.repeat(LENGTH / 2)],
    ['white space', `[${' '.repeat(LENGTH)}`],
    ['one repeated digit', `[${'1'.repeat(LENGTH)}x`],
    ['zeros after a decimal point', `[1.${'0'.repeat(LENGTH)}1x`],
    ['zeros and ones', `[1.${'01'.repeat(LENGTH / 2)}x`],
    ['a very long exponent', `[1e${'1'.repeat(LENGTH)}x`],
    ['a repeated key', `{${'"a":1,'.repeat(LENGTH / 6)}x`],
    ['many keys', `{${Array.from({ length: 80_000 }, (_, index) => `"k${index}":1,`).join('')}x`],
  ])('of %s is rejected', async (_name, text) => {
    expect((await problemOfText(text)).status).toBe(400)
  })

  it('of one long number is parsed', async () => {
    expect(await parsed('7'.repeat(LENGTH))).toBeInstanceOf(InexactNumber)
  })

  it('is not repeated in the message', async () => {
    for (const text of [
      'x'.repeat(LENGTH),
      `"${'y'.repeat(LENGTH)}\n"`,
      `[1${'2'.repeat(LENGTH)}x`,
    ]) {
      expect((await problemOfText(text)).message.length).toBeLessThan(200)
    }
  })

  it('as a key is not repeated in the message', async () => {
    const key = JSON.stringify('k'.repeat(LENGTH / 2))

    expect((await problemOfText(`{${key}:1,${key}:2}`)).message.length).toBeLessThan(200)
  })
})

const big = new InexactNumber('9007199254740993')

it.each<[value: unknown, location: string]>([
  [big, ''],
  [{ a: 1, b: big }, '.b'],
  [[0, [1, big]], '[1][1]'],
  [{ a: [{ b: big }, new InexactNumber('1e999')] }, '.a[0].b'],
])('an inexact number is found with its location, %#', (value, location) => {
  expect(findInexactNumber(value)).toEqual({ location, text: big.text })
})

it.each([undefined, null, 1, 'text', [], {}, { a: [1, { b: null }] }])(
  'no inexact number is found in %j',
  (value) => {
    expect(findInexactNumber(value)).toBeUndefined()
  },
)

it.each<[text: string, value: unknown]>([
  ['{"a":[1,1.5,"x"]}', { a: [1, 1.5, 'x'] }],
  ['[1e+300,1e+21]', [1e300, 1e21]],
])('a text of the sandbox itself is parsed as JavaScript does, %s', (text, value) => {
  expect(parseOwnJson(text)).toEqual(value)
})

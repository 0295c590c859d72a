import { describe, expect, it } from 'vitest'
import { Problem } from '../http/problem.ts'
import { InexactNumber } from './inexact-number.ts'
import { parseJson } from './parse-json.ts'

function parsed(text: string): Promise<unknown> {
  return parseJson(new TextEncoder().encode(text))
}

async function refusalOf(bytes: Uint8Array): Promise<Problem> {
  try {
    await parseJson(bytes)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('No problem')
}

function refusalOfText(text: string): Promise<Problem> {
  return refusalOf(new TextEncoder().encode(text))
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
  ])('%s is read as JSON.parse reads it', async (text) => {
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
  ])('%s is the same with a blank before it, which JavaScript does not write', async (text) => {
    const read = async (written: string): Promise<unknown> => {
      try {
        return await parsed(written)
      } catch (error) {
        return error instanceof Problem && error.message.replace(/ (at )?position \d+/g, '')
      }
    }

    expect(await read(text)).toStrictEqual(await read(` ${text}`))
  })

  it('with a byte order mark is read all the same', async () => {
    expect(await parsed('\uFEFF{"a":1}')).toEqual({ a: 1 })
  })

  it('with the key __proto__ makes a property and changes no prototype', async () => {
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
    ['a bare key', '{a: 1}'],
    ['a leading zero', '01'],
    ['a lone point', '1.'],
    ['NaN', 'NaN'],
    ['two values', '1 2'],
    ['an open object', '{"a": 1'],
    ['an open text', '"abc'],
    ['a line break within a text', '"a\nb"'],
    ['an unknown escape', '"\\x"'],
    ['a key that comes twice', '{"a": 1, "a": 2}'],
    ['a key that comes twice, further in', '[{"b": {"a": 1, "a": null}}]'],
  ])('with %s is refused, and the place is told', async (_name, text) => {
    const { status, code, message } = await refusalOfText(text)

    expect([status, code]).toEqual([400, 'invalid_request'])
    expect(message).toMatch(/^body must be valid JSON: .*position \d+/)
  })

  it('with bytes that are no UTF-8 is refused', async () => {
    const bytes = Uint8Array.from([0x22, 0xc3, 0x28, 0x22])

    expect((await refusalOf(bytes)).message).toBe(
      'body must be UTF-8: it holds bytes that are no text',
    )
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
  ])('%s, which JavaScript does not hold exactly, is kept as it was written', async (text) => {
    const [value] = [await parsed(`[${text}]`)].flat()

    expect(value).toBeInstanceOf(InexactNumber)
    expect(value).toHaveProperty('text', text)
  })
})

describe('depth', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  it.each([nested(100), objects(100), `[${nested(99)},${nested(99)}]`])(
    'of 100 levels is read',
    async (text) => {
      expect(await parsed(text)).toEqual(JSON.parse(text))
    },
  )

  it.each([nested(101), objects(101), '['.repeat(101)])(
    'of 101 levels is refused',
    async (text) => {
      expect((await refusalOfText(text)).message).toBe(
        'body must not be nested more than 100 levels deep',
      )
    },
  )

  it('does not count brackets within texts', async () => {
    const text = JSON.stringify(`${'['.repeat(500)}"\\${'{'.repeat(500)}`)

    expect(await parsed(text)).toBe(JSON.parse(text))
  })
})

describe('hostile text of 1 MiB', () => {
  const LENGTH = 1024 * 1024

  // Reading that took more than one step a character would take 10^12 of them, and never end.
  it.each<[name: string, text: string]>([
    ['open brackets', '['.repeat(LENGTH)],
    ['open braces', '{"a":'.repeat(LENGTH / 5)],
    ['quotes', '"'.repeat(LENGTH)],
    ['backslashes', `"${'\\'.repeat(LENGTH)}`],
    ['quotes after backslashes', '\\"'.repeat(LENGTH / 2)],
    ['white space', `[${' '.repeat(LENGTH)}`],
    ['one digit again and again', `[${'1'.repeat(LENGTH)}x`],
    ['zeros behind a point', `[1.${'0'.repeat(LENGTH)}1x`],
    ['zeros and ones', `[1.${'01'.repeat(LENGTH / 2)}x`],
    ['an endless exponent', `[1e${'1'.repeat(LENGTH)}x`],
    ['a key again and again', `{${'"a":1,'.repeat(LENGTH / 6)}x`],
    ['many keys', `{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1,`).join('')}x`],
  ])('of %s is refused', async (_name, text) => {
    expect((await refusalOfText(text)).status).toBe(400)
  })

  it('of one long number is read', async () => {
    expect(await parsed('7'.repeat(LENGTH))).toBeInstanceOf(InexactNumber)
  })

  it('does not come back whole in the message', async () => {
    for (const text of [
      'x'.repeat(LENGTH),
      `"${'y'.repeat(LENGTH)}\n"`,
      `[1${'2'.repeat(LENGTH)}x`,
    ]) {
      expect((await refusalOfText(text)).message.length).toBeLessThan(200)
    }
  })

  it('as a key does not come back whole either', async () => {
    const key = JSON.stringify('k'.repeat(LENGTH / 2))

    expect((await refusalOfText(`{${key}:1,${key}:2}`)).message.length).toBeLessThan(200)
  })
})

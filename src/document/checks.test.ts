import { describe, expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { createChecker, safeLength } from './checks.ts'

/** The limit is a tenth of a second, so that the tests need not spend whole ones. */
const checkOf = createChecker(100)

/** What a check by the schema finds. */
function judge(schema: Schema, value: unknown) {
  const check = checkOf(schema)
  const isValid = check(value)

  return { isValid, faults: check.errors ?? [] }
}

const MANY = Array.from({ length: 60_000 }, (_, at) => ({ at }))

describe('a value that would take too long to check is refused at the time limit:', () => {
  test.each<[what: string, schema: Schema, value: unknown]>([
    ['by nested repeats', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['by repeats of what is optional', { pattern: '^(\\w+\\s?)*$' }, `${'a'.repeat(60)}!`],
    ['by alternatives', { pattern: '^(a|a)*$' }, `${'a'.repeat(60)}!`],
    ['by a pattern without a start', { pattern: '\\s+$' }, `${' '.repeat(500_000)}!`],
    ['by its names', { patternProperties: { '^(a+)+$': {} } }, { [`${'a'.repeat(60)}!`]: 1 }],
    ['within', { properties: { of: { pattern: '^(a+)+$' } } }, { of: `${'a'.repeat(60)}!` }],
    ['by the format url', { format: 'url' }, `${'http://a'.repeat(60_000)}-`],
    ['by being compared each with each', { uniqueItems: true, items: {} }, MANY],
  ])('%s', (_what, schema, value) => {
    const { isValid, faults } = judge({ type: [...TYPES], ...schema }, value)

    expect(isValid).toBe(false)
    expect(faults).toMatchObject([
      { instancePath: '', message: expect.stringContaining('takes more than 0.1 second to check') },
    ])
  })

  test('which is a second by default', () => {
    const check = createChecker()({ pattern: '^(a+)+$' })

    check(`${'a'.repeat(60)}!`)

    expect(check.errors?.[0]?.message).toContain('takes more than 1 second to check')
  })
})

const TYPES = ['string', 'object', 'array'] as const

describe('a costly check', () => {
  const schema: Schema = { type: 'string', pattern: '^[^@ ]+@[^@ ]+\\.[^@ ]+$' }

  test.each([
    ['rex@example.com', true],
    ['somebody.with.a.long.name@example.com', true],
    ['somebody.with.a.long.name', false],
    ['', false],
    [7, false],
  ])('of %j is as every other', (value, isValid) => {
    expect(judge(schema, value).isValid).toBe(isValid)
  })

  test('tells what is wrong, and is none the worse for one that did not end', () => {
    const check = checkOf({ type: 'string', pattern: '^(a+)+$' })

    const ended = check(`${'a'.repeat(60)}!`)
    const wrong = check('b'.repeat(20))
    const [fault] = check.errors ?? []

    expect([ended, wrong, check('a'.repeat(20))]).toEqual([false, false, true])
    expect(fault?.message).toBe('must match pattern "^(a+)+$"')
  })
})

describe('the time is watched', () => {
  test.each<[pattern: string, length: number]>([
    ['^[A-Z]{2}\\d{4}$', 1_000_000],
    ['^[0-9a-f]{8}-[0-9a-f]{4}$', 1_000_000],
    ['^Bearer ', 1_000_000],
    ['^a*$', 1000],
    ['^\\d{1,14}$', 1000],
    ['^a+b+$', 100],
    ['^[^@ ]+@[^@ ]+\\.[^@ ]+$', 31],
    ['^(a?){50}$', 16],
    ['^(a|a)*$', 16],
  ])('for the pattern %s where a text is longer than %i', (pattern, length) => {
    const schemas: Schema[] = [
      { allOf: [{ properties: { of: { pattern } } }] },
      { patternProperties: { [pattern]: {} } },
    ]

    expect(schemas.map((schema) => Math.floor(safeLength(schema) + 1e-6))).toEqual([length, length])
  })

  test.each<[schema: Schema, length: number]>([
    [{ type: 'string', format: 'uri' }, Number.POSITIVE_INFINITY],
    [{ type: 'string', format: 'url' }, 1000],
    [{ uniqueItems: true }, 1000],
    [{ pattern: '^a*$', anyOf: [{ pattern: '^(a+)+$' }, { pattern: 'a' }] }, 16],
  ])('by the strictest of %j', (schema, length) => {
    expect(safeLength(schema)).toBe(length)
  })

  test('for many values, however short they are', () => {
    const items = { type: 'array', items: { pattern: '^(a+)+$' } } as const
    const values = Array.from({ length: 100_000 }, () => `${'a'.repeat(14)}!`)

    expect(judge(items, values).faults[0]?.keyword).toBe('time')
  })
})

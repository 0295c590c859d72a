import { describe, expect, test } from 'vitest'
import type { Schema } from '../../contract/contract.ts'
import { createAjv, createCheck } from './checks.ts'
import { isCostly } from './time-limit.ts'

const ajv = createAjv()

/** What a check by the schema finds, and how many milliseconds that takes. */
function judge(schema: Schema, value: unknown) {
  const check = createCheck(schema, (one) => ajv.compile(one))
  const start = performance.now()
  const isValid = check(value)

  return { isValid, faults: check.errors ?? [], milliseconds: performance.now() - start }
}

const MANY = Array.from({ length: 60_000 }, (_, at) => ({ at }))

describe('a value that would take too long to check is refused after a second:', () => {
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
    const { isValid, faults, milliseconds } = judge({ type: [...TYPES], ...schema }, value)

    expect(isValid).toBe(false)
    expect(faults).toMatchObject([
      { instancePath: '', message: expect.stringContaining('takes more than 1 second to check') },
    ])
    expect(milliseconds).toBeGreaterThan(900)
    expect(milliseconds).toBeLessThan(5000)
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
    const check = createCheck({ type: 'string', pattern: '^(a+)+$' }, (one) => ajv.compile(one))

    const ended = check(`${'a'.repeat(60)}!`)
    const wrong = check('b'.repeat(20))
    const [fault] = check.errors ?? []

    expect([ended, wrong, check('a'.repeat(20))]).toEqual([false, false, true])
    expect(fault?.message).toBe('must match pattern "^(a+)+$"')
  })
})

describe('the time is watched', () => {
  test.each<[pattern: string, isWatched: boolean]>([
    ['^[A-Z]{2}\\d{4}$', false],
    ['^[0-9a-f]{8}-[0-9a-f]{4}$', false],
    ['^a*$', false],
    ['^\\d{1,14}$', false],
    ['^Bearer ', false],
    ['a+', true],
    ['^a+b+$', true],
    ['^(a?){50}$', true],
    ['^(a|b)$', true],
    ['^\\p{L}+$', true],
  ])('for the pattern %s: %s', (pattern, isWatched) => {
    expect(isCostly({ allOf: [{ properties: { of: { pattern } } }] })).toBe(isWatched)
    expect(isCostly({ patternProperties: { [pattern]: {} } })).toBe(isWatched)
  })

  test.each<[schema: Schema, isWatched: boolean]>([
    [{ type: 'string', format: 'uri' }, false],
    [{ uniqueItems: true, items: { type: 'string' } }, false],
    [{ uniqueItems: true, items: { type: 'object' } }, true],
    [{ uniqueItems: true }, true],
  ])('for %j: %s', (schema, isWatched) => {
    expect(isCostly(schema)).toBe(isWatched)
  })
})

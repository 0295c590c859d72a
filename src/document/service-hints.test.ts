import { describe, expect, test } from 'vitest'
import { readServiceHints } from './service-hints.ts'

const PLANS = { free: { minute: 60, day: 1000 } }

function hintsOf(value: unknown): ReturnType<typeof readServiceHints> {
  return readServiceHints({ 'x-sandbox': value })
}

describe('the hints for the service', () => {
  test('are read from the root of the document', () => {
    const value = {
      auth: 'keys',
      plans: PLANS,
      keys: { sk_free: { plan: 'free' }, sk_spent: { plan: 'free', always: 'rate-limited' } },
      ban: { refusals: 3 },
      bodyLimit: 1024,
      unknownProperties: 'drop',
    }

    expect(hintsOf(value)).toEqual({ hints: value, mistakes: [] })
  })

  test('are absent without the extension', () => {
    expect(readServiceHints({ info: {} })).toBeUndefined()
  })

  test.each([
    ['an unknown field', { athu: 'keys' }, ['athu'], 'auth'],
    ['an unknown mode', { auth: 'kyes' }, ['auth'], 'keys'],
    ['a plan without a window', { plans: { free: { minute: 1 } } }, ['plans', 'free', 'day']],
    [
      'a plan of no requests',
      { plans: { free: { minute: 0, day: 1 } } },
      ['plans', 'free', 'minute'],
    ],
    [
      'a key of an unknown plan',
      { plans: PLANS, keys: { k: { plan: 'fre' } } },
      ['keys', 'k', 'plan'],
      'free',
    ],
    ['a key with a space', { plans: PLANS, keys: { 'a b': { plan: 'free' } } }, ['keys', 'a b']],
    [
      'an unknown outcome',
      { plans: PLANS, keys: { k: { plan: 'free', always: 'band' } } },
      ['keys', 'k', 'always'],
      'banned',
    ],
    ['a ban that is a text', { ban: 'never' }, ['ban']],
    ['a body limit of 0', { bodyLimit: 0 }, ['bodyLimit']],
    ['an unknown treatment', { unknownProperties: 'dorp' }, ['unknownProperties'], 'drop'],
    ['a list', [], []],
  ])('report %s, with its place', (_, value, path, suggestion?: string) => {
    expect(hintsOf(value)?.mistakes).toEqual([
      expect.objectContaining({
        pointer: ['x-sandbox', ...path],
        ...(suggestion && { suggestion }),
      }),
    ])
  })

  test('are used without those that are wrong', () => {
    const value = {
      auth: 'kyes',
      plans: { ...PLANS, gold: { minute: 'many' } },
      keys: { good: { plan: 'free' }, bad: { plan: 'silver' } },
      ban: false,
    }

    expect(hintsOf(value)?.hints).toEqual({
      plans: PLANS,
      keys: { good: { plan: 'free' } },
      ban: false,
    })
  })

  test('may have names that objects inherit', () => {
    const value = JSON.parse('{ "plans": { "__proto__": { "minute": 1, "day": 2 } } }')

    expect(Object.entries(hintsOf(value)?.hints.plans ?? {})).toEqual([
      ['__proto__', { minute: 1, day: 2 }],
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { describeSuggestion, suggest, UsageError, unknownName } from './usage-error.ts'

describe('a UsageError', () => {
  it('has its details as fields, and builds its message from them', () => {
    const cause = new Error('why')

    const error = new UsageError({
      code: 'invalid_duration',
      task: 'read the duration "1x"',
      reason: 'it is not a duration',
      help: 'Write 61s.',
      location: 'body.latency',
      cause,
    })

    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'UsageError',
      code: 'invalid_duration',
      task: 'read the duration "1x"',
      reason: 'it is not a duration',
      help: 'Write 61s.',
      location: 'body.latency',
      message: 'Cannot read the duration "1x": it is not a duration (body.latency). Write 61s.',
      cause,
    })
  })

  it('suggests the nearest known name as a field and in its help', () => {
    const error = new UsageError({
      code: 'unknown_plan',
      task: 'find the plan',
      ...unknownName('plan', 'fre', ['free', 'pro']),
    })

    expect(error).toMatchObject({
      suggestion: 'free',
      allowed: ['free', 'pro'],
      reason: 'unknown plan "fre"',
      help: 'Did you mean "free"?',
      message: 'Cannot find the plan: unknown plan "fre". Did you mean "free"?',
    })
  })

  it('does not repeat a location that its reason names', () => {
    const reason = 'rules[0].times must be an integer ≥ 1 (got 0)'

    const error = new UsageError({
      code: 'invalid_rule',
      task: 'force "slow"',
      reason,
      location: 'rules[0].times',
    })

    expect(error.message).toBe(`Cannot force "slow": ${reason}.`)
    expect(error.location).toBe('rules[0].times')
  })

  it('lists the first twenty of several mistakes, each on a line, and has all as data', () => {
    const errors = Array.from({ length: 22 }, (_, at) => ({
      reason: `mistake ${at}`,
      location: `a.yaml:${at}:1`,
      help: 'Correct it.',
    }))

    const error = new UsageError({
      code: 'invalid_contract',
      task: 'load a.yaml',
      reason: 'mistake 0',
      errors,
    })

    expect(error.errors).toEqual(errors)
    expect(error.message.split('\n')).toEqual([
      'Cannot load a.yaml: 22 mistakes.',
      ...errors.slice(0, 20).map((_, at) => `  mistake ${at} (a.yaml:${at}:1). Correct it.`),
      '  … and 2 more.',
    ])
  })

  it('can be built again from its fields', () => {
    const error = new UsageError({
      code: 'unknown_plan',
      task: 'find the plan',
      ...unknownName('plan', 'fre', ['free', 'pro']),
    })

    expect(new UsageError({ ...error }).message).toBe(error.message)
  })
})

describe('a suggestion', () => {
  const plans = ['free', 'pro', 'business', 'enterprise']

  it.each<[word: string, known: readonly string[], text: string]>([
    ['fre', plans, 'Did you mean "free"?'],
    ['FREE', plans, 'Did you mean "free"?'],
    ['buisness', plans, 'Did you mean "business"?'],
    ['maxseconds', ['seconds', 'maxSeconds'], 'Did you mean "maxSeconds"?'],
    ['gold', plans, 'Known: free, pro, business, enterprise.'],
    ['', plans, 'Known: free, pro, business, enterprise.'],
    ['free', [], 'There are none.'],
    ['gold', ['a, b', 'cart', 'say "x"'], 'Known: "a, b", cart, "say \\"x\\"".'],
    ['gold', Array.from({ length: 450 }, () => 'x'), `Known: ${'x, '.repeat(19)}x and 430 more.`],
    ['gold', ['x'.repeat(81), 'y'.repeat(80)], `Known: ${'x'.repeat(80)}…, ${'y'.repeat(80)}.`],
  ])('for %j among %j is %s', (word, known, text) => {
    expect(describeSuggestion(suggest(word, known))).toBe(text)
  })

  it('is data: the nearest name, and all names', () => {
    expect(suggest('fre', plans)).toEqual({ suggestion: 'free', allowed: plans })
    expect(suggest('gold', plans)).toEqual({ allowed: plans })
  })
})

import { describe, expect, it } from 'vitest'
import { suggest, UsageError } from './usage-error.ts'

describe('a suggestion', () => {
  const plans = ['free', 'pro', 'business', 'enterprise']

  it.each<[word: string, known: readonly string[], text: string]>([
    ['fre', plans, 'Did you mean "free"?'],
    ['FREE', plans, 'Did you mean "free"?'],
    ['buisness', plans, 'Did you mean "business"?'],
    ['maxseconds', ['seconds', 'maxSeconds'], 'Did you mean "maxSeconds"?'],
    ['gold', plans, 'Known: free, pro, business, enterprise.'],
    ['', plans, 'Known: free, pro, business, enterprise.'],
    ['free', [], 'Known: none.'],
    ['gold', ['a, b', 'cart', 'say "x"'], 'Known: "a, b", cart, "say \\"x\\"".'],
    ['gold', ['x'.repeat(81), 'y'.repeat(80)], `Known: ${'x'.repeat(80)}…, ${'y'.repeat(80)}.`],
  ])('for %j among %j is %s', (word, known, text) => {
    expect(suggest(word, known)).toBe(text)
  })
})

describe('a UsageError', () => {
  it('carries a code, a message and its cause', () => {
    const cause = new Error('why')

    const error = new UsageError('unknown_plan', 'Cannot do it.', { cause })

    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'UsageError',
      code: 'unknown_plan',
      message: 'Cannot do it.',
      cause,
    })
    expect(String(error)).toBe('UsageError: Cannot do it.')
  })
})

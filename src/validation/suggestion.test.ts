import { describe, expect, it } from 'vitest'
import { describeSuggestion, suggest } from './suggestion.ts'

describe('a suggestion', () => {
  const plans = ['free', 'pro', 'business', 'enterprise']

  it.each<[word: string, known: readonly string[], text: string]>([
    ['fre', plans, 'Did you mean "free"?'],
    ['FREE', plans, 'Did you mean "free"?'],
    ['buisness', plans, 'Did you mean "business"?'],
    ['maxseconds', ['seconds', 'maxSeconds'], 'Did you mean "maxSeconds"?'],
    ['gold', plans, 'Known: free, pro, business, enterprise.'],
    ['', plans, 'Known: free, pro, business, enterprise.'],
    ['free', [], 'There are none. Add one first.'],
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

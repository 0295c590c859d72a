import { describe, expect, it } from 'vitest'
import { frozen } from '../testing/frozen.ts'
import type { Outcome } from './outcomes.ts'
import {
  decideForced,
  type ForcedDecision,
  type ForcedEffect,
  type ForceRule,
  type ForcibleRequest,
  type RuleState,
} from './rules.ts'

const REQUEST: ForcibleRequest = {
  path: '/books/7',
  operation: { id: 'getBook', method: 'GET' },
  account: 'sk_free',
}

function ruleOf(given: ForceRule, more: Partial<RuleState> = {}): RuleState {
  return { id: 1, outcome: 'unavailable', given, matched: 0, forced: 0, random: 7, ...more }
}

/** Decides twice, by values that cannot be changed, and expects the same decision. */
function decide(rules: readonly RuleState[]): ForcedDecision {
  const first = decideForced(frozen(rules), frozen(REQUEST))

  expect(decideForced(frozen(rules), frozen(REQUEST))).toEqual(first)
  return first
}

describe('a rule', () => {
  it.each<[given: ForceRule, isForced: boolean]>([
    [{}, true],
    [{ operation: 'getBook' }, true],
    [{ operation: 'listBooks' }, false],
    [{ method: 'GET' }, true],
    [{ method: 'POST' }, false],
    [{ key: 'sk_free' }, true],
    [{ key: 'sk_pro' }, false],
    [{ path: '/books/7' }, true],
    [{ path: '/books/*' }, true],
    [{ path: '/books/{bookId}' }, true],
    [{ path: '/books' }, false],
    [{ operation: 'getBook', path: '/books/8' }, false],
  ])('%j is forced on the request: %s', (given, isForced) => {
    const { effect, rules } = decide([ruleOf(given)])

    expect(effect !== undefined).toBe(isForced)
    expect(rules).toMatchObject([{ matched: Number(isForced), forced: Number(isForced) }])
  })

  it('skips as many requests as it says', () => {
    const { effect, rules } = decide([ruleOf({ skip: 2 }, { matched: 1 })])

    expect(effect).toBeUndefined()
    expect(rules).toMatchObject([{ matched: 2, forced: 0 }])
    expect(decide(rules).effect).toEqual({ outcome: 'unavailable' })
  })

  it('is removed after it was forced as often as `times` says', () => {
    const { effect, rules } = decide([ruleOf({ times: 2 }, { matched: 1, forced: 1 })])

    expect(effect).toEqual({ outcome: 'unavailable' })
    expect(rules).toEqual([])
  })

  it('with a probability continues its own sequence of random numbers', () => {
    const effects: boolean[] = []
    let rules: readonly RuleState[] = [ruleOf({ probability: 0.5 })]
    for (let request = 0; request < 100; request += 1) {
      const decided = decide(rules)
      effects.push(decided.effect !== undefined)
      rules = decided.rules
    }
    const forced = effects.filter(Boolean).length

    expect(forced).toBeGreaterThan(30)
    expect(forced).toBeLessThan(70)
    expect(rules).toMatchObject([{ matched: 100, forced }])
  })
})

describe('an effect', () => {
  it.each<[outcome: Outcome, given: ForceRule, effect: ForcedEffect]>([
    ['rate-limited', { retryAfter: 5 }, { outcome: 'rate-limited', retryAfter: 5 }],
    ['unavailable', { latency: '20ms' }, { outcome: 'unavailable', latency: 20 }],
    ['slow', {}, { outcome: 'slow', latency: 1000 }],
    ['slow', { latency: 5 }, { outcome: 'slow', latency: 5 }],
  ])('of %s with %j is %j', (outcome, given, effect) => {
    expect(decide([ruleOf(given, { outcome })]).effect).toEqual(effect)
  })
})

describe('several rules', () => {
  const slow = ruleOf({ latency: 30 }, { id: 1, outcome: 'slow' })
  const first = ruleOf({}, { id: 2 })
  const second = ruleOf({}, { id: 3, outcome: 'banned' })

  it('have the effect of the first one that applies', () => {
    const { effect, rules } = decide([first, second])

    expect(effect).toEqual({ outcome: 'unavailable' })
    expect(rules).toMatchObject([
      { id: 2, matched: 1 },
      { id: 3, matched: 0 },
    ])
  })

  it('add the latency of a slow rule', () => {
    const { effect, rules } = decide([slow, first, second])

    expect(effect).toEqual({ outcome: 'unavailable', latency: 30 })
    expect(rules).toMatchObject([{ forced: 1 }, { forced: 1 }, { forced: 0 }])
  })

  it('leave rules that do not match unchanged', () => {
    const other = ruleOf({ path: '/nowhere' })

    expect(decide([other]).rules[0]).toBe(other)
  })
})

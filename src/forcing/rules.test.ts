import { describe, expect, it } from 'vitest'
import { frozen } from '../testing/frozen.ts'
import type { ForceRule, RequestPart } from './force-rule.ts'
import type { Outcome } from './outcomes.ts'
import {
  decideForced,
  type ForcedDecision,
  type ForcedEffect,
  type ForcibleRequest,
  type RuleState,
} from './rules.ts'

const REQUEST: ForcibleRequest = {
  path: '/books/7',
  operation: { id: 'getBook', method: 'GET' },
  account: 'sk_free',
}

function ruleOf(given: ForceRule, more: Partial<RuleState> = {}): RuleState {
  const rule: ForceRule = { outcome: 'unavailable', ...given }
  return { id: 1, given: rule, matched: 0, forced: 0, random: 7, ...more }
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
    expect(decide([ruleOf({ outcome, ...given })]).effect).toEqual(effect)
  })
})

describe('several rules', () => {
  const slow = ruleOf({ outcome: 'slow', latency: 30 }, { id: 1 })
  const first = ruleOf({}, { id: 2 })
  const second = ruleOf({ outcome: 'banned' }, { id: 3 })

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

describe('a series', () => {
  /** The effects on one request after another. */
  function effectsOf(given: ForceRule, count: number): (ForcedEffect | undefined)[] {
    let rules: readonly RuleState[] = [{ id: 1, given, matched: 0, forced: 0, random: 7 }]
    return Array.from({ length: count }, () => {
      const decided = decide(rules)
      rules = decided.rules
      return decided.effect
    })
  }
  const statusesOf = (effects: readonly (ForcedEffect | undefined)[]) =>
    effects.map((effect) => effect?.answer?.status ?? effect?.outcome)

  it('answers one request after another, and its last answer stays', () => {
    const effects = effectsOf({ series: [503, 'rate-limited', { status: 409 }] }, 5)

    expect(statusesOf(effects)).toEqual([503, 'rate-limited', 409, 409, 409])
  })

  it('leaves requests to the service by `next`', () => {
    const effects = effectsOf({ series: [503, 'next', 500, 'next'] }, 6)

    expect(statusesOf(effects)).toEqual([503, undefined, 500, undefined, undefined, undefined])
  })

  it('begins after the requests that are skipped', () => {
    expect(statusesOf(effectsOf({ skip: 1, series: [500, 503] }, 3))).toEqual([undefined, 500, 503])
  })

  it('ends after it was forced as often as `times` says', () => {
    const effects = effectsOf({ series: [500, 'next', 503], times: 2 }, 4)

    expect(statusesOf(effects)).toEqual([500, undefined, 503, undefined])
  })

  it('adds the headers, the latency and the fault of the rule to each answer', () => {
    const given = { series: [503, { status: 409, headers: { b: '3' } }, 'next'] } as const
    const common = { headers: { a: '1', b: '2' }, latency: 20, retryAfter: 4 }
    const [first, second, third] = effectsOf({ ...given, ...common, fault: 'truncated' }, 3)

    expect(first).toEqual({
      answer: { status: 503, headers: { a: '1', b: '2' }, fault: 'truncated' },
      retryAfter: 4,
      latency: 20,
    })
    expect(second).toEqual({
      answer: { status: 409, headers: { a: '1', b: '3' }, fault: 'truncated' },
      latency: 20,
    })
    expect(third).toBeUndefined()
  })
})

describe('a flow', () => {
  const opening = ruleOf({ flow: 'door', from: 'start', to: 'open' }, { id: 1, state: 'start' })
  const closing = ruleOf(
    { outcome: 'banned', flow: 'door', from: 'open', to: 'start' },
    { id: 2, state: 'start' },
  )
  const other = ruleOf({ flow: 'window', from: 'open' }, { id: 3, state: 'start' })

  it('has rules that match in a state and lead to the next one', () => {
    const first = decide([opening, closing, other])
    const second = decide(first.rules)
    const third = decide(second.rules)

    expect(first.effect).toEqual({ outcome: 'unavailable' })
    expect(first.rules.map(({ state }) => state)).toEqual(['open', 'open', 'start'])
    expect(second.effect).toEqual({ outcome: 'banned' })
    expect(third.effect).toEqual({ outcome: 'unavailable' })
    expect(third.rules.map(({ matched }) => matched)).toEqual([2, 1, 0])
  })

  it('is moved by a rule without an answer, which leaves the answer to later rules', () => {
    const given: ForceRule = { flow: 'door', from: 'start', to: 'open' }
    const moving = { id: 1, given, matched: 0, forced: 0, random: 7, state: 'start' }

    expect(decide([moving, closing])).toMatchObject({
      rules: [
        { state: 'open', forced: 1 },
        { state: 'open', matched: 0 },
      ],
      effect: undefined,
    })
    expect(decide([moving, ruleOf({}, { id: 4 })]).effect).toEqual({ outcome: 'unavailable' })
  })

  it('is not moved by a rule that was not forced', () => {
    const { rules } = decide([{ ...opening, given: { ...opening.given, skip: 1 } }, closing])

    expect(rules.map(({ state }) => state)).toEqual(['start', 'start'])
  })

  it('goes on when the rule that moved it is removed', () => {
    const { rules } = decide([{ ...opening, given: { ...opening.given, times: 1 } }, closing])

    expect(rules).toMatchObject([{ id: 2, state: 'open' }])
  })
})

describe('a condition on what a request contains', () => {
  const request = (more: Partial<ForcibleRequest>): ForcibleRequest => ({ ...REQUEST, ...more })
  const isForced = (given: ForceRule, asked: ForcibleRequest): boolean =>
    decideForced([ruleOf(given)], asked).effect !== undefined

  it.each<[where: RequestPart, query: string, isForced: boolean]>([
    [{ query: { a: 1 } }, 'a=1', true],
    [{ query: { a: '1', b: true } }, 'b=true&a=1&c=3', true],
    [{ query: { a: 1 } }, 'a=2&a=1', true],
    [{ query: { a: 1 } }, 'a=2', false],
    [{ query: { a: 1 } }, '', false],
    [{ query: { 'a b': 'ü' } }, 'a+b=%C3%BC', true],
  ])('%j is true for the query %s: %s', (where, query, expected) => {
    expect(isForced({ where }, request({ query }))).toBe(expected)
  })

  it.each<[part: unknown, body: unknown, isForced: boolean]>([
    [{ label: 'x' }, { label: 'x', colour: 'red' }, true],
    [{ label: 'x' }, { label: 'y' }, false],
    [{ label: 'x' }, undefined, false],
    [{ author: { name: 'Ada' } }, { author: { name: 'Ada', born: 1815 } }, true],
    [{ author: { name: 'Ada' } }, { author: null }, false],
    [{ tags: ['a', { b: 1 }] }, { tags: ['a', { b: 1, c: 2 }] }, true],
    [{ tags: ['a'] }, { tags: ['a', 'b'] }, false],
    [{ note: null }, { note: null }, true],
    [{ note: null }, {}, false],
    [{ constructor: 'x' }, {}, false],
    ['text', 'text', true],
  ])('%j is a part of the body %j: %s', (part, body, expected) => {
    expect(isForced({ where: { body: part } }, request({ body }))).toBe(expected)
  })

  it('on a tag is true for operations with the tag', () => {
    const tagged = { ...REQUEST.operation, tags: ['Books', 'Shop'] }

    expect(isForced({ tag: 'Shop' }, request({ operation: tagged }))).toBe(true)
    expect(isForced({ tag: 'Shop' }, REQUEST)).toBe(false)
  })
})

import type { Keys } from '../access/keys.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { PathPattern } from '../contract/path-pattern.ts'
import { Random, randomBetween } from '../generate/random.ts'
import { type DurationRange, spanOf } from '../time/duration.ts'
import { requireObject, UsageError, unknownName } from '../validation/usage-error.ts'
import type { Outcome } from './outcomes.ts'
import { checkedOutcome, rulePattern, withoutBasePath } from './rule-check.ts'

/** A rule in force, and what it has done so far. */
export interface ForcedOutcome extends ForceRule {
  /** The id by which `unforce` removes it; counts from 1. */
  readonly id: number
  readonly outcome: Outcome
  /** How many requests matched it. */
  readonly matched: number
  /** How many requests it was forced on. */
  readonly forced: number
}

/** The rules in force, with the state of their random numbers. */
export interface RulesSnapshot {
  /** The id of the latest rule, removed or not. The random numbers of the next rule depend on it. */
  readonly last: number
  readonly list: readonly (ForcedOutcome & { readonly random: number })[]
}

/** Keeps the rules that force outcomes, in the order of their ids. */
export class Rules {
  readonly #seed: number
  #rules: readonly RuleState[] = []
  #last = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Adds a rule after the others. Throws a UsageError for an outcome or a rule that is not valid. */
  add(outcome: string, given: ForceRule, contract: Contract, keys: Keys): ForcedOutcome {
    requireObject('force an outcome', given)
    const checked = checkedOutcome(outcome, given, contract, keys)
    const { path } = given
    const rule =
      path === undefined
        ? { ...given }
        : { ...given, path: withoutBasePath(path, contract.basePath) }
    const id = this.#last + 1
    const random = Math.imul(this.#seed + id, 0x9e3779b1)
    const state = { id, outcome: checked, given: rule, matched: 0, forced: 0, random }
    this.#last = id
    this.#rules = [...this.#rules, state]

    return toForcedOutcome(state)
  }

  list(): readonly ForcedOutcome[] {
    return this.#rules.map(toForcedOutcome)
  }

  /** Removes one rule, or all. Throws a UsageError for an unknown id. */
  remove(id?: number): void {
    const kept = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id)
    if (id !== undefined && kept.length === this.#rules.length) {
      const known = this.#rules.map((rule) => String(rule.id))
      throw new UsageError({
        code: 'unknown_rule',
        task: 'remove the forced outcome',
        ...unknownName('forced outcome', String(id), known),
      })
    }
    this.#rules = kept
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0
  }

  /** Decides by the rules what is forced on a request, and keeps the rules after it. */
  decide(decision: (rules: readonly RuleState[]) => ForcedDecision): ForcedEffect | undefined {
    const { rules, effect } = decision(this.#rules)
    this.#rules = rules

    return effect
  }

  /** The rules by their ids. */
  read(): ReadonlyMap<number, RuleState> {
    return new Map(this.#rules.map((rule) => [rule.id, rule]))
  }

  put(id: number, rule: RuleState | undefined): void {
    const others = this.#rules.filter((other) => other.id !== id)
    this.#rules = rule ? [...others, rule].sort((one, other) => one.id - other.id) : others
  }

  snapshot(): RulesSnapshot {
    const list = this.#rules.map((rule) => ({ ...toForcedOutcome(rule), random: rule.random }))
    return { last: this.#last, list }
  }

  /**
   * Restores rules without checking them: they were valid, but the key of a rule may have been removed since. Ids that do not
   * ascend are replaced.
   */
  restore({ last, list }: RulesSnapshot): void {
    this.#last = 0
    this.#rules = list.map(({ id, outcome, matched, forced, random, ...given }) => {
      this.#last = Math.max(this.#last + 1, id)
      return { id: this.#last, outcome, given, matched, forced, random: random | 0 }
    })
    this.#last = Math.max(this.#last, last)
  }
}

function toForcedOutcome({ id, outcome, given, matched, forced }: RuleState): ForcedOutcome {
  return { id, outcome, ...given, matched, forced }
}

/** Which requests an outcome is forced on: those that match every given field. */
export interface ForceRule<Operation extends string = string, Key extends string = string> {
  /** The operation's name. By default, every operation. */
  readonly operation?: Operation
  /** A method, such as `POST`. By default, every method. */
  readonly method?: string
  /**
   * A path with or without the base path, such as `/books/7`, `/books/*` or `/books/{bookId}`, with at most 2,000 characters.
   * By default, every path.
   */
  readonly path?: string
  /** The API key of the request. By default, every caller. */
  readonly key?: Key
  /** How many requests it is forced on, an integer ≥ 1. By default, all. */
  readonly times?: number
  /** How many matching requests are skipped first. By default, none. */
  readonly skip?: number
  /** The probability that it is forced on a request, > 0 and ≤ 1, by the sandbox's seed. By default, 1. */
  readonly probability?: number
  /** The `Retry-After` in seconds, at most a year, so that a client under test need not wait for a minute. */
  readonly retryAfter?: number
  /**
   * How long the response is delayed, such as `200ms`, or `100ms..2s` for a different time for each request. By default, one
   * second for `slow`, and no delay for other outcomes.
   */
  readonly latency?: DurationRange
}

/** A rule in force, with what it has done so far, as plain data. */
export interface RuleState {
  readonly id: number
  readonly outcome: Outcome
  /** As the developer gave it: the same object in every later state of the rule. */
  readonly given: ForceRule
  /** How many requests it matched. */
  readonly matched: number
  /** How many requests it was forced on. */
  readonly forced: number
  /** The state of its random numbers. */
  readonly random: number
}

/** What is forced on a request. */
export interface ForcedEffect {
  /** Absent when only a status is forced. */
  readonly outcome?: Outcome
  /** The status that the request itself asked for: that of a documented response. */
  readonly status?: number
  /** Seconds. */
  readonly retryAfter?: number
  /** Milliseconds by which the response is delayed. */
  readonly latency?: number
  /** The value of `Preference-Applied`, when the request itself asked for the outcome. */
  readonly applied?: string
}

/** The parts of a request that rules match. */
export interface ForcibleRequest {
  readonly path: string
  readonly operation: Pick<Operation, 'id' | 'method'>
  readonly account: string
}

/** What is forced on a request, and the rules after it. */
export interface ForcedDecision {
  readonly rules: readonly RuleState[]
  readonly effect: ForcedEffect | undefined
}

/**
 * Decides what the rules force on a request: the effect of the first rule that applies. After a `slow` rule, later rules can
 * apply, too. A rule is removed after it was forced `times` times.
 */
export function decideForced(
  rules: readonly RuleState[],
  request: ForcibleRequest,
): ForcedDecision {
  const next: RuleState[] = []
  let effect: ForcedEffect | undefined
  for (const [at, rule] of rules.entries()) {
    if (!matchesRule(rule, request)) {
      next.push(rule)
      continue
    }
    const applied = applyRule(rule)
    if (applied.rule.forced !== rule.given.times || !applied.effect) next.push(applied.rule)
    if (!applied.effect) continue
    effect = { ...effect, ...applied.effect }
    if (rule.outcome !== 'slow') return { rules: [...next, ...rules.slice(at + 1)], effect }
  }
  return { rules: next, effect }
}

/** Whether a rule is for a request. */
export function matchesRule(
  { given }: Pick<RuleState, 'given'>,
  { path, operation: { id, method }, account }: ForcibleRequest,
): boolean {
  return (
    (given.operation ?? id) === id &&
    (given.method ?? method) === method &&
    (given.key ?? account) === account &&
    (given.path === undefined || patternOf(given.path).match(path) !== undefined)
  )
}

/** Counts a request that the rule matches, and decides whether the rule applies to it. */
function applyRule(rule: RuleState): { readonly rule: RuleState; readonly effect?: ForcedEffect } {
  const { outcome, given } = rule
  const { skip = 0, probability = 1, retryAfter } = given
  const latency = given.latency ?? (outcome === 'slow' ? '1s' : undefined)
  const matched = rule.matched + 1
  if (matched <= skip) return { rule: { ...rule, matched } }
  const random = new Random(rule.random)
  if (probability < 1 && random.next() >= probability) {
    return { rule: { ...rule, matched, random: random.state } }
  }
  const effect: ForcedEffect = {
    outcome,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(latency !== undefined && { latency: randomBetween(spanOf(latency), random) }),
  }
  return { rule: { ...rule, matched, forced: rule.forced + 1, random: random.state }, effect }
}

/** Patterns by the path of their rule. */
const patterns = new Map<string, PathPattern>()
const MAX_PATTERNS = 1000

function patternOf(path: string): PathPattern {
  const known = patterns.get(path)
  if (known) return known
  if (patterns.size === MAX_PATTERNS) patterns.clear()
  // `*` matches a part of one segment, as a parameter does.
  const pattern = rulePattern(path)
  patterns.set(path, pattern)

  return pattern
}

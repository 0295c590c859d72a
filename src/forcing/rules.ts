import type { Keys } from '../access/keys.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import { PathPattern } from '../contract/path-pattern.ts'
import { between, Random } from '../generate/random.ts'
import type { CoreRequest } from '../http/message.ts'
import { type Span, spanOf } from '../time/duration.ts'
import { requireObject, suggest, UsageError } from '../validation/usage-error.ts'
import type { ForceRule } from './force-rule.ts'
import type { Outcome } from './outcomes.ts'
import { checkedOutcome } from './rule-check.ts'

/** A rule in force, and what it has done so far. */
export interface ForcedOutcome extends ForceRule {
  /** What `unforce` takes it back by; counts from 1. */
  readonly id: number
  readonly outcome: Outcome
  /** How many requests fitted it. */
  readonly matched: number
  /** How many requests it was forced on. */
  readonly forced: number
}

/** The rules in force, with the state of their random numbers. */
export interface RulesSnapshot {
  /** The id of the latest rule, in force or not: the random numbers of the next one begin with it. */
  readonly last: number
  readonly list: readonly (ForcedOutcome & { readonly random: number })[]
}

/** What is to happen to a request. */
export interface ForcedEffect {
  readonly outcome: Outcome
  /** Seconds. */
  readonly retryAfter?: number
  /** Milliseconds by which the answer is held back. */
  readonly latency?: number
  /** For `Preference-Applied`, when the request itself wished for it. */
  readonly applied?: string
}

/** A rule that is in force, with what was counted. */
export interface Rule {
  readonly id: number
  readonly outcome: Outcome
  readonly given: ForceRule
  readonly path: PathPattern | undefined
  readonly latency: Span | undefined
  readonly random: Random
  matched: number
  forced: number
}

/** The outcomes that a developer forces, in the order they were asked for. */
export class Rules {
  readonly #seed: number
  #rules: Rule[] = []
  #last = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Adds a rule behind the others. Throws a UsageError for an outcome or a rule that is not valid. */
  add(outcome: string, given: ForceRule, contract: Contract, keys: Keys): ForcedOutcome {
    requireObject('force an outcome', given)
    const { basePath } = contract
    const checked = checkedOutcome(outcome, given, contract, keys)
    const rule = given.path?.startsWith(`${basePath}/`)
      ? { ...given, path: given.path.slice(basePath.length) }
      : { ...given }
    return told(this.#add(checked, rule))
  }

  list(): readonly ForcedOutcome[] {
    return this.#rules.map(told)
  }

  /** Takes back one rule, or all. Throws a UsageError for an unknown id. */
  remove(id?: number): void {
    const kept = id === undefined ? [] : this.#rules.filter((rule) => rule.id !== id)
    if (id !== undefined && kept.length === this.#rules.length) {
      const known = this.#rules.map((rule) => String(rule.id))
      throw new UsageError(
        'unknown_rule',
        `Cannot take back the forced outcome ${id}: there is none of that id. ${suggest(String(id), known)}`,
      )
    }
    this.#rules = kept
  }

  /** What the first rule that applies wishes; a `slow` one lets those after it apply, too. */
  take(request: CoreRequest, operation: Operation, account: string): ForcedEffect | undefined {
    let late: ForcedEffect | undefined
    for (const rule of this.#rules) {
      if (!(fits(rule, request, operation, account) && applies(rule))) continue
      if (rule.forced === rule.given.times) this.#rules = this.#rules.filter((one) => one !== rule)
      const effect = { ...late, ...effectOf(rule) }
      if (rule.outcome !== 'slow') return effect
      late = effect
    }
    return late
  }

  /** The rules as they are now, by their ids. */
  mark(): ReadonlyMap<number, Rule> {
    return new Map(this.#rules.map((rule) => [rule.id, rule]))
  }

  /** Puts rules back, in the order of their ids. */
  put(rules: ReadonlyMap<number, Rule>): void {
    this.#rules = [...rules.values()].sort((one, other) => one.id - other.id)
  }

  snapshot(): RulesSnapshot {
    const list = this.#rules.map((rule) => ({ ...told(rule), random: rule.random.state }))
    return { last: this.#last, list }
  }

  /** Restores rules unchecked: they were valid once, though the key of one may have been removed since. */
  restore({ last, list }: RulesSnapshot): void {
    for (const { id, outcome, matched, forced, random, ...given } of list) {
      this.#last = Math.max(this.#last, id - 1)
      Object.assign(this.#add(outcome, given, random), { matched, forced })
    }
    this.#last = Math.max(this.#last, last)
  }

  #add(outcome: Outcome, given: ForceRule, state?: number): Rule {
    this.#last += 1
    const random = state ?? Math.imul(this.#seed + this.#last, 0x9e3779b1)
    const latency = given.latency ?? (outcome === 'slow' ? '1s' : undefined)
    const rule: Rule = {
      id: this.#last,
      outcome,
      given,
      // `*` stands for a part of one segment, as a parameter does.
      path:
        given.path === undefined ? undefined : new PathPattern(given.path.replace(/\*+/g, '{any}')),
      latency: latency === undefined ? undefined : spanOf(latency),
      random: new Random(random),
      matched: 0,
      forced: 0,
    }
    this.#rules.push(rule)
    return rule
  }
}

function told({ id, outcome, given, matched, forced }: Rule): ForcedOutcome {
  return { id, outcome, ...given, matched, forced }
}

function fits(
  { given, path }: Rule,
  request: CoreRequest,
  { id, method }: Operation,
  account: string,
): boolean {
  return (
    (given.operation ?? id) === id &&
    (given.method ?? method) === method &&
    (given.key ?? account) === account &&
    (path === undefined || path.match(request.path) !== undefined)
  )
}

/** Counts a request that fits, and says whether it is one that the rule is forced on. */
function applies(rule: Rule): boolean {
  const { skip = 0, probability = 1 } = rule.given
  rule.matched += 1
  if (rule.matched <= skip || (probability < 1 && rule.random.next() >= probability)) return false
  rule.forced += 1
  return true
}

function effectOf({ outcome, given: { retryAfter }, latency, random }: Rule): ForcedEffect {
  return {
    outcome,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(latency && { latency: between(latency, random) }),
  }
}

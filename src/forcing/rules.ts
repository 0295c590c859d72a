import type { Keys } from '../access/keys.ts'
import type { Contract } from '../contract/contract.ts'
import { requireObject, UsageError, unknownName } from '../validation/usage-error.ts'
import type { ForcedDecision, ForcedEffect, RuleState } from './decide-forced.ts'
import type { ForceRule } from './force-rule.ts'
import type { Outcome } from './outcomes.ts'
import { checkedOutcome } from './rule-check.ts'
import { withoutBasePath } from './rule-path.ts'

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

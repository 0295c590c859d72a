import type { Operation } from '../contract/contract.ts'
import type { PathPattern } from '../contract/path-pattern.ts'
import { Random, randomBetween } from '../generate/random.ts'
import { spanOf } from '../time/duration.ts'
import type { ForceRule } from './force-rule.ts'
import type { Outcome } from './outcomes.ts'
import { rulePattern } from './rule-path.ts'

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

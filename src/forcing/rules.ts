import type { Keys } from '../access/keys.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { PathPattern } from '../contract/path-pattern.ts'
import { Random, randomBetween } from '../generate/random.ts'
import { spanOf } from '../time/duration.ts'
import { UsageError, unknownName } from '../validation/usage-error.ts'
import { warningsOf } from './answer-check.ts'
import {
  answerAt,
  contains,
  FLOW_START,
  type ForcedAnswer,
  type ForceRule,
  isOwnAnswer,
  leavesAnswer,
} from './force-rule.ts'
import { type DeliveryFault, isOutcomeOf, isSignInOutcome, type Outcome } from './outcomes.ts'
import { checkedRule } from './rule-check.ts'
import { rulePattern } from './rule-path.ts'

/** A rule in force, and what it has done so far. */
export interface ForcedOutcome extends ForceRule {
  /** The id by which `unforce` removes it; counts from 1. */
  readonly id: number
  /** How many requests matched it. */
  readonly matched: number
  /** How many requests it was forced on. */
  readonly forced: number
  /** The present state of its flow; absent without one. */
  readonly state?: string
  /** What the document says otherwise, such as that it has no response with the status; absent when it says nothing. */
  readonly warnings?: readonly string[]
}

/** A rule as it is saved, with the state of its random numbers. */
type SavedRule = Omit<ForcedOutcome, 'warnings'> & { readonly random: number }

/** The rules in force. */
export interface RulesSnapshot {
  /** The id of the latest rule, removed or not. The random numbers of the next rule depend on it. */
  readonly last: number
  readonly list: readonly SavedRule[]
}

/** Keeps the rules that force outcomes, in the order of their ids. */
export class Rules {
  readonly #seed: number
  #rules: readonly RuleState[] = []
  #last = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Adds a rule after the others. Throws a UsageError for a rule that is not valid. */
  add(rule: object, contract: Contract, keys: Keys): ForcedOutcome {
    const given = checkedRule(rule, contract, keys)
    const id = this.#last + 1
    const random = Math.imul(this.#seed + id, 0x9e3779b1)
    const { flow } = given
    const sameFlow = this.#rules.find((other) => other.given.flow === flow)
    const inFlow = flow !== undefined && { state: sameFlow?.state ?? FLOW_START }
    const state: RuleState = { id, given, matched: 0, forced: 0, random, ...inFlow }
    this.#last = id
    this.#rules = [...this.#rules, state]

    return toForcedOutcome(state, contract)
  }

  /** The rules, with what the document says to them. */
  list(contract: Contract): readonly ForcedOutcome[] {
    return this.#rules.map((rule) => toForcedOutcome(rule, contract))
  }

  /** Whether what is forced on a request may depend on its body. */
  readsBody(request: ForcibleRequest): boolean {
    return this.#rules.some(
      (rule) => rule.given.where?.body !== undefined && mayMatch(rule, request),
    )
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

  /** Takes back a rule that was added, as if it had never been. */
  withdraw(id: number): void {
    this.put(id, undefined)
    if (this.#last === id) this.#last -= 1
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
    const list = this.#rules.map(({ id, given, ...state }) => ({ id, ...given, ...state }))
    return { last: this.#last, list }
  }

  /**
   * Restores rules without checking them: they were valid, but the key of a rule may have been removed since. Ids that do not
   * ascend are replaced.
   */
  restore({ last, list }: RulesSnapshot): void {
    this.#last = 0
    this.#rules = list.map(({ id, matched, forced, random, state, ...given }) => {
      this.#last = Math.max(this.#last + 1, id)
      const inFlow = state !== undefined && { state }
      return { id: this.#last, given, matched, forced, random: random | 0, ...inFlow }
    })
    this.#last = Math.max(this.#last, last)
  }
}

function toForcedOutcome(
  { id, given, matched, forced, state }: RuleState,
  contract: Contract,
): ForcedOutcome {
  const warnings = warningsOf(given, contract)
  return {
    ...{ id, ...given, matched, forced },
    ...(state !== undefined && { state }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** A rule in force, with what it has done so far, as plain data. */
export interface RuleState {
  readonly id: number
  /** As the developer gave it: the same object in every later state of the rule. */
  readonly given: ForceRule
  /** How many requests it matched. */
  readonly matched: number
  /** How many requests it was forced on. */
  readonly forced: number
  /** The state of its random numbers. */
  readonly random: number
  /** The state of its flow, the same in all rules of the flow; absent without one. */
  readonly state?: string
}

/** What is forced on a request. */
export interface ForcedEffect {
  /** Absent when no outcome is forced. */
  readonly outcome?: Outcome
  /** A status without an outcome. */
  readonly status?: number
  /** What a rule says about the response; absent when it only has an outcome. */
  readonly answer?: ForcedAnswer
  /** Seconds. */
  readonly retryAfter?: number
  /** Milliseconds by which the response is delayed. */
  readonly latency?: number
  /** The value of `Preference-Applied`, when the request itself asked for the outcome. */
  readonly applied?: string
  /** What happens to the delivery of an event. */
  readonly delivery?: DeliveryFault
}

/** The parts of a delivery that rules match. */
export interface ForcibleDelivery {
  /** The name of the event. */
  readonly event: string
  /** The path of the record of the subscription; absent when it was not a subscription that asked for it. */
  readonly subscription?: string | undefined
}

/** The parts of a request that rules match. */
export interface ForcibleRequest {
  readonly path: string
  readonly operation: Pick<Operation, 'id' | 'method' | 'tags' | 'signIn' | 'isBesideApi'>
  readonly account: string
  /** As in the URL, without the question mark; default: empty. */
  readonly query?: string
  /** The value of the body; absent when no rule depends on it. */
  readonly body?: unknown
}

/** What is forced on a request, and the rules after it. */
export interface ForcedDecision {
  readonly rules: readonly RuleState[]
  readonly effect: ForcedEffect | undefined
}

/**
 * Decides what the rules force on a request: the effect of the first rule that applies. After a rule that only delays the response, or
 * leaves it as it is, later rules can apply, too. A rule is removed after it was forced `times` times.
 */
export function decideForced(
  rules: readonly RuleState[],
  request: ForcibleRequest,
): ForcedDecision {
  return decideBy(rules, (rule) => matchesRule(rule, request))
}

/** Decides what the rules force on the delivery of an event: the effect of the first rule that applies. */
export function decideDelivery(
  rules: readonly RuleState[],
  { event, subscription }: ForcibleDelivery,
): ForcedDecision {
  return decideBy(rules, (rule) => {
    const { given } = rule
    return (
      given.delivery !== undefined &&
      isNamedEvent(event, given.event) &&
      (given.subscription ?? subscription) === subscription &&
      isInState(rule)
    )
  })
}

/** Whether an event has a name, or one that starts with what is before `*`. */
export function isNamedEvent(event: string, name = '*'): boolean {
  return name.endsWith('*') ? event.startsWith(name.slice(0, -1)) : event === name
}

function decideBy(
  rules: readonly RuleState[],
  matches: (rule: RuleState) => boolean,
): ForcedDecision {
  const next: RuleState[] = []
  const flows = new Map<string, string>()
  let effect: ForcedEffect | undefined
  let isDecided = false
  for (const rule of rules) {
    if (isDecided || !matches(rule)) {
      next.push(rule)
      continue
    }
    const applied = applyRule(rule)
    const { flow, to, times } = rule.given
    if (applied.rule.forced !== times || !applied.isForced) next.push(applied.rule)
    if (!applied.isForced) continue
    if (flow !== undefined && to !== undefined) flows.set(flow, to)
    if (applied.effect) effect = { ...delayOf(effect), ...applied.effect }
    isDecided = !leavesAnswer(rule.given)
  }
  return { rules: flows.size === 0 ? next : next.map((rule) => moved(rule, flows)), effect }
}

function delayOf({ latency }: ForcedEffect = {}): Pick<ForcedEffect, 'latency'> {
  return latency === undefined ? {} : { latency }
}

/** The rule in the new state of its flow. */
function moved(rule: RuleState, flows: ReadonlyMap<string, string>): RuleState {
  const state = flows.get(rule.given.flow ?? '')
  return state === undefined || state === rule.state ? rule : { ...rule, state }
}

/** Whether a rule is for a request in the present state of its flow. */
function matchesRule(rule: Pick<RuleState, 'given' | 'state'>, request: ForcibleRequest): boolean {
  const { where } = rule.given
  return (
    mayMatch(rule, request) &&
    isInState(rule) &&
    (where?.body === undefined || contains(request.body, where.body))
  )
}

/** Whether the flow of a rule is in the state in which the rule matches. */
function isInState({ given: { flow, from }, state }: Pick<RuleState, 'given' | 'state'>): boolean {
  return flow === undefined || from === undefined || from === (state ?? FLOW_START)
}

/** Whether a rule is for a request with some body, in some state of its flow. */
export function mayMatch(
  { given }: Pick<RuleState, 'given'>,
  { path, operation, account, query = '' }: ForcibleRequest,
): boolean {
  const { id, method, tags = [] } = operation
  return (
    isForKind(given, operation) &&
    given.delivery === undefined &&
    (given.operation ?? id) === id &&
    (given.method ?? method) === method &&
    (given.key ?? account) === account &&
    (given.tag === undefined || tags.includes(given.tag)) &&
    (given.path === undefined || patternOf(given.path).match(path) !== undefined) &&
    (given.where?.query === undefined || hasParameters(query, given.where.query))
  )
}

/** Outcomes of sign-in are for its endpoints; others are for an endpoint beside the API only where the path of the rule names it. */
function isForKind(
  { outcome, path }: ForceRule,
  { signIn, isBesideApi }: ForcibleRequest['operation'],
): boolean {
  if (outcome !== undefined && isSignInOutcome(outcome))
    return signIn !== undefined && isOutcomeOf(signIn, outcome)
  return !isBesideApi || path !== undefined
}

function hasParameters(query: string, wanted: Readonly<Record<string, unknown>>): boolean {
  const sent = new URLSearchParams(`?${query}`)
  return Object.entries(wanted).every(([name, value]) => sent.getAll(name).includes(String(value)))
}

/** A rule after a request that it matches, and what it forces on it. */
interface AppliedRule {
  readonly rule: RuleState
  /** Whether it is forced on the request. A rule that only moves its flow has no effect then. */
  readonly isForced: boolean
  readonly effect?: ForcedEffect
}

/** Counts a request that the rule matches, and decides whether the rule applies to it. */
function applyRule(rule: RuleState): AppliedRule {
  const { given } = rule
  const { skip = 0, probability = 1 } = given
  const matched = rule.matched + 1
  if (matched <= skip) return { rule: { ...rule, matched }, isForced: false }
  const random = new Random(rule.random)
  if (probability < 1 && random.next() >= probability) {
    return { rule: { ...rule, matched, random: random.state }, isForced: false }
  }
  const answer = answerAt(given, matched - skip - 1)
  if (!answer) return { rule: { ...rule, matched, random: random.state }, isForced: false }
  const { delivery } = given
  const effect = { ...effectOf(answer, random), ...(delivery && { delivery }) }
  const next = { ...rule, matched, forced: rule.forced + 1, random: random.state }

  return { rule: next, isForced: true, ...(Object.keys(effect).length > 0 && { effect }) }
}

function effectOf(answer: ForcedAnswer, random: Random): ForcedEffect {
  const { status, example, body, fields, headers, retryAfter, fault } = answer
  const own: ForcedAnswer = {
    ...(status !== undefined && { status }),
    ...(example !== undefined && { example }),
    ...(body !== undefined && { body }),
    ...(fields && { fields }),
    ...(headers && { headers }),
    ...(fault && { fault }),
  }
  const isOwn = isOwnAnswer(own)
  const isDelay = answer.latency !== undefined && !isOwn
  const outcome = answer.outcome ?? (isDelay ? 'slow' : undefined)
  const latency = answer.latency ?? (outcome === 'slow' ? '1s' : undefined)

  return {
    ...(outcome && { outcome }),
    ...(isOwn && { answer: own }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(latency !== undefined && { latency: randomBetween(spanOf(latency), random) }),
  }
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

import { type Gate, refused, unauthorized } from '../access/admit.ts'
import type { Caller } from '../access/caller.ts'
import { DAY, MINUTE, type Refusal, windowEnd } from '../access/quota.ts'
import type { Operation } from '../contract/contract.ts'
import { removed } from '../contract/deprecation.ts'
import type { Ask } from '../message.ts'
import { type Problem, problems } from '../problem.ts'
import { refuseUnknown, suggest, UsageError, wholeNumber } from '../usage-error.ts'
import type { OpenExchange } from './open-exchange.ts'
import { readPreference } from './preference.ts'

/** How a request can be made to end. */
export type Outcome =
  | 'unauthorized'
  | 'not-found'
  | 'bad-request'
  | 'rate-limited'
  | 'day-exhausted'
  | 'banned'
  | 'removed'
  | 'server-error'
  /** The connection is closed without an answer. */
  | 'reset'

/** When an outcome is forced. */
export interface ForceRule<Operation extends string = string> {
  /** The operation's name; every operation when left out. */
  readonly operation?: Operation
  /** How many requests it is forced on; all of them when left out. */
  readonly times?: number
  /** Seconds for `Retry-After`, so that a client under test need not wait out a minute. */
  readonly retryAfter?: number
}

/** The request whose outcome is forced, for its problem to be told truly. */
interface Forced {
  readonly ask: Ask
  readonly operation: Operation
  readonly caller: Caller
  readonly gate: Gate
  /** Epoch milliseconds. */
  readonly now: number
}

type Wish = { readonly outcome: Outcome; readonly retryAfter?: number; readonly applied?: string }

/** Each outcome as the problem of the real case, made by the function that makes the real one. */
const PROBLEMS: Readonly<Record<Outcome, (forced: Forced, retryAfter?: number) => Problem>> = {
  unauthorized: ({ caller, gate }) =>
    unauthorized(caller.key === 'missing' ? 'missing' : 'invalid', gate.realm),
  'not-found': ({ ask }) => problems.notFound(`There is no ${ask.path}.`),
  'bad-request': () => problems.invalidRequest('The request is not valid: this outcome is forced.'),
  'rate-limited': refusal('minute', ({ now }) => windowEnd(now, MINUTE)),
  'day-exhausted': refusal('day', ({ now }) => windowEnd(now, DAY)),
  banned: refusal('ban', ({ now, gate }) => gate.bans.firstEnd(now)),
  removed: ({ operation, now }) => removed(operation, now),
  'server-error': () => problems.internalError('The service failed: this outcome is forced.'),
  reset: () => problems.connectionReset(),
}

/** Outcomes whose answer has a `Retry-After`. */
const WAITS: ReadonlySet<Outcome> = new Set(['rate-limited', 'day-exhausted', 'banned'])

/** The outcome of a name; throws a UsageError for one that there is not. */
export function toOutcome(name: string): Outcome {
  if (isOutcome(name)) return name
  throw new UsageError(
    'unknown_outcome',
    `Cannot force "${name}": there is no such outcome. ${suggest(name, Object.keys(PROBLEMS))}`,
  )
}

/** The statuses that `Prefer: code=` knows, as Prism's users spell it. */
const BY_CODE: Readonly<Record<number, Outcome>> = {
  400: 'bad-request',
  401: 'unauthorized',
  404: 'not-found',
  429: 'rate-limited',
  500: 'server-error',
}

/** The outcomes that a developer forces, in the order they were asked for. */
export class Outcomes {
  #rules: { readonly outcome: Outcome; readonly rule: ForceRule; left: number }[] = []

  /** Throws a UsageError for fields of other names, and for counts and seconds that are no whole numbers from 1 up. */
  add(outcome: Outcome, rule: ForceRule = {}): void {
    refuseUnknown('force option', rule, ['operation', 'times', 'retryAfter'])
    for (const name of ['times', 'retryAfter'] as const) {
      if (rule[name] !== undefined) wholeNumber(name, rule[name], 1)
    }
    this.#rules.push({ outcome, rule, left: rule.times ?? Number.POSITIVE_INFINITY })
  }

  /** Throws the problem that this request is to end in, if there is one; its own `Prefer` comes first. */
  force(exchange: OpenExchange, operation: Operation, caller: Caller, gate: Gate): void {
    const { ask, time: now } = exchange
    const wish = preferred(exchange) ?? this.#take(operation)
    if (!wish) return
    const problem = PROBLEMS[wish.outcome]({ ask, operation, caller, gate, now }, wish.retryAfter)
    exchange.forced = wish.outcome

    throw wish.applied ? problem.with({ 'Preference-Applied': wish.applied }) : problem
  }

  #take(operation: Operation): Wish | undefined {
    const entry = this.#rules.find(({ rule }) => (rule.operation ?? operation.id) === operation.id)
    if (!entry) return undefined
    entry.left -= 1
    if (entry.left <= 0) this.#rules = this.#rules.filter((other) => other !== entry)

    return {
      outcome: entry.outcome,
      ...(entry.rule.retryAfter !== undefined && { retryAfter: entry.rule.retryAfter }),
    }
  }
}

/** An outcome that is not known, or a code that no outcome has, is ignored and noted. */
function preferred({ ask, note }: OpenExchange): Wish | undefined {
  const preference = readPreference(ask)
  if (!preference) return undefined
  const { outcome = '', code = 0, retryAfter } = preference
  const byCode = BY_CODE[code]
  if (outcome !== '' && !isOutcome(outcome)) note('ignored-preference', `prefer.outcome=${outcome}`)
  else if (outcome === '' && !byCode) note('ignored-preference', `prefer.code=${code}`)
  const wished = isOutcome(outcome) ? outcome : byCode
  if (!wished) return undefined
  const applied = isOutcome(outcome) ? `outcome=${outcome}` : `code=${code}`
  if (retryAfter === undefined || !WAITS.has(wished)) return { outcome: wished, applied }

  return { outcome: wished, applied: `${applied}, retry-after=${retryAfter}`, retryAfter }
}

function refusal(by: Refusal['by'], untilOf: (forced: Forced) => number) {
  return (forced: Forced, retryAfter?: number): Problem => {
    const { caller, now } = forced
    const until = retryAfter === undefined ? untilOf(forced) : now + retryAfter * 1000
    return refused(caller, { by, until }, now)
  }
}

function isOutcome(name: string): name is Outcome {
  return Object.hasOwn(PROBLEMS, name)
}

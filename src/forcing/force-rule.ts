import type { DurationRange } from '../time/duration.ts'
import { isObject } from '../validation/objects.ts'
import { requireObject } from '../validation/usage-error.ts'
import {
  type DeliveryFault,
  type Fault,
  hasRetryAfter,
  isOutcome,
  type Outcome,
  outcomeOf,
} from './outcomes.ts'

/** What a forced response is. What is left out is as the sandbox answers. */
export interface ForcedAnswer {
  /** An outcome with a meaning of its own, such as `rate-limited`; instead of a status. */
  readonly outcome?: Outcome
  /**
   * The status, from 200 to 599. 2xx performs the operation, any other status changes no record. Default: that of the response with the
   * example; with `fields` the document's status for invalid input; else that of the operation.
   */
  readonly status?: number
  /** The name of an example of the document, as in `examples`. */
  readonly example?: string
  /** The body. The members of an object are merged into those of the response, at any depth; another value replaces the body. */
  readonly body?: unknown
  /**
   * What is wrong with the input, by the path of the property, such as `{ label: 'is taken' }`. It is told in the document's form of a
   * validation error. Paths start in the body, or with `query.`, `path.` or `header.`.
   */
  readonly fields?: Readonly<Record<string, string>>
  /** Headers that are added to those of the response, or replace them. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `Retry-After` in seconds, at most a year, so that a client under test need not wait for a minute. */
  readonly retryAfter?: number
  /**
   * How long the response is delayed, such as `200ms`, or `100ms..2s` for a different time for each request. By default, one
   * second for `slow`, and no delay for other outcomes.
   */
  readonly latency?: DurationRange
  /**
   * What happens to the response on its way: `reset` resets the connection, `empty` closes it without a byte, `timeout` leaves it open
   * without a response, `truncated` closes it after half of the body, `slow-bytes` sends the body in ten pieces within a second, and
   * `malformed` breaks its JSON. The operation is performed, unless an outcome or a status refuses it.
   */
  readonly fault?: Fault
}

/** One answer of a series: an outcome or a status, `next` for what is answered without the rule, or more about the answer. */
export type SeriesAnswer = Outcome | 'next' | number | ForcedAnswer

/** What a request has to contain. */
export interface RequestPart {
  /** Query parameters and their values. */
  readonly query?: Readonly<Record<string, string | number | boolean>>
  /** A part of the body: its members have these values, at any depth. */
  readonly body?: unknown
}

/** What is forced, and on which requests: those that match every given field. */
export interface ForceRule<Operation extends string = string, Key extends string = string>
  extends ForcedAnswer {
  /** The operation's name, or its method and path, such as `POST /books`. By default, every operation. */
  readonly operation?: Operation | `${Uppercase<string>} /${string}`
  /** A tag of the document. By default, operations with any tags and without. */
  readonly tag?: string
  /** A method, such as `POST`. By default, every method. */
  readonly method?: string
  /**
   * A path with or without the base path, such as `/books/7`, `/books/*` or `/books/{bookId}`, with at most 2,000 characters.
   * By default, every path.
   */
  readonly path?: string
  /** The API key of the request. By default, every caller. */
  readonly key?: Key
  /** What the request contains. By default, anything. */
  readonly where?: RequestPart
  /** How many requests it is forced on, an integer ≥ 1. By default, all. */
  readonly times?: number
  /** How many matching requests are skipped first. By default, none. */
  readonly skip?: number
  /** The probability that it is forced on a request, > 0 and ≤ 1, by the sandbox's seed. By default, 1. */
  readonly probability?: number
  /** The answers to one matching request after another. The last one stays. */
  readonly series?: readonly SeriesAnswer[]
  /** The name of a sequence of states that rules share. It starts in the state `start`. */
  readonly flow?: string
  /** The state of the flow in which the rule matches. By default, every state. */
  readonly from?: string
  /** The state of the flow after the rule was forced. */
  readonly to?: string
  /**
   * What happens to deliveries of events, instead of to requests. `twice` sends the event again, and `burst` ten times at once. `late` delays
   * it on the sandbox's clock by `latency`, by default an hour; `out-of-order` sends it after the receiver's next event, at the latest after a
   * minute; `never` does not send it. Before the event, `wrong-signature` sends it with a forged signature, `old-timestamp` with a genuine
   * one that is an hour old, and `replay` sends an earlier delivery again as it was. `wrong-content-type` and `cut-body` spoil the first attempt.
   */
  readonly delivery?: DeliveryFault
  /** Only events with this name, such as `order.created` or `order.*`. By default, all. Only with `delivery`. */
  readonly event?: string
  /** Only deliveries to this subscription, by the path of its record, such as `hooks/1`. By default, to all receivers. Only with `delivery`. */
  readonly subscription?: string
}

/** The state in which each flow starts. */
export const FLOW_START = 'start'

/** The rule of the arguments of `force`. Throws a UsageError for other values than objects and the name of an outcome. */
export function toForceRule(answer: string | ForceRule, rule: ForceRule = {}): object {
  const given: unknown = typeof answer === 'string' ? { outcome: answer } : answer
  requireObject('force an outcome', given)
  requireObject('force an outcome', rule)

  return { ...given, ...rule }
}

/** The fields that say what is forced. */
const ANSWER_FIELDS = [
  'outcome',
  'status',
  'example',
  'body',
  'fields',
  'headers',
  'fault',
] as const satisfies readonly (keyof ForcedAnswer)[]

/** The fields of a rule that a series says for each of its answers. */
export const FIELDS_OF_SERIES: readonly (keyof ForcedAnswer)[] = [
  'outcome',
  'status',
  'example',
  'body',
  'fields',
]

/** Whether a rule or an answer says anything about the response, besides when it comes. */
export function answers(rule: ForcedAnswer & Pick<ForceRule, 'series'>): boolean {
  return rule.series !== undefined || ANSWER_FIELDS.some((name) => rule[name] !== undefined)
}

/** Whether a rule does nothing else than to delay the response or to change the state of a flow, so that later rules apply, too. */
export function leavesAnswer(rule: ForceRule): boolean {
  const { outcome = 'slow', delivery, ...others } = rule
  return outcome === 'slow' && delivery === undefined && !answers(others)
}

/** All answers of a rule. */
export function answersOf(rule: ForceRule): readonly ForcedAnswer[] {
  if (!rule.series) return [rule]
  return rule.series.map((_, at) => answerAt(rule, at)).filter((answer) => answer !== undefined)
}

/**
 * What a rule answers to the matching request with this number, which counts from 0 and leaves out what is skipped; `undefined` for the
 * answer without the rule.
 */
export function answerAt(rule: ForceRule, number: number): ForcedAnswer | undefined {
  const { series } = rule
  if (!series) return rule
  const given = series[Math.min(number, series.length - 1)]
  if (given === undefined || given === 'next') return undefined
  const { headers, retryAfter, latency, fault } = rule
  const own = toAnswer(given)
  const outcome = outcomeOf(own)
  const isForRetry = outcome !== undefined && hasRetryAfter(outcome)

  return {
    ...(latency !== undefined && { latency }),
    ...(fault !== undefined && { fault }),
    ...(isForRetry && retryAfter !== undefined && { retryAfter }),
    ...own,
    ...((headers || own.headers) && { headers: { ...headers, ...own.headers } }),
  }
}

function toAnswer(given: SeriesAnswer): ForcedAnswer {
  if (isObject(given)) return given
  if (typeof given === 'number') return { status: given }

  return typeof given === 'string' && isOutcome(given) ? { outcome: given } : {}
}

/** Whether an answer is more than an outcome of which only its waiting times are given. */
export function isOwnAnswer(answer: ForcedAnswer): boolean {
  const { outcome: _, ...others } = answer
  return answers(others)
}

/** What a rule forces, in a few words, such as `409, fields label` or `503, 503, next`. */
export function describeForced(rule: ForceRule): string {
  const { series, flow, to, delivery } = rule
  if (delivery !== undefined) return `delivery ${delivery}`
  const answer = series
    ? `series ${series.map((one) => (isObject(one) ? describeAnswer(one) : one)).join(', ')}`
    : describeAnswer(rule)
  const next = to === undefined ? '' : `${flow} is ${to}`

  return [answer, next].filter((part) => part !== '').join(', ')
}

function describeAnswer({
  outcome,
  status,
  example,
  body,
  fields,
  headers,
  fault,
}: ForcedAnswer): string {
  const parts = [
    outcome ?? status,
    example !== undefined && `example ${example}`,
    fields && `fields ${Object.keys(fields).join(' ')}`,
    body !== undefined && 'body',
    headers && `headers ${Object.keys(headers).join(' ')}`,
    fault,
  ]
  return parts.filter((part) => part !== undefined && part !== false).join(', ')
}

/** Which requests or events a rule is for, besides their operation, such as `tag Books, colour=red`; empty for all. */
export function describeWhere({ tag, where, flow, from, event, subscription }: ForceRule): string {
  const parts = [
    event,
    subscription !== undefined && `to ${subscription}`,
    tag !== undefined && `tag ${tag}`,
    ...Object.entries(where?.query ?? {}).map(([name, value]) => `${name}=${value}`),
    where?.body !== undefined && `body with ${JSON.stringify(where.body)}`,
    from !== undefined && `while ${flow} is ${from}`,
  ]
  return parts.filter((part) => part !== false && part !== undefined).join(', ')
}

/** Whether a value has all members of a part, at any depth. Lists are equal. */
export function contains(value: unknown, part: unknown): boolean {
  if (isObject(part)) {
    return (
      isObject(value) &&
      Object.entries(part).every(([name, one]) =>
        Object.hasOwn(value, name) ? contains(value[name], one) : one === undefined,
      )
    )
  }
  if (Array.isArray(part)) {
    return (
      Array.isArray(value) &&
      value.length === part.length &&
      part.every((one, at) => contains(value[at], one))
    )
  }
  return value === part
}

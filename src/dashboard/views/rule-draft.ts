import type { SandboxClient } from '../../client/sandbox-client.ts'
import { describeWhere, type ForceRule, type SeriesAnswer } from '../../forcing/force-rule.ts'
import {
  DELIVERY_FAULTS,
  hasRetryAfter,
  isOutcome,
  type Outcome,
  outcomeOf,
} from '../../forcing/outcomes.ts'
import { rangeOf } from '../../time/duration.ts'
import { isObject } from '../../validation/objects.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { type AnswerField, EMPTY_ANSWER, readAnswer, readJson } from './answer-fields.tsx'

/** A rule in force, and how often it applied. */
export type ForcedOutcome = Awaited<ReturnType<SandboxClient['forced']>>[number]

/** What each outcome is, in the order of the list. */
export const OUTCOME_TEXTS: Readonly<Record<Outcome, string>> = {
  'server-error': '500, the service fails',
  unavailable: '503 with a Retry-After',
  'rate-limited': '429, the quota of the minute is spent',
  'day-exhausted': '429, the quota of the day is spent',
  banned: '429, the key is banned',
  unauthorized: '401, the key is missing or not valid',
  'bad-request': '400, the input is not valid',
  'not-found': '404, the resource does not exist',
  removed: '404, the operation is past its sunset',
  timeout: 'no response, and the connection stays open',
  reset: 'no response, and the connection is closed',
  malformed: 'the body is not valid JSON',
  truncated: 'the connection is closed after half of the body',
  slow: 'the response is delayed',
  'access-denied': 'sign-in: the user denies access',
  'invalid-grant': 'sign-in: the code or the refresh token is refused',
  'temporarily-unavailable': 'sign-in: the issuer is temporarily unavailable',
  'expired-token': 'sign-in: the access token ends at once',
  'wrong-state': 'sign-in: the browser comes back with another state',
  'rotated-keys': 'sign-in: another key signs',
  'clock-skew': 'sign-in: the clock of the issuer is ten minutes ahead',
}

/** What a rule forces that is no outcome. */
export const KINDS = {
  answer: 'a status, an example, wrong fields, a body, headers or a fault',
  series: 'other answers to one request after another',
  delivery: 'a fault of deliveries of events',
} as const

/** What is typed about the requests or the events, and when they are answered. An empty text is no condition. */
const EMPTY_CONDITIONS = {
  method: '',
  path: '',
  tag: '',
  key: '',
  /** Parameters of the query, one on each line. */
  query: '',
  /** A part of the body, as JSON. */
  content: '',
  times: '',
  skip: '',
  probability: '',
  retryAfter: '',
  latency: '',
  /** The answers of a series, one on each line. */
  series: '',
  delivery: 'twice',
  event: '',
  subscription: '',
  flow: '',
  from: '',
  to: '',
}

/** A field that is typed as text. */
export type DraftField = keyof typeof EMPTY_CONDITIONS | AnswerField

const EMPTY_TEXTS: Readonly<Record<DraftField, string>> = { ...EMPTY_ANSWER, ...EMPTY_CONDITIONS }

/** What is chosen and typed in the form. */
export interface RuleDraft extends Readonly<Record<DraftField, string>> {
  readonly outcome: Outcome | keyof typeof KINDS
  /** A rule is made for each of them; one rule for every operation when there are none. */
  readonly operations: readonly string[]
}

export const EMPTY_DRAFT: RuleDraft = { outcome: 'server-error', operations: [], ...EMPTY_TEXTS }

/** Whether a value is one of what a rule can force. */
export function isForcible(value: string): value is RuleDraft['outcome'] {
  return isOutcome(value) || Object.hasOwn(KINDS, value)
}

/** What is wrong, by field. */
export type DraftErrors = Readonly<Partial<Record<DraftField, string>>>

const NUMBERS = ['times', 'skip', 'retryAfter'] as const

/** The smallest integer that each of these fields takes. */
const SMALLEST: Readonly<Record<(typeof NUMBERS)[number], number>> = {
  times: 1,
  skip: 0,
  retryAfter: 1,
}

/** A part of a rule that was typed, and what cannot be read of it. */
interface ReadPart {
  readonly rule: ForceRule
  readonly errors?: DraftErrors
}

/** The rules of a draft, and what is wrong with it. The sandbox checks the rest. */
export function toRules(draft: RuleDraft): {
  readonly rules: readonly ForceRule[]
  readonly errors: DraftErrors
} {
  const isDelivery = draft.outcome === 'delivery'
  const parts = [
    readForced(draft),
    isDelivery ? { rule: textsOf(draft, ['event', 'subscription']) } : readConditions(draft),
    readExtent(draft),
    { rule: textsOf(draft, ['flow', 'from', 'to']) },
  ]
  const rule: ForceRule = Object.assign({}, ...parts.map((part) => part.rule))
  const { operations } = draft
  const isForAll = isDelivery || operations.length === 0

  return {
    rules: isForAll ? [rule] : operations.map((operation) => ({ ...rule, operation })),
    errors: Object.assign({}, ...parts.map((part) => part.errors)),
  }
}

/** What is forced. */
function readForced(draft: RuleDraft): ReadPart {
  const { outcome } = draft
  if (outcome === 'answer') {
    const { answer, errors } = readAnswer(draft)
    return { rule: answer, errors }
  }
  if (outcome === 'series') return readSeries(draft.series)
  if (outcome !== 'delivery') return { rule: { outcome } }
  const delivery = DELIVERY_FAULTS.find((one) => one === draft.delivery) ?? 'twice'

  return { rule: { delivery } }
}

/** The answers of lines such as `503`, `rate-limited`, `next` or `{ "status": 409 }`. */
function readSeries(text: string): ReadPart {
  const lines = text.split('\n').map((line) => line.trim())
  const answers = lines.filter((line) => line !== '').map(readSeriesAnswer)
  const series = answers.filter((one) => one !== undefined)
  if (series.length > 0 && series.length === answers.length) return { rule: { series } }

  return { rule: {}, errors: { series: 'Each line needs a status, an outcome, next or JSON.' } }
}

function readSeriesAnswer(line: string): SeriesAnswer | undefined {
  if (line === 'next' || isOutcome(line)) return line
  const value = readJson(line)?.value

  return typeof value === 'number' || isObject(value) ? value : undefined
}

/** On which requests it is forced. */
function readConditions(draft: RuleDraft): ReadPart {
  const query = new URLSearchParams(draft.query.trim().replaceAll(/\s*\n\s*/g, '&'))
  const body = readJson(draft.content)
  const where = {
    ...(query.size > 0 && { query: Object.fromEntries(query) }),
    ...(body && { body: body.value }),
  }
  return {
    rule: {
      ...textsOf(draft, ['method', 'path', 'tag', 'key']),
      ...(Object.keys(where).length > 0 && { where }),
    },
    errors: body === null ? { content: 'It is not JSON.' } : {},
  }
}

/** How often and when it is forced. */
function readExtent(draft: RuleDraft): ReadPart {
  const numbers = NUMBERS.filter((name) => isSent(draft, name)).map(
    (name) => [name, Number(draft[name])] as const,
  )
  const wrong = numbers.filter(
    ([name, value]) => !(Number.isSafeInteger(value) && value >= SMALLEST[name]),
  )
  const probability = draft.probability.trim() === '' ? {} : readProbability(draft.probability)
  const latency = readLatency(draft.latency.trim())

  return {
    rule: {
      ...Object.fromEntries(numbers),
      ...(probability.value !== undefined && { probability: probability.value }),
      ...latency.rule,
    },
    errors: {
      ...Object.fromEntries(
        wrong.map(([name]) => [name, `It must be an integer ≥ ${SMALLEST[name]}.`]),
      ),
      ...(probability.error !== undefined && { probability: probability.error }),
      ...(latency.error !== undefined && { latency: latency.error }),
    },
  }
}

/** The fields that are typed, without those that are empty. */
function textsOf(draft: RuleDraft, names: readonly DraftField[]): ForceRule {
  const texts = names.map((name) => [name, draft[name].trim()] as const)
  return Object.fromEntries(texts.filter(([, text]) => text !== ''))
}

/** A probability as it is typed: a number, such as `0.2`, or a percentage, such as `20%`. */
export function readProbability(text: string): {
  readonly value?: number
  readonly error?: string
} {
  const [, digits = '', percent] = /^\s*([\d.]+)\s*(%?)\s*$/.exec(text) ?? []
  const value = Number(digits) / (percent ? 100 : 1)
  if (digits !== '' && value > 0 && value <= 1) return { value }

  return { error: 'Write a number above 0 and up to 1, or a percentage such as 20%.' }
}

/** A Retry-After that was typed for another outcome is not sent. */
function isSent(draft: RuleDraft, name: (typeof NUMBERS)[number]): boolean {
  return draft[name].trim() !== '' && (name !== 'retryAfter' || sendsRetryAfter(draft))
}

/** Whether a draft forces what has a `Retry-After`. */
export function sendsRetryAfter({ outcome, status }: RuleDraft): boolean {
  if (outcome === 'series') return true
  const known = isOutcome(outcome) ? outcome : outcomeOf({ status: Number(status) })
  return outcome !== 'delivery' && known !== undefined && hasRetryAfter(known)
}

/** A delay as it is typed; an empty text is none. */
export function readLatency(text: string): {
  readonly rule?: Pick<ForceRule, 'latency'>
  readonly error?: string
} {
  if (text === '') return {}
  try {
    return { rule: { latency: rangeOf(text) } }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { reason, help } = error
    return { error: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. ${help}`.trim() }
  }
}

/** The field of the form that the sandbox refused; `undefined` when the error is about the whole rule. */
export function fieldOf(error: unknown): DraftField | undefined {
  if (!(error instanceof UsageError) || error.location === undefined) return undefined
  const path = error.location.replace(/^body\./, '')
  const [name = ''] = path
    .replace(/^where\.body/, 'content')
    .replace('where.', '')
    .split(/[.[]/)
  return isDraftField(name) ? name : undefined
}

function isDraftField(name: string): name is DraftField {
  return Object.hasOwn(EMPTY_TEXTS, name)
}

/** On which requests a rule is forced: `every request`, or `listPets, key sk_1, path /pets/*`. */
export function describeConditions(rule: ForcedOutcome): string {
  const { operation, method, path, key } = rule
  const own = [operation, method, path, key && `key ${key}`, describeWhere(rule)]
  return list(own) || 'every request'
}

/** How a rule is forced on these requests, such as `probability 50%, Retry-After 2 s`. */
export function describeSettings(rule: ForcedOutcome): string {
  const { skip, probability, retryAfter, latency } = rule
  return list([
    skip !== undefined && `after ${skip} skipped`,
    probability !== undefined && `probability ${Number((probability * 100).toPrecision(12))}%`,
    retryAfter !== undefined && `Retry-After ${retryAfter} s`,
    latency !== undefined && `delay ${latency}`,
  ])
}

function list(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(', ')
}

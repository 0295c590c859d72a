import { groupBy } from '../validation/objects.ts'
import { count } from '../validation/usage-error.ts'
import { toOneLine } from './format.ts'
import type { ReportEntry } from './report-entry.ts'
import { RECEIVER_RULE_NAMES, type ReceiverRule } from './rules.ts'

/** A delivery of an event, as far as its receiver is judged by it. */
export interface JudgedDelivery {
  readonly id: number
  readonly event: { readonly id: string; readonly type: string; readonly record?: string }
  readonly url: string
  readonly subscription?: string
  readonly fault?: string
  readonly round?: number
  readonly chain?: number
  readonly attempts: readonly JudgedAttempt[]
}

interface JudgedAttempt {
  readonly headers: Readonly<Record<string, string>>
  readonly status?: number
  readonly error?: string
  readonly age?: number
  readonly follows?: number
  readonly precedes?: number
}

/** How a receiver of events behaved, as plain data. */
export interface ReceiverJudgement {
  /** Where its events are sent. */
  readonly url: string
  /** The path of the record of its subscription; absent when it was not a subscription that asked for them. */
  readonly subscription?: string
  /** The number of requests that it got. */
  readonly requests: number
  readonly checks: readonly ReceiverCheck[]
}

/** What a receiver did, by one rule. */
export interface ReceiverCheck {
  readonly rule: ReceiverRule
  /** `not-judged` when nothing happened that shows it. */
  readonly verdict: 'passed' | 'failed' | 'not-judged'
  /** What it did, or why it is not judged. */
  readonly message: string
  /** The ids of the deliveries that violate the rule. */
  readonly deliveries: readonly number[]
}

/** The age in seconds from which receivers refuse a timestamp. */
const MAX_AGE = 300
/** So many times in a row a receiver must cause the event of which it is told, to be in a loop. */
const LOOP = 3
/** So many events in a row that come each while it is told of the one before are such a loop over many records. No more are sent. */
const ENDLESS = 1000

/** Judges the receivers of deliveries, by their responses and by the requests that they sent to this sandbox. */
export function judgeReceivers(
  deliveries: readonly JudgedDelivery[],
  entries: readonly ReportEntry[],
): readonly ReceiverJudgement[] {
  const tried = deliveries.filter(({ attempts }) => attempts.length > 0)
  const byReceiver = groupBy(tried, ({ subscription, url }) => `${subscription} ${url}`)

  return [...byReceiver.values()].map((group) => {
    const [{ url, subscription }] = group
    return {
      url,
      ...(subscription !== undefined && { subscription }),
      requests: group.reduce((sum, { attempts }) => sum + attempts.length, 0),
      checks: RECEIVER_RULE_NAMES.map((rule) => ({ rule, ...CHECKS[rule](group, entries) })),
    }
  })
}

type Result = Omit<ReceiverCheck, 'rule'>
type Check = (group: readonly JudgedDelivery[], entries: readonly ReportEntry[]) => Result

const CHECKS: Readonly<Record<ReceiverRule, Check>> = {
  'event-not-accepted': checkAccepted,
  'accepted-forged': (group) => checkRefused(group, forgedAttempts, 'forged', 'wrong-signature'),
  'accepted-old': (group) => checkRefused(group, oldAttempts, 'old', 'old-timestamp'),
  'confused-by-duplicate': checkDuplicates,
  'event-loop': checkLoop,
}

function passed(message: string): Result {
  return { verdict: 'passed', message, deliveries: [] }
}

function notJudged(message: string): Result {
  return { verdict: 'not-judged', message, deliveries: [] }
}

function failed(message: string, deliveries: readonly JudgedDelivery[]): Result {
  return { verdict: 'failed', message, deliveries: [...new Set(deliveries.map(({ id }) => id))] }
}

function isAccepted({ status = 0 }: JudgedAttempt): boolean {
  return status >= 200 && status < 300
}

/** An attempt with its delivery. */
interface Tried {
  readonly delivery: JudgedDelivery
  readonly attempt: JudgedAttempt
}

/** Faults of which a receiver need not accept every attempt. */
const SPOILT = ['wrong-content-type', 'cut-body']
/** Faults that send what a receiver refuses. */
const REFUSABLE = ['wrong-signature', 'old-timestamp', 'replay']

/** The attempts that a receiver must accept. */
function genuineAttempts(group: readonly JudgedDelivery[]): readonly Tried[] {
  return group
    .filter(({ fault }) => !REFUSABLE.includes(fault ?? ''))
    .flatMap((delivery) =>
      delivery.attempts
        .slice(SPOILT.includes(delivery.fault ?? '') ? 1 : 0)
        .map((attempt) => ({ delivery, attempt })),
    )
}

function checkAccepted(group: readonly JudgedDelivery[]): Result {
  const genuine = genuineAttempts(group)
  if (genuine.length === 0) return notJudged('Nothing was sent that it must accept.')
  const wrong = genuine.filter(({ attempt }) => !isAccepted(attempt))
  if (wrong.length === 0) return passed(`${answered(genuine)} with a 2xx in time.`)
  const reasons = new Set(
    wrong.map(({ attempt: { status, error = '' } }) => toOneLine(String(status ?? error))),
  )
  const message = `${wrong.length} of ${count(genuine.length, 'delivery attempt')} did not get a 2xx in time: ${[...reasons].slice(0, 5).join(', ')}.`

  return failed(
    message,
    wrong.map(({ delivery }) => delivery),
  )
}

function answered({ length }: readonly unknown[]): string {
  return `${count(length, 'delivery attempt')} ${length === 1 ? 'was' : 'were'} answered`
}

/** The attempts whose signature does not fit. The signature of a cut body does not, where the body is signed. */
function forgedAttempts(group: readonly JudgedDelivery[]): readonly Tried[] {
  return group.flatMap((delivery) => {
    const { fault, attempts } = delivery
    const tried = attempts.map((attempt) => ({ delivery, attempt }))
    if (fault === 'wrong-signature') return tried
    const isSigned = (one: Tried): boolean =>
      Object.keys(one.attempt.headers).some((name) => /signature/i.test(name))
    return fault === 'cut-body' ? tried.slice(0, 1).filter(isSigned) : []
  })
}

function oldAttempts(group: readonly JudgedDelivery[]): readonly Tried[] {
  return group.flatMap((delivery) =>
    delivery.attempts
      .filter(({ age = 0 }) => age > MAX_AGE)
      .map((attempt) => ({ delivery, attempt })),
  )
}

function checkRefused(
  group: readonly JudgedDelivery[],
  attemptsIn: (group: readonly JudgedDelivery[]) => readonly Tried[],
  kind: string,
  fault: string,
): Result {
  const tried = attemptsIn(group).filter(({ attempt }) => attempt.status !== undefined)
  if (tried.length === 0) return notJudged(`It got no ${kind} delivery. Force "${fault}".`)
  const wrong = tried.filter(({ attempt }) => isAccepted(attempt))
  const them = `${kind} ${tried.length === 1 ? 'delivery' : 'deliveries'}`
  if (wrong.length === 0) return passed(`It refused ${tried.length} ${them}.`)

  return failed(
    `It accepted ${wrong.length} of ${tried.length} ${them}.`,
    wrong.map(({ delivery }) => delivery),
  )
}

/** The deliveries of one event that the receiver got more than once. */
interface Duplicated {
  readonly event: JudgedDelivery['event']
  readonly tried: readonly Tried[]
}

function duplicatedEvents(group: readonly JudgedDelivery[]): readonly Duplicated[] {
  const sent = group.filter(({ fault }) => fault !== 'wrong-signature' && fault !== 'old-timestamp')
  return [...groupBy(sent, ({ event }) => event.id).values()].flatMap((same) => {
    const [{ event }] = same
    const tried = same.flatMap((delivery) =>
      delivery.attempts.map((attempt) => ({ delivery, attempt })),
    )
    // A receiver that was never reached, or accepts nothing, knows no event that comes again.
    const isKnown = tried.some(({ attempt }) => isAccepted(attempt))
    return isKnown && tried.length > 1 ? [{ event, tried }] : []
  })
}

function checkDuplicates(
  group: readonly JudgedDelivery[],
  entries: readonly ReportEntry[],
): Result {
  const duplicated = duplicatedEvents(group)
  if (duplicated.length === 0)
    return notJudged('It accepted no event that came twice. Force "twice".')
  const refused = duplicated.flatMap(({ tried }) => refusedDuplicates(tried))
  if (refused.length > 0) {
    const statuses = new Set(refused.map(({ attempt }) => attempt.status ?? attempt.error))
    const message = `It did not answer ${count(refused.length, 'duplicate')} with a 2xx: ${toOneLine([...statuses].join(', '))}.`
    return failed(
      message,
      refused.map(({ delivery }) => delivery),
    )
  }
  const called = duplicated.map((one) => ({ ...one, calls: callsAbout(one, entries) }))
  const repeated = called.filter(({ calls }) => calls.some((same) => same.length > 1))
  const [first] = repeated
  if (first) {
    const [call] = first.calls.find((same) => same.length > 1) ?? []
    const example = call
      ? ` For instance, it sent ${call.method} ${toOneLine(call.target)} again.`
      : ''
    const message = `It acted more than once on ${count(repeated.length, 'event')} that came more than once.${example}`
    return failed(
      message,
      repeated.flatMap(({ tried }) => tried.map(({ delivery }) => delivery)),
    )
  }
  const acted = called.filter(({ calls }) => calls.length > 0)
  if (acted.length === 0)
    return notJudged('It accepted duplicates, but sent this sandbox no requests because of them.')
  const unclear = acted.flatMap(({ calls }) => sentAgain(calls))[0]
  if (unclear)
    return notJudged(
      `It sent ${unclear.method} ${toOneLine(unclear.target)} again with another body, which may be because of the duplicate.`,
    )

  return passed(`It acted once on ${count(acted.length, 'event')} that came more than once.`)
}

/** Requests like earlier ones, but for their bodies. */
function sentAgain(calls: readonly (readonly ReportEntry[])[]): readonly ReportEntry[] {
  const first = calls.flatMap(([call]) => call ?? [])
  const isLike = (one: ReportEntry, { method, target }: ReportEntry): boolean =>
    one.method === method && one.target === target
  return first.filter((call, at) => first.slice(0, at).some((one) => isLike(one, call)))
}

/** The duplicates of an accepted event that were not accepted. A receiver may refuse those that are old or spoilt. */
function refusedDuplicates(tried: readonly Tried[]): readonly Tried[] {
  const first = tried.findIndex(({ attempt }) => isAccepted(attempt))
  if (first < 0) return []
  return tried.slice(first + 1).filter(({ delivery: { fault }, attempt }) => {
    const mayRefuse = fault === 'replay' || SPOILT.includes(fault ?? '')
    return !mayRefuse && !isAccepted(attempt)
  })
}

/** The methods of requests that change nothing. */
const SAFE = ['GET', 'HEAD', 'OPTIONS']

/**
 * The requests that change something and that the receiver sent because of an event, the same ones together: those that have the id of the
 * event, and those about its record that came while the receiver was told of it.
 */
function callsAbout(
  { event, tried }: Duplicated,
  entries: readonly ReportEntry[],
): readonly (readonly ReportEntry[])[] {
  const start = Math.min(...tried.map(({ attempt }) => attempt.follows ?? Number.POSITIVE_INFINITY))
  const calls = entries.filter((entry) => {
    const { number = 0, method } = entry
    if (number <= start || SAFE.includes(method)) return false
    if (entry.target.includes(event.id) || entry.body?.includes(event.id)) return true
    const isDuring = tried.some(
      ({ attempt: { follows = number, precedes = 0 } }) => number > follows && number <= precedes,
    )
    return isDuring && isAbout(entry, event.record)
  })
  return [
    ...groupBy(calls, ({ method, target, body }) =>
      JSON.stringify([method, target, body]),
    ).values(),
  ]
}

/** Whether a request is about a record such as `orders/7`: in its path, or by a reference such as `"orderId": 7` in its body. */
function isAbout({ target, body = '' }: ReportEntry, record: string | undefined): boolean {
  if (record === undefined) return false
  const [path = ''] = target.split('?')
  if (`${path}/`.includes(`/${record}/`)) return true
  const [collection = '', id = ''] = record.split('/').slice(-2)
  const name = collection.replace(/(es|s)$/, '')
  const reference = new RegExp(`"${escaped(name)}\\w*"\\s*:\\s*"?${escaped(id)}"?\\s*[,}\\]]`, 'i')
  return reference.test(body)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function checkLoop(group: readonly JudgedDelivery[], entries: readonly ReportEntry[]): Result {
  const looping = group.filter(({ round = 0 }) => round >= LOOP)
  const [first] = looping
  if (first) {
    const most = looping.reduce((max, { round = 0 }) => Math.max(max, round), 0)
    const about = first.event.record === undefined ? '' : ` about ${toOneLine(first.event.record)}`
    const message = `It caused ${toOneLine(first.event.type)}${about} itself ${most} times in a row.`
    return failed(message, looping)
  }
  const endless = group.find(({ chain = 0 }) => chain >= ENDLESS)
  if (endless) {
    const message = `${endless.chain} events in a row came each while a receiver was told of the one before.`
    return failed(message, [endless])
  }
  const calls = group.flatMap((delivery) =>
    callsAbout(
      { event: delivery.event, tried: delivery.attempts.map((attempt) => ({ delivery, attempt })) },
      entries,
    ),
  )
  if (calls.length === 0) return notJudged('It sent this sandbox no requests because of an event.')

  return passed('It did not cause the events of which it was told.')
}

import type { Entry } from './entry.ts'

/** What a client can be found to do. */
export type Rule =
  | 'early-retry'
  | 'during-ban'
  | 'no-back-off'
  | 'no-jitter'
  | 'retry-storm'
  | 'repeated-invalid'
  | 'unauthorized'
  | 'deprecated'
  | 'unknown-parameter'
  | 'dropped-property'
  | 'page-twice'

/** An `error` breaks the specification; a `warning` will hurt; a `note` may be as it is meant. */
export type Severity = 'error' | 'warning' | 'note'

/** One time that a rule was broken. */
export interface Violation {
  readonly rule: Rule
  /** The request that breaks it. */
  readonly entry: Entry
  /** What it has to do with. */
  readonly place?: string
  /** The wait that was asked for, and how much of it had passed, in milliseconds. */
  readonly wait?: { readonly asked: number; readonly passed: number }
}

interface RuleDefinition {
  readonly severity: Severity
  /** What of the specification it is about. */
  readonly clause: string
  /** What a client that keeps it does. */
  readonly expectation: string
  /** What was seen, in one sentence. */
  readonly message: (sightings: readonly Violation[]) => string
}

/** Every rule, the worst first. */
export const RULES: Readonly<Record<Rule, RuleDefinition>> = {
  'early-retry': {
    severity: 'error',
    clause: 'Limits, Behaviour on exceeding, 2',
    expectation: 'waits for Retry-After after a 429',
    message: (all) => `${requests(all)} sent before Retry-After had passed: ${shortest(all)}.`,
  },
  'during-ban': {
    severity: 'error',
    clause: 'Limits, Behaviour on exceeding, 3',
    expectation: 'sends nothing while its key is banned',
    message: (all) => `${requests(all)} sent while the key was banned: ${shortest(all)}.`,
  },
  'no-back-off': {
    severity: 'warning',
    clause: 'Limits, Behaviour on exceeding, 3',
    expectation: 'waits longer after each 429 in a row',
    message: (all) =>
      `The waits between retries do not grow: ${shortest(all)}. Back off exponentially.`,
  },
  'no-jitter': {
    severity: 'note',
    clause: 'Limits, Behaviour on exceeding, 3',
    expectation: 'spreads the retries of several requests',
    message: (all) =>
      `${requests(all)} retried at the same moment after one wait. Add a random part to the wait.`,
  },
  'retry-storm': {
    severity: 'warning',
    clause: 'RFC 9110, section 10.2.3',
    expectation: 'gives a failing service time to recover',
    message: (all) => `${requests(all)} sent again too soon after a failure of the service.`,
  },
  'repeated-invalid': {
    severity: 'warning',
    clause: 'Errors',
    expectation: 'does not repeat a request that was refused as invalid',
    message: (all) =>
      `${requests(all)} sent again unchanged after being refused as invalid: ${places(all)}.`,
  },
  unauthorized: {
    severity: 'warning',
    clause: 'Authentication, 4',
    expectation: 'sends a valid API key',
    message: (all) => `${requests(all)} sent with ${places(all)}.`,
  },
  deprecated: {
    severity: 'warning',
    clause: 'Versioning, 3',
    expectation: 'uses no deprecated operation',
    message: (all) => `${requests(all)} sent to a deprecated operation: ${all[0]?.place}.`,
  },
  'unknown-parameter': {
    severity: 'warning',
    clause: 'Endpoints, Query parameters',
    expectation: 'sends known parameters only',
    message: (all) => `Parameters that the service does not know were ignored: ${places(all)}.`,
  },
  'dropped-property': {
    severity: 'warning',
    clause: 'Resources and their fields',
    expectation: 'sends known properties only',
    message: (all) => `Properties that the service does not know were dropped: ${places(all)}.`,
  },
  'page-twice': {
    severity: 'note',
    clause: 'Limits, Request rate by plan',
    expectation: 'fetches each page of a list once',
    message: (all) => `${requests(all)} sent for a page that had been fetched already.`,
  },
}

/** The rules by name, the worst first. */
export const RULE_NAMES: readonly string[] = Object.keys(RULES)

export function isRule(name: string): name is Rule {
  return Object.hasOwn(RULES, name)
}

/** `1 request was`, `3 requests were`. */
function requests({ length }: readonly Violation[]): string {
  return length === 1 ? '1 request was' : `${length} requests were`
}

/** `query.page (3 times), query.color`. */
function places(all: readonly Violation[]): string {
  const counts = new Map<string, number>()
  for (const { place = '' } of all) {
    const name = toOneLine(place)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const told = [...counts].map(([place, count]) =>
    count > 1 ? `${place} (${count} times)` : place,
  )

  return told.slice(0, 8).join(', ') + (told.length > 8 ? `, and ${told.length - 8} more` : '')
}

/** As much of what a client sent as a line has room for, without what would steer a terminal. */
export function toOneLine(text: string, longest: number = LONGEST): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text
  return short.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

const LONGEST = 80

/** The worst of the waits. */
function shortest(all: readonly Violation[]): string {
  const [first] = all
    .flatMap(({ wait }) => (wait ? [wait] : []))
    .sort((one, other) => one.passed / one.asked - other.passed / other.asked)
  return first
    ? `at worst after ${formatDuration(first.passed)} of ${formatDuration(first.asked)}`
    : 'without a wait'
}

/** Milliseconds for a reader: `12 ms`, `1.5 s`, `4 min`. */
export function formatDuration(length: number): string {
  if (length < 1000) return `${Math.max(0, Math.round(length))} ms`
  if (length < 120_000) return `${Number((length / 1000).toFixed(1))} s`
  if (length < 7_200_000) return `${Math.round(length / 60_000)} min`

  return `${Math.round(length / 3_600_000)} h`
}

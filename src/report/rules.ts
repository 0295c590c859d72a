import type { Note } from '../journal/exchange.ts'
import { groupBy } from '../validation/objects.ts'
import { count, UsageError, unknownName } from '../validation/usage-error.ts'
import { formatDuration, toOneLine } from './format.ts'
import type { ReportEntry } from './report-entry.ts'

/** The name of a rule for clients. */
export type Rule =
  | 'early-retry'
  | 'during-ban'
  | 'never-authorized'
  | 'repeated-at-once'
  | 'no-back-off'
  | 'no-jitter'
  | 'retry-storm'
  | 'repeated-invalid'
  | 'unknown-operation'
  | 'unauthorized'
  | 'deprecated'
  | 'unknown-parameter'
  | 'dropped-property'
  | 'invalid-input'
  | 'page-twice'
  | 'secret-in-url'
  | 'code-reused'
  | 'refresh-token-reused'
  | 'no-pkce'
  | 'token-after-end'
  | 'unused-scopes'

/** The name of a rule for receivers of events. */
export type ReceiverRule =
  | 'event-not-accepted'
  | 'accepted-forged'
  | 'accepted-old'
  | 'confused-by-duplicate'
  | 'event-loop'

/** `error`: breaks HTTP or the contract. `warning`: causes problems later. `note`: may be intended. */
export type Severity = 'error' | 'warning' | 'note'

/** One request that violates a rule. */
export interface Violation {
  readonly rule: Rule
  readonly entry: ReportEntry
  /** What the message quotes, for instance the parameter `query.page`. */
  readonly detail?: string
  /** The requested wait and the actual wait, in milliseconds. */
  readonly wait?: { readonly requested: number; readonly actual: number }
}

interface RuleDefinition {
  readonly severity: Severity
  /** The document or RFC that the rule comes from. */
  readonly clause: string
  /** What a client does that follows the rule; completes the sentence "The client …". */
  readonly expectation: string
  /** Describes all violations of a finding in one or two sentences. */
  readonly message: (violations: readonly Violation[]) => string
}

/** All rules, most severe first. */
export const RULES: Readonly<Record<Rule, RuleDefinition>> = {
  'early-retry': {
    severity: 'error',
    clause: 'RFC 9110, section 10.2.3 (Retry-After)',
    expectation: 'waits for Retry-After after a 429',
    message: (all) =>
      `${count(all.length, 'request')} did not wait for Retry-After. ${shortestWait(all)}`,
  },
  'during-ban': {
    severity: 'error',
    clause: 'RFC 9110, section 10.2.3 (Retry-After)',
    expectation: 'sends no requests while its API key is banned',
    message: (all) =>
      `${requestsWere(all)} sent while the API key was banned. ${shortestWait(all)}`,
  },
  'never-authorized': {
    severity: 'error',
    clause: 'RFC 9110, section 15.5.2 (401 Unauthorized)',
    expectation: 'sends a valid API key',
    message: (all) => `${requestsWere(all)} sent ${details(all)}, and none with a valid one.`,
  },
  'secret-in-url': {
    severity: 'error',
    clause: 'RFC 6749, section 2.3.1 (Client Password)',
    expectation: 'sends secrets and codes in the body, never in a URL',
    message: (all) => `${requestsWere(all)} sent with a secret in the URL, which logs keep.`,
  },
  'code-reused': {
    severity: 'error',
    clause: 'RFC 6749, section 4.1.2 (Authorization Response)',
    expectation: 'uses an authorization code once',
    message: (all) =>
      `${requestsWere(all)} sent with a code that was used before. A service revokes what the code gave.`,
  },
  'refresh-token-reused': {
    severity: 'error',
    clause: 'RFC 9700, section 4.14.2 (Refresh Token Rotation)',
    expectation: 'uses the latest refresh token',
    message: (all) =>
      `${requestsWere(all)} sent with a refresh token that was used before. A service revokes all tokens of the user.`,
  },
  'repeated-at-once': {
    severity: 'warning',
    clause: 'RFC 9110, section 10.2.3 (Retry-After)',
    expectation: 'does not send a request again at once after a 429',
    message: (all) =>
      `${count(all.length, 'request')} came at once after the 429 of the same request. The client did not wait for Retry-After, or sent both before it saw the 429.`,
  },
  'no-back-off': {
    severity: 'warning',
    clause: 'OpenAPI, 429 response',
    expectation: 'waits longer after each 429 in a row',
    message: (all) =>
      `The waits between retries do not grow. ${longestWait(all)} Use exponential back-off.`,
  },
  'no-jitter': {
    severity: 'note',
    clause: 'OpenAPI, 429 response',
    expectation: 'does not retry several requests at the same moment',
    message: (all) =>
      `${requestsWere(all)} retried at the same moment. Add a random delay to each wait.`,
  },
  'retry-storm': {
    severity: 'warning',
    clause: 'RFC 9110, section 10.2.3 (Retry-After)',
    expectation: 'waits before it repeats a request after a server error',
    message: (all) => `${requestsWere(all)} repeated too soon after a server error.`,
  },
  'repeated-invalid': {
    severity: 'warning',
    clause: 'RFC 9110, section 15.5.1 (400 Bad Request)',
    expectation: 'does not repeat an invalid request unchanged',
    message: (all) =>
      `${requestsWere(all)} sent again unchanged, although the service had rejected ${all.length === 1 ? 'it' : 'them'} as invalid: ${details(all)}.`,
  },
  'unknown-operation': {
    severity: 'warning',
    clause: 'OpenAPI, Paths Object',
    expectation: 'uses documented operations only',
    message: (all) =>
      `${requestsWere(all)} sent to a path or with a method that the document does not have: ${details(all)}.`,
  },
  unauthorized: {
    severity: 'warning',
    clause: 'RFC 9110, section 15.5.2 (401 Unauthorized)',
    expectation: 'sends a valid API key',
    message: (all) => `${requestsWere(all)} sent ${details(all)}.`,
  },
  deprecated: {
    severity: 'warning',
    clause: 'RFC 9745 (Deprecation header)',
    expectation: 'does not use deprecated operations',
    message: (all) => `${requestsWere(all)} sent to the deprecated operation ${all[0]?.detail}.`,
  },
  'unknown-parameter': {
    severity: 'warning',
    clause: 'OpenAPI, parameters of the operation',
    expectation: 'sends only documented query parameters',
    message: (all) => `The service ignored unknown query parameters: ${details(all)}.`,
  },
  'dropped-property': {
    severity: 'warning',
    clause: 'OpenAPI, request body of the operation',
    expectation: 'sends only documented properties',
    message: (all) => `The service dropped unknown properties: ${details(all)}.`,
  },
  'invalid-input': {
    severity: 'warning',
    clause: 'OpenAPI, parameters and request body of the operation',
    expectation: 'sends only valid requests',
    message: (all) => `The service accepted what is not valid: ${details(all)}.`,
  },
  'no-pkce': {
    severity: 'warning',
    clause: 'RFC 9700, section 2.1.1 (Authorization Code Grant)',
    expectation: 'uses PKCE',
    message: (all) => `${requestsWere(all)} sent without a code_challenge.`,
  },
  'token-after-end': {
    severity: 'note',
    clause: 'RFC 6749, section 5.1 (expires_in)',
    expectation: 'refreshes a token before it ends',
    message: (all) => `${requestsWere(all)} sent with an access token that had ended.`,
  },
  'unused-scopes': {
    severity: 'note',
    clause: 'RFC 9700, section 2.3 (Access Token Privilege Restriction)',
    expectation: 'asks for the scopes that it uses',
    message: (all) => `No request needed these scopes of its tokens: ${details(all)}.`,
  },
  'page-twice': {
    severity: 'note',
    clause: 'RFC 8288 (Link: rel="next")',
    expectation: 'fetches each page of a list once',
    message: (all) => `${requestsWere(all)} sent for a page that the client had already fetched.`,
  },
}

/** The rule that a note about sign-in names. */
export function ruleOfSignIn({ kind, place }: Note): Rule | undefined {
  return kind === 'sign-in' && isRule(place) ? place : undefined
}

/** The rules for receivers of events. All are errors. */
export const RECEIVER_RULES: Readonly<
  Record<ReceiverRule, Pick<RuleDefinition, 'clause' | 'expectation'>>
> = {
  'event-not-accepted': {
    clause: 'Standard Webhooks, "Deliverability and reliability"',
    expectation: 'answers each genuine delivery with a 2xx in time',
  },
  'accepted-forged': {
    clause: 'Standard Webhooks, "Verifying webhook authenticity"',
    expectation: 'refuses deliveries whose signature does not fit',
  },
  'accepted-old': {
    clause: 'Standard Webhooks, "Verifying webhook authenticity"',
    expectation: 'refuses deliveries whose timestamp is more than five minutes old',
  },
  'confused-by-duplicate': {
    clause: 'Standard Webhooks, "Idempotency"',
    expectation: 'accepts an event that comes again, and acts on it once',
  },
  'event-loop': {
    clause: 'Standard Webhooks, "Operational considerations"',
    expectation: 'does not cause the event of which it is told again and again',
  },
}

/** The names of all rules for receivers. */
export const RECEIVER_RULE_NAMES: readonly ReceiverRule[] =
  Object.keys(RECEIVER_RULES).filter(isReceiverRule)

function isReceiverRule(name: string): name is ReceiverRule {
  return Object.hasOwn(RECEIVER_RULES, name)
}

/** The names of all rules, most severe first. */
export const RULE_NAMES: readonly Rule[] = Object.keys(RULES).filter(isRule)

/** The rule that a client violates with what a note says; none for an ignored preference, or a value that the path decides. */
export const RULE_OF_NOTE: Readonly<Partial<Record<Note['kind'], Rule>>> = {
  'unknown-parameter': 'unknown-parameter',
  'dropped-property': 'dropped-property',
  'invalid-input': 'invalid-input',
  'deprecated-operation': 'deprecated',
}

function isRule(name: string): name is Rule {
  return Object.hasOwn(RULES, name)
}

function requestsWere({ length }: readonly Violation[]): string {
  return `${count(length, 'request')} ${length === 1 ? 'was' : 'were'}`
}

const MAX_DETAILS = 8

/** `query.page (3 times), query.color`. */
function details(all: readonly Violation[]): string {
  const counts = new Map<string, number>()
  for (const { detail = '' } of all) {
    const name = toOneLine(detail)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const texts = [...counts].map(([name, times]) => (times > 1 ? `${name} (${times} times)` : name))
  const more = texts.length > MAX_DETAILS ? ` and ${texts.length - MAX_DETAILS} more` : ''

  return texts.slice(0, MAX_DETAILS).join(', ') + more
}

function shortestWait(all: readonly Violation[]): string {
  return describeWait('Shortest', waitsByRatio(all).at(0))
}

function longestWait(all: readonly Violation[]): string {
  return describeWait('Longest', waitsByRatio(all).at(-1))
}

function describeWait(which: string, wait: Violation['wait']): string {
  if (!wait) return 'There was no wait.'
  return `${which} wait: ${formatDuration(wait.actual)} instead of ${formatDuration(wait.requested)}.`
}

/** The waits, those first that were shortest in relation to the requested wait. */
function waitsByRatio(all: readonly Violation[]): readonly NonNullable<Violation['wait']>[] {
  return all
    .flatMap(({ wait }) => (wait ? [wait] : []))
    .sort((one, other) => one.actual / one.requested - other.actual / other.requested)
}

/** The name of a group of rules. */
type RuleGroup = 'none' | 'errors' | 'warnings' | 'all'

/** The name of a rule or of a group of rules. */
export type RuleName = Rule | ReceiverRule | RuleGroup

const GROUPS: Readonly<Record<RuleGroup, readonly Severity[]>> = {
  none: [],
  errors: ['error'],
  warnings: ['error', 'warning'],
  all: ['error', 'warning', 'note'],
}

/** Checks names of rules and groups. Throws a UsageError for the first unknown name. */
export function checkRuleNames(names: readonly string[]): readonly RuleName[] {
  return names.map((name) => {
    if (isRule(name) || isReceiverRule(name) || isGroup(name)) return name
    const known = [...RULE_NAMES, ...RECEIVER_RULE_NAMES, ...Object.keys(GROUPS)]
    throw new UsageError({
      code: 'unknown_rule',
      task: 'select the rules of the report',
      ...unknownName('rule', name, known),
    })
  })
}

function isGroup(name: string): name is RuleGroup {
  return Object.hasOwn(GROUPS, name)
}

/** The rules with these names. `warnings` includes errors. Throws a UsageError for an unknown name. */
export function toRules(names: readonly string[]): ReadonlySet<Rule | ReceiverRule> {
  const rules = checkRuleNames(names).flatMap((name): readonly (Rule | ReceiverRule)[] => {
    if (!isGroup(name)) return [name]
    const own = RULE_NAMES.filter((rule) => GROUPS[name].includes(RULES[rule].severity))
    return GROUPS[name].includes('error') ? [...own, ...RECEIVER_RULE_NAMES] : own
  })
  return new Set(rules)
}

/** All violations of one rule, on one operation and with one API key, or by one receiver of events. */
export interface Finding {
  readonly rule: Rule | ReceiverRule
  readonly severity: Severity
  /** Absent for requests that match no operation, and for receivers of events. */
  readonly operation?: string
  /** The address of a receiver of events; absent when a client violates the rule. */
  readonly receiver?: string
  /** The ids of the deliveries that violate the rule; only of a receiver. */
  readonly deliveries?: readonly number[]
  /** The last characters of the API key, or `no key`. A second key with the same ones has a number: `…test (2)`. */
  readonly key: string
  readonly message: string
  /** The document or RFC that the rule comes from. */
  readonly clause: string
  /** The ids of the exchanges that violate the rule. */
  readonly entries: readonly string[]
  /** The number of violations. */
  readonly count: number
  /** Whether this finding makes the report fail. */
  readonly fails: boolean
}

/** Groups violations into findings, most severe first. */
export function toFindings(
  violations: readonly Violation[],
  wanted: ReadonlySet<string>,
  failing: ReadonlySet<string>,
): readonly Finding[] {
  const groups = groupBy(
    violations.filter(({ rule }) => wanted.has(rule)),
    ({ rule, entry }) => JSON.stringify([rule, entry.operation, entry.key]),
  )
  const findings = [...groups.values()].map((group) => toFinding(group, failing))

  return RULE_NAMES.flatMap((rule) => findings.filter((one) => one.rule === rule))
}

function toFinding(
  group: readonly [Violation, ...Violation[]],
  failing: ReadonlySet<string>,
): Finding {
  const [{ rule, entry }] = group
  const { severity, clause, message } = RULES[rule]

  return {
    rule,
    severity,
    ...(entry.operation !== undefined && { operation: entry.operation }),
    key: entry.key,
    message: message(group),
    clause,
    entries: [...new Set(group.map((one) => one.entry.id))],
    count: group.length,
    fails: failing.has(rule),
  }
}

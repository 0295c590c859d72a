import type { SandboxClient } from '../../../client/sandbox-client.ts'
import type { ForceRule } from '../../../forcing/force-rule.ts'
import { hasRetryAfter, type Outcome } from '../../../forcing/outcomes.ts'
import { rangeOf } from '../../../time/duration.ts'
import { UsageError } from '../../../validation/usage-error.ts'

/** A rule in force, and how often it applied. */
export type ForcedOutcome = Awaited<ReturnType<SandboxClient['forced']>>[number]

/** What is typed in the form. An empty text is no condition. */
export interface RuleDraft {
  readonly outcome: Outcome
  /** A rule is made for each of them; one rule for every operation when there are none. */
  readonly operations: readonly string[]
  readonly method: string
  readonly path: string
  readonly key: string
  readonly times: string
  readonly skip: string
  readonly probability: string
  readonly retryAfter: string
  readonly latency: string
}

export const EMPTY_DRAFT: RuleDraft = {
  outcome: 'server-error',
  operations: [],
  method: '',
  path: '',
  key: '',
  times: '',
  skip: '',
  probability: '',
  retryAfter: '',
  latency: '',
}

/** The fields that are typed as text. */
export type DraftField = Exclude<keyof RuleDraft, 'outcome' | 'operations'>

/** What is wrong, by field. */
export type DraftErrors = Readonly<Partial<Record<DraftField, string>>>

const NUMBERS = ['times', 'skip', 'probability', 'retryAfter'] as const

/** The rules of a draft. The sandbox checks their values; `errors` has only what is no number and no duration. */
export function toRules(draft: RuleDraft): {
  readonly rules: readonly ForceRule[]
  readonly errors: DraftErrors
} {
  const numbers = NUMBERS.filter((name) => isSent(draft, name)).map(
    (name) => [name, Number(draft[name])] as const,
  )
  const wrong = numbers.filter(([, value]) => Number.isNaN(value))
  const latency = readLatency(draft.latency.trim())
  const errors: DraftErrors = {
    ...Object.fromEntries(wrong.map(([name]) => [name, 'It is not a number.'])),
    ...(latency.error !== undefined && { latency: latency.error }),
  }
  const [method, path, key] = [draft.method, draft.path, draft.key].map((text) => text.trim())
  const rule: ForceRule = {
    ...(method && { method }),
    ...(path && { path }),
    ...(key && { key }),
    ...Object.fromEntries(numbers),
    ...latency.rule,
  }
  const { operations } = draft

  return {
    rules:
      operations.length === 0 ? [rule] : operations.map((operation) => ({ ...rule, operation })),
    errors,
  }
}

/** A Retry-After that was typed for another outcome is not sent. */
function isSent(draft: RuleDraft, name: (typeof NUMBERS)[number]): boolean {
  return draft[name].trim() !== '' && (name !== 'retryAfter' || hasRetryAfter(draft.outcome))
}

function readLatency(text: string): {
  readonly rule?: Pick<ForceRule, 'latency'>
  readonly error?: string
} {
  if (text === '') return {}
  try {
    return { rule: { latency: rangeOf(text) } }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { error: `${error.reason}. ${error.help}`.trim() }
  }
}

/** The field of the form that the sandbox refused; `undefined` when the error is about the whole rule. */
export function fieldOf(error: unknown): DraftField | undefined {
  if (!(error instanceof UsageError) || error.location === undefined) return undefined
  const name = error.location.replace(/^body\./, '')
  return FIELDS.find((field) => field === name)
}

const FIELDS: readonly DraftField[] = [...NUMBERS, 'method', 'path', 'key', 'latency']

/** On which requests a rule is forced: `every request`, or `listPets, key sk_1, path /pets/*`. */
export function describeConditions({ operation, method, path, key }: ForcedOutcome): string {
  const conditions = [
    ...(operation === undefined ? [] : [operation]),
    ...(method === undefined ? [] : [method]),
    ...(path === undefined ? [] : [path]),
    ...(key === undefined ? [] : [`key ${key}`]),
  ]
  return conditions.length === 0 ? 'every request' : conditions.join(', ')
}

/** How a rule is forced on these requests, such as `probability 0.5, Retry-After 2 s`. */
export function describeSettings(rule: ForcedOutcome): string {
  const { skip, probability, retryAfter, latency } = rule
  return [
    ...(skip === undefined ? [] : [`after ${skip} skipped`]),
    ...(probability === undefined ? [] : [`probability ${probability}`]),
    ...(retryAfter === undefined ? [] : [`Retry-After ${retryAfter} s`]),
    ...(latency === undefined ? [] : [`delay ${latency}`]),
  ].join(', ')
}

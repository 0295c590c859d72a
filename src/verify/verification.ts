import type { Contract, Operation } from '../contract/contract.ts'
import type { Check } from './checks/check.ts'
import type { RunStart } from './session/options.ts'

/** The result of {@link verify}, as plain data. */
export interface Verification extends RunStart {
  /** In the order of the operations in the document; checks without an operation come last. */
  readonly checks: readonly CheckResult[]
  /** The number of checks with each status, without consequences of other failures. */
  readonly totals: Readonly<Record<CheckResult['status'], number>>
  /** How many operations of the document were sent a valid request. */
  readonly operations: ExercisedOperations
  /** The number of records that the run created. */
  readonly created: number
  /** What the run created or changed, and could not remove or restore. */
  readonly left: readonly LeftBehind[]
  /** Why the run ended before all checks; absent when it did not. */
  readonly stopped?: string
  /** Why the server could not be tested; absent when it could. */
  readonly unusable?: string
  /** With the option `twin`: where the sandbox and the server respond differently. */
  readonly differences?: readonly Difference[]
  /** The number of requests that were sent. */
  readonly requests: number
  /** The number of requests that were allowed. */
  readonly budget: number
  /** What random requests found; absent without the option `fuzz`. */
  readonly fuzz?: FuzzSummary
  /** In milliseconds, including waits. */
  readonly duration: number
  /** The time spent waiting for the quota, in milliseconds. */
  readonly waited: number
}

/** A difference between the responses of the server and of the sandbox. */
export interface Difference {
  /** The operation's id; method and path when the request matches no operation. */
  readonly operation: string
  readonly what: 'status' | 'header' | 'body'
  /** For a status: the request. For a header: its name. For a body: the path of the value, for instance `[].price`. */
  readonly place: string
  /** For a header or body: the status of both responses. */
  readonly status?: number
  /** What the server returned. */
  readonly target: string
  /** What the sandbox returned. */
  readonly sandbox: string
}

/** How many random requests were sent. */
export interface FuzzSummary {
  /** The seed, with which a run sends the same ones. */
  readonly seed: number
  readonly sequences: number
  readonly requests: number
}

/** What a run left on the server. */
export interface LeftBehind {
  /** The path of a record or of settings, or what else is left. */
  readonly what: string
  readonly reason: string
  /** A shell command that removes or restores it, with the key in `$PET_SANDBOX_KEY`; absent where the document has no operation for it. */
  readonly curl?: string
}

/** The result of one check. */
export interface CheckResult extends Check {
  /** `differs`: a failed check of a decision, when decisions do not count. */
  readonly status: 'passed' | 'failed' | 'differs' | 'left-out'
  /** Why the check was left out. */
  readonly reason?: string
  /** For a failed check: what the check expected. */
  readonly expected?: string
  /** For a failed check: what the server returned. */
  readonly received?: string
  /** The id of another failed check, of which this one is a consequence: the same response failed it first. */
  readonly consequenceOf?: string
  /** The request for which the check failed. */
  readonly exchange?: ExchangeExcerpt
  /** For what random requests found: the shortest sequence of shell commands that shows it. Ids that a response decides are names in braces. */
  readonly sequence?: readonly string[]
}

/** A request and the start of its response, without the key. */
export interface ExchangeExcerpt {
  /** A shell command that sends the request, with the key in `$PET_SANDBOX_KEY`. */
  readonly curl: string
  readonly request: { readonly method: string; readonly url: string; readonly body?: string }
  /** Absent when there was no response. */
  readonly response?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    /** The first 1,000 characters. */
    readonly body: string
  }
}

/** The shell commands that show a failure: the request or, for what random requests found, the shortest sequence of them. */
export function commandsOf({ exchange, sequence = [] }: CheckResult): readonly string[] {
  if (sequence.length > 1) return sequence.map((command, at) => `${at + 1}  ${command}`)
  return exchange ? [exchange.curl] : []
}

export function totalsOf(checks: readonly CheckResult[]): Verification['totals'] {
  const count = (wanted: CheckResult['status']): number =>
    checks.filter(({ status, consequenceOf }) => status === wanted && consequenceOf === undefined)
      .length

  return {
    passed: count('passed'),
    failed: count('failed'),
    differs: count('differs'),
    'left-out': count('left-out'),
  }
}

/** How many operations of the document a run sent a valid request to. */
interface ExercisedOperations {
  /** The number of operations in the document. */
  readonly total: number
  readonly exercised: number
  /** The other operations, in document order. */
  readonly others: readonly UnexercisedOperation[]
}

/** An operation that a run sent no valid request to. */
interface UnexercisedOperation {
  /** The id of the operation. */
  readonly operation: string
  readonly reason: string
}

/** Counts the operations that a run exercised. `reasons` say why a probe of an operation was not sent. */
export function countExercised(
  { operations }: Contract,
  exercised: ReadonlySet<Operation>,
  reasons: ReadonlyMap<Operation, string>,
): ExercisedOperations {
  const others = operations
    .filter((operation) => !exercised.has(operation))
    .map((operation) => ({
      operation: operation.id,
      reason: reasons.get(operation) ?? 'not selected',
    }))
  return { total: operations.length, exercised: operations.length - others.length, others }
}

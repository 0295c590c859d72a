import type { Operation } from '../../contract/contract.ts'
import type { KnownRecords } from '../requests/known-records.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'

/** One promise of the contract that a server must keep. */
export interface Check {
  /** The same in each run, for instance `listBooks/limit=101`. */
  readonly id: string
  /** A sentence, for instance "listBooks rejects limit=101 with a 400". */
  readonly name: string
  /** Where the promise comes from: a part of the OpenAPI document, or an RFC. */
  readonly clause: string
  /** The id of the operation. */
  readonly operation?: string
  /** Whether the document marks the promise as its own decision (`x-decision`), or this program adds it. */
  readonly decision?: true
}

/** A check with its implementation. */
export interface CheckDefinition extends Check {
  /** Evaluates the responses of a probe, in the order of its requests. */
  readonly evaluate: (responses: readonly ProbeResponse[], records: KnownRecords) => Evaluation
}

export type Evaluation = 'passed' | Failure | LeftOut

/** What a server did wrong. */
export interface Failure {
  readonly response?: ProbeResponse
  readonly expected: string
  readonly received: string
}

/** Why a check could not be evaluated. */
export interface LeftOut {
  readonly leftOut: string
}

/** The part of the document that describes an operation. */
export function referenceTo({ method, path }: Operation): string {
  return `OpenAPI, ${method} ${path}`
}

/** A check of an operation; `name` completes the sentence "<operation> …". */
export function operationCheck(
  operation: Operation,
  id: string,
  name: string,
  evaluate: CheckDefinition['evaluate'],
  more: Partial<Check> = {},
): CheckDefinition {
  return {
    id: `${operation.id}/${id}`,
    name: `${operation.id} ${name}`,
    clause: referenceTo(operation),
    operation: operation.id,
    ...more,
    evaluate,
  }
}

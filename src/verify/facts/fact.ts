import type { Operation } from '../../contract/contract.ts'
import type { Answer } from '../service/answer.ts'
import type { Known } from '../service/known.ts'
/** What is wrong with an answer, in words. */
export interface Fault {
  readonly answer?: Answer
  readonly expected: string
  readonly received: string
}

/** That nothing could be found out, and why. */
export interface Silence {
  readonly leftOut: string
}

export type Judgement = 'passed' | Fault | Silence

/** One thing that the contract promises. */
export interface Fact {
  /** The same in each run, as `listBooks/limit=101`. */
  readonly id: string
  /** A sentence, as "listBooks refuses limit=101". */
  readonly name: string
  /** The heading of the specification that says so. */
  readonly clause: string
  /** The operation's id. */
  readonly operation?: string
  /** Whether the specification leaves it open, and the document, or this sandbox, decides. */
  readonly decision?: true
}

/** A fact that is judged by the answers of a probe, in their order. */
export interface Judged extends Fact {
  readonly judge: (answers: readonly Answer[], known: Known) => Judgement
}

/** Where the specification tells of an operation: the heading is the operation's summary. */
export function clauseOf({ id, summary, deprecation }: Operation): string {
  return `Endpoints, ${summary ?? id}${deprecation ? ' (deprecated)' : ''}`
}

/** A fact about an operation; `name` is what it does. */
export function factOf(
  operation: Operation,
  id: string,
  name: string,
  judge: Judged['judge'],
  more: Partial<Fact> = {},
): Judged {
  return {
    id: `${operation.id}/${id}`,
    name: `${operation.id} ${name}`,
    clause: clauseOf(operation),
    operation: operation.id,
    ...more,
    judge,
  }
}

import type { Operation } from '../../contract/contract.ts'

/** How a request shows who sends it; `longer` is the key with a letter more, `scheme` the key under a scheme that is not bearer. */
export type Credentials = 'key' | 'none' | 'longer' | 'scheme'

/** A request to the target, free of its address. */
export interface Question {
  /** Absent for a request that no operation of the contract is for. */
  readonly operation?: Operation
  /** In capitals. */
  readonly method: string
  /** Path and query below the base address, as it is sent. */
  readonly target: string
  readonly credentials: Credentials
  readonly body?: string
  /** The body's media type; `application/json` when left out. */
  readonly type?: string
}

/** What came for a question. */
export interface Answer {
  readonly question: Question
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, with integers that JavaScript would round as text; `undefined` when it is none. */
  readonly value: unknown
  /** Epoch milliseconds: the answer's `Date`, else the clock of this machine. */
  readonly time: number
}

/** Thrown when a request is not sent, with the reason why not. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

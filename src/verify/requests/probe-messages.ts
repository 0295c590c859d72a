import type { Operation } from '../../contract/contract.ts'
import type { TextPair } from '../../sandbox/sample-request/serialize-parameter.ts'

/**
 * How a request authenticates: with the key, without credentials, with an invalid key, or with the key in another
 * authentication scheme than Bearer.
 */
export type Credentials = 'key' | 'none' | 'invalid-key' | 'other-scheme'

/** A request to the server, without the base address. */
export interface ProbeRequest {
  /** Absent for a request that matches no operation of the contract. */
  readonly operation?: Operation
  /** In capitals. */
  readonly method: string
  /** Path and query, relative to the base address. */
  readonly target: string
  readonly credentials: Credentials
  /** Header parameters. */
  readonly headers?: readonly TextPair[]
  readonly cookies?: readonly TextPair[]
  readonly body?: string
  /** The media type of the body. Default: `application/json`. */
  readonly type?: string
  /** Whether nothing is added to the request. Otherwise, it gets the required parameters that it lacks. */
  readonly isComplete?: true
  /** Whether the document allows the request, so that its operation counts as exercised whatever the response is. */
  readonly isValid?: true
  /** Whether the server should refuse the request. */
  readonly isInvalid?: true
}

/** The response to a request. */
export interface ProbeResponse {
  readonly request: ProbeRequest
  /** The address of the request. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  /** The body. */
  readonly text: string
  /** The body as JSON; integers that JavaScript would round are strings. `undefined` when the body is not JSON. */
  readonly json: unknown
  /** In epoch milliseconds: the `Date` header, else the clock of this machine. */
  readonly time: number
}

/** Thrown instead of sending a request; the message is the reason. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
}

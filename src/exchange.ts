/** What a client sent that is not used, or used though it should not be. */
export interface Note {
  readonly kind:
    | 'unknown-parameter'
    | 'dropped-property'
    | 'deprecated-operation'
    | 'ignored-preference'
  /** `query.page`, `body.color`, `prefer.code=418`, or the operation's name. */
  readonly place: string
}

/** Requests that are left in each window. */
export interface Left {
  readonly minute: number
  readonly day: number
}

type HeaderPair = readonly [name: string, value: string]

/** A request as it was sent; of an API key only the end is there, and of cookies and other credentials nothing. */
export interface SentMessage {
  /** The whole address, with the query. */
  readonly url: string
  readonly headers: readonly HeaderPair[]
  /** Absent when it was not read, and when it is longer than 16 KiB. */
  readonly body?: string
  /** In bytes, of a body that is too long to be kept. */
  readonly bodySize?: number
}

/** An answer as it was given, but for the framing that transports add; empty when there was none. */
export interface GivenMessage {
  readonly headers: readonly HeaderPair[]
  /** Empty when it is longer than 16 KiB. */
  readonly body: string
  /** In bytes, of a body that is too long to be kept. */
  readonly bodySize?: number
}

/** One request and its answer, as the journal tells it. */
export interface Exchange {
  /** Counts from 1. */
  readonly id: number
  /**
   * The latest exchange that had ended when this request came: what its client could know. Absent when it is the one
   * before, as it is of clients that send one request at a time.
   */
  readonly follows?: number
  /** When the request came, in epoch milliseconds of the sandbox's clock. */
  readonly time: number
  readonly method: string
  /** Below the base address, with the query. */
  readonly target: string
  /** The operation's name; absent when none matched. */
  readonly operation?: string
  /** Whether an API key was sent: one that is valid, none, or a wrong one. */
  readonly caller: 'valid' | 'missing' | 'invalid'
  /** The end of the API key, also of a wrong one, as `…free`; only `…` of fewer than eight characters. */
  readonly key?: string
  /** The plan that the request was counted on. */
  readonly plan: string
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  /** Why the request was refused, as the header `X-Sandbox-Reason` tells it. */
  readonly reason?: string
  /** Requests left before and after this one. */
  readonly quota: { readonly before: Left; readonly after: Left }
  /** The problem's code and message, when the request was refused. */
  readonly refusal?: { readonly code: string; readonly message: string }
  /** The forced outcome, as `rate-limited`, when the answer was forced. */
  readonly forced?: string
  /** Where the client strayed from the contract without being refused; the first twenty. */
  readonly notes: readonly Note[]
  /** How long the answer took, in real milliseconds. */
  readonly milliseconds: number
  /** What was sent. Made when it is asked for: copies and JSON of an exchange have it not, `toPlain` has. */
  readonly request: SentMessage
  /** What was answered. Made when it is asked for, as `request` is. */
  readonly response: GivenMessage
}

/** An exchange as other processes are told of it: what was sent and answered word for word is in the journal alone. */
export type ToldExchange = Omit<Exchange, 'request' | 'response'>

/** What knows of more than an exchange shows. */
export interface KeyHolder {
  /** Whether this is the whole API key that was sent; copies cannot tell. */
  readonly hasKey?: (key: string) => boolean
}

/** Told of each exchange as it ends. */
export type ExchangeListener = (exchange: Exchange) => void

/** All of an exchange as plain data, request and answer included. */
export function toPlain(exchange: Exchange): Exchange {
  return { ...exchange, request: exchange.request, response: exchange.response }
}

/** A secret, for showing: its last four characters, and of a short one none. */
export function shown(secret: string): string {
  return secret.length < 8 ? '…' : `…${secret.slice(-4)}`
}

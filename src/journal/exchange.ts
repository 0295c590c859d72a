import type { Preflight } from '../http/cross-origin.ts'

/** Something that a client sent in vain, or should not use any more. */
export interface Note {
  readonly kind:
    | 'unknown-parameter'
    | 'dropped-property'
    | 'deprecated-operation'
    | 'ignored-preference'
  /** `query.page`, `body.color`, `prefer.code=418`, or the operation's name. */
  readonly place: string
}

/** Why a request was refused. */
export interface Refusal {
  readonly code: string
  readonly message: string
  /** What was wrong with the request; absent where it was refused for another reason. */
  readonly errors?: readonly ExchangeError[]
}

/** One thing that was wrong with a request. */
export interface ExchangeError {
  /** `query.limit`, `body.tags[0]`. */
  readonly location: string
  /** The keyword of JSON Schema that the value breaks, as `required`. */
  readonly keyword?: string
}

/** Requests that are left in each window. */
export interface RemainingQuota {
  readonly minute: number
  readonly day: number
}

type HeaderPair = readonly [name: string, value: string]

/** A request as it was sent, but for its secrets: an API key is cut to its end, cookies and other credentials to nothing. */
export interface SentMessage {
  /** The whole address, with the query. */
  readonly url: string
  /** As they were sent, as far as the transport can tell. */
  readonly headers: readonly HeaderPair[]
  /** Absent when it was not read, or is longer than 16 KiB. */
  readonly body?: string
  /** In bytes, of a body that is too long to be kept. */
  readonly bodySize?: number
}

/** An answer as it was given, without the framing that transports add; empty when there was none. */
export interface GivenMessage {
  /** Each name once. */
  readonly headers: readonly HeaderPair[]
  /** Empty when it has more than 16,384 characters. */
  readonly body: string
  /** In bytes, of a body that is too long to be kept. */
  readonly bodySize?: number
}

/** One request and its answer, as the journal tells it. */
export interface Exchange {
  /** Counts from 1. */
  readonly id: number
  /**
   * The id of the latest exchange that had ended when this request came: what its client could know by then. Absent when
   * that is the one before, as it is for clients that send one request at a time.
   */
  readonly follows?: number
  /** When the request came, in epoch milliseconds of the sandbox's clock. */
  readonly time: number
  /** In capitals, as `GET`. */
  readonly method: string
  /** The path below the base address, with the query. */
  readonly target: string
  /** The operation's name; absent when none matched. */
  readonly operation?: string
  /** Whether the request had a valid API key, none, or a wrong one. */
  readonly caller: 'valid' | 'missing' | 'invalid'
  /** The end of the API key, also of a wrong one, as `…free`; only `…` of fewer than eight characters. */
  readonly key?: string
  /** The plan that the request counted on. */
  readonly plan: string
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  /** Why the request was refused, or what was forced: the value of `X-Sandbox-Reason`. */
  readonly reason?: string
  /** How many requests the caller's plan had left before and after this one. */
  readonly quota: { readonly before: RemainingQuota; readonly after: RemainingQuota }
  /** Present when the request is a preflight. It fails when `refusal` is present, too: the browser sends no request then. */
  readonly preflight?: Preflight
  /**
   * The problem, when the request was refused. A preflight for a method that the path does not have is
   * answered with 204, and has one too.
   */
  readonly refusal?: Refusal
  /** The forced outcome, as `rate-limited`, when the answer was forced. */
  readonly forced?: string
  /** Where the client strayed from the contract without being refused; the first twenty. */
  readonly notes: readonly Note[]
  /** How long the answer took, in real milliseconds. */
  readonly milliseconds: number
  /** What was sent. A getter: neither JSON nor a spread copy of an exchange has it. */
  readonly request: SentMessage
  /** What was answered. A getter, as `request` is. */
  readonly response: GivenMessage
}

/** An exchange as other processes hear of it as it ends: the messages themselves are left to the journal. */
export type ExchangeSummary = Omit<Exchange, 'request' | 'response'>

/** An exchange that knows the whole API key, of which it shows the end only. */
export interface KeyHolder {
  /** Whether this is the API key that was sent. Copies lack it, and cannot tell. */
  readonly hasKey?: (key: string) => boolean
}

/** Told of each exchange as it ends. */
export type ExchangeListener = (exchange: Exchange) => void

/** All of an exchange as plain data, request and answer included. */
export function toPlain(exchange: Exchange): Exchange {
  return { ...exchange, request: exchange.request, response: exchange.response }
}

/** A secret, fit to be shown: its last four characters, or none when it has fewer than eight. */
export function maskSecret(secret: string): string {
  return secret.length < 8 ? '…' : `…${secret.slice(-4)}`
}

import type { Delivery, ResponseSource } from '../http/message.ts'
import type { Preflight } from '../http/response-headers.ts'

/** Something that a client sent and the service ignored, or that a client should no longer use. */
export interface Note {
  readonly kind:
    | 'unknown-parameter'
    | 'dropped-property'
    | 'overruled-property'
    | 'unkept-property'
    | 'unread-filter'
    | 'unmade-records'
    | 'undocumented-conflict'
    | 'invalid-input'
    | 'deprecated-operation'
    | 'ignored-preference'
    | 'invalid-answer'
    | 'sign-in'
    | 'granted-scopes'
  /**
   * Such as `query.page`, `body.color` or `prefer.code=418`; for a deprecated operation, its name; for an answer of a
   * handler that the document does not allow, what is wrong with it; for records that no value can be, why; for a conflict that the document does not describe, the
   * place of the value, such as `body.id`; for `sign-in`, the rule of the report that the client violates; for
   * `granted-scopes`, the scopes of a token that was issued.
   */
  readonly place: string
}

/** Why a request was refused. */
export interface Refusal {
  readonly code: string
  readonly message: string
  /** What was wrong with the request. Absent when it was refused for another reason. */
  readonly errors?: readonly ExchangeError[]
  /** Where the request has the value that conflicts with the records, such as `body.email`. Absent for other refusals. */
  readonly conflict?: string
}

/** One thing that was wrong with a request. */
export interface ExchangeError {
  /** Such as `query.limit` or `body.tags[0]`. */
  readonly location: string
  /** The keyword of JSON Schema that the value violates, such as `required`. */
  readonly keyword?: string
}

/** How many requests are left in each window. */
export interface RemainingQuota {
  readonly minute: number
  readonly day: number
}

type HeaderPair = readonly [name: string, value: string]

/** A request as it was sent, without its secrets: an API key is cut to its end, cookies and other credentials are removed. */
export interface SentMessage {
  /** The complete URL, with the query. */
  readonly url: string
  /** As they were sent, as far as the transport knows. */
  readonly headers: readonly HeaderPair[]
  /** Absent when it was not read or is longer than 16 KiB. */
  readonly body?: string
  /** The size in bytes of a body that is too long to be kept. */
  readonly bodySize?: number
}

/** A response as it was sent, without the framing of the transport; empty when there was none. */
export interface GivenMessage {
  /** Each name occurs once. */
  readonly headers: readonly HeaderPair[]
  /** Empty when the body has more than 16,384 characters or bytes. */
  readonly body: string
  /** Present when the body is no text. Then `body` has its bytes in this encoding. */
  readonly encoding?: 'base64'
  /** The size in bytes of a body that is too long to be kept. */
  readonly bodySize?: number
}

/** A request and its response, as the journal records them. */
export interface Exchange {
  /** Counts from 1. */
  readonly id: number
  /**
   * The id of the latest exchange that had ended when this request came. Absent when that is the previous exchange, as it is
   * for clients that send one request at a time.
   */
  readonly follows?: number
  /** How the request came over a network. Absent when it was sent at the moment when it came, as to a sandbox in the same process. */
  readonly delivery?: Delivery
  /** When the request came, in epoch milliseconds of the sandbox's clock. */
  readonly time: number
  /** In capitals, such as `GET`. */
  readonly method: string
  /** The path below the base address, with the query. */
  readonly target: string
  /** The operation's name; absent when none matched. */
  readonly operation?: string
  /** What the path is for, beside the API: an endpoint of sign-in such as `token`. Absent for requests to the API. */
  readonly endpoint?: string
  /** Whether the request had a valid API key or other credential, none, or a wrong one. `valid` when the service has no security. */
  readonly caller: 'valid' | 'missing' | 'invalid'
  /** The end of the API key, also of an invalid one, such as `…free`; only `…` for fewer than eight characters. */
  readonly key?: string
  /**
   * An id of the complete credential, which tells callers apart whose keys have the same end. It contains nothing of the
   * credential. A sandbox gives each credential the same id until it ends; in a shared store, all servers always do.
   */
  readonly client?: string
  /** The plan of the caller; absent in a sandbox without plans. */
  readonly plan?: string
  /** 0 when the connection was closed without a response. */
  readonly status: number
  /** Why the request was refused, or what was forced: the value of `X-Sandbox-Reason`. */
  readonly reason?: string
  /** How many requests the caller had left before and after this request; absent when no quota applies. */
  readonly quota?: { readonly before: RemainingQuota; readonly after: RemainingQuota }
  /** Present for a preflight. It fails when `refusal` is present, too: then the browser does not send the request. */
  readonly preflight?: Preflight
  /**
   * The problem, when the request was refused. A preflight for a method that the path does not have gets a 204, and has a
   * refusal too.
   */
  readonly refusal?: Refusal
  /** The outcome that was forced, such as `rate-limited`, or the documented status, such as `418`. */
  readonly forced?: string
  /**
   * What the body of the response is made of: stored records (`record`), a record that was made for an id that nobody created
   * (`invented`), an example of the document, generated values, or the code of a developer (`handler`). The value of `X-Sandbox-Source`,
   * also where the document switches that header off. Absent for an error, and without a body.
   */
  readonly source?: ResponseSource
  /** Why the body contains no stored records, such as `no record has this id`; absent when it does. */
  readonly sourceReason?: string
  /** Deviations from the contract for which the request was not refused; the first twenty. */
  readonly notes: readonly Note[]
  /** How long the response took, in real milliseconds. */
  readonly milliseconds: number
  /** The request. A getter: JSON and spread copies of an exchange do not have it. */
  readonly request: SentMessage
  /** The response. A getter, as `request` is. */
  readonly response: GivenMessage
}

/** An exchange without its request and response, as it is sent to other processes when it ends. */
export type ExchangeSummary = Omit<Exchange, 'request' | 'response'>

/** An exchange that knows the complete API key, and shows only its end. */
export interface KeyHolder {
  /** Whether this API key was sent. Copies of an exchange do not have this method. */
  readonly hasKey?: (key: string) => boolean
}

/** Called with each exchange when it ends. */
export type ExchangeListener = (exchange: Exchange) => void

/** An exchange as plain data, with its request and response. */
export function toPlain(exchange: Exchange): Exchange {
  return { ...exchange, request: exchange.request, response: exchange.response }
}

/** Masks a secret: its last four characters are left, or none when it has fewer than eight. */
export function maskSecret(secret: string): string {
  return secret.length < 8 ? '…' : `…${secret.slice(-4)}`
}

/** A body in which the tokens and codes of a sandbox are masked, wherever they are. JWTs of a body may be data of the API. */
export function maskIssued(text: string): string {
  return text.replace(/sbx_(?:at|rt|ac|dc)_[A-Za-z0-9]{8,}/g, maskSecret)
}

/** A header or a query in which tokens and codes are masked, also JWTs. */
export function maskTokens(text: string): string {
  return maskIssued(text).replace(/eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g, maskSecret)
}

const encoder = new TextEncoder()

/** The number of bytes of a body: of a text in UTF-8. */
export function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? encoder.encode(body).length : body.length
}

/**
 * Calls a listener. An error of the listener must not affect the client or other listeners. It is reported as an unhandled
 * rejection, which pages, test runners and Node all show: Node has no `reportError`, and a timer would not fire while a test
 * uses fake timers.
 */
export function notify<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value)
  } catch (error) {
    void Promise.reject(error)
  }
}

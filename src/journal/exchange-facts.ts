import { type Preflight, preflightOf } from '../http/cross-origin.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { areEqualLists } from './equal-lists.ts'
import type { Exchange, Note } from './exchange.ts'

/** Longer bodies are not kept. In bytes of a request's body, in characters of a response's. */
export const LONGEST_BODY: number = 16 * 1024

/** A request may have a megabyte of unknown properties. So many notes are kept, with so many characters each. */
export const MOST_NOTES = 20
const LONGEST_NOTE = 200

/** For how many targets the latest facts are kept. */
const MOST_TARGETS = 250

/** A request that was answered, to be recorded. */
export interface AnsweredRequest {
  readonly request: CoreRequest
  /** Without the headers that every response has. */
  readonly response: CoreResponse
  readonly caller: Exchange['caller']
  /** The whole API key. */
  readonly key: string | undefined
  readonly plan: string
  /** The operation's name; absent when none matched. */
  readonly operation: string | undefined
  readonly refusal: Exchange['refusal'] | undefined
  readonly forced: string | undefined
  readonly body: Uint8Array | undefined
  readonly notes: readonly Note[]
}

/** All of an exchange but its numbers, which differ each time. It must not hold the `CoreRequest`, which leads to the socket. */
export interface ExchangeFacts {
  readonly method: string
  readonly base: string
  readonly target: string
  readonly operation: string | undefined
  readonly caller: Exchange['caller']
  /** The whole API key. */
  readonly key: string | undefined
  readonly plan: string
  readonly status: number
  readonly preflight: Preflight | undefined
  readonly refusal: Exchange['refusal'] | undefined
  readonly forced: string | undefined
  readonly notes: readonly Note[]
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[]
  /** The request's body, or the size in bytes of one that is too long. */
  readonly requestBody: Uint8Array | number | undefined
  /** Without the headers that every response has. */
  readonly responseHeaders: CoreResponse['headers']
  /** The response's body, or the size in bytes of one that is too long. */
  readonly responseBody: string | number
}

/** The facts of a request that was answered. */
export function toFacts(answered: AnsweredRequest): ExchangeFacts {
  const { request, response, body } = answered
  return {
    method: request.method,
    base: request.base,
    target: request.query === '' ? request.path : `${request.path}?${request.query}`,
    operation: answered.operation,
    caller: answered.caller,
    key: answered.key,
    plan: answered.plan,
    status: response.status,
    preflight: preflightOf(request),
    refusal: answered.refusal,
    forced: answered.forced,
    notes: shortened(answered.notes),
    requestHeaders: request.headers(),
    requestBody: body && body.length > LONGEST_BODY ? body.length : body,
    responseHeaders: response.headers,
    responseBody: request.method === 'HEAD' ? '' : textOrSize(response.body),
  }
}

function shortened(notes: readonly Note[]): readonly Note[] {
  if (notes.length === 0) return notes
  return notes
    .slice(0, MOST_NOTES)
    .map(({ kind, place }) => ({ kind, place: place.slice(0, LONGEST_NOTE) }))
}

function textOrSize(body: string): string | number {
  return body.length > LONGEST_BODY ? new TextEncoder().encode(body).length : body
}

/** Clients repeat requests, and mostly get the same response. The journal keeps the facts of both once. */
export class FactsCache {
  readonly #latest = new Map<string, ExchangeFacts>()

  /** The equal facts that are kept already, or else these, which share what is equal with the latest ones. */
  share(facts: ExchangeFacts): ExchangeFacts {
    const latest = this.#latest.get(facts.target)
    if (latest && areEqual(latest, facts)) return latest
    const kept = latest ? withSharedHeaders(facts, latest) : facts
    if (this.#latest.size === MOST_TARGETS) this.#latest.clear()
    this.#latest.set(kept.target, kept)

    return kept
  }
}

/** A client's headers stay the same where its responses do not, and take most of the memory. */
function withSharedHeaders(
  facts: ExchangeFacts,
  { target, requestHeaders }: ExchangeFacts,
): ExchangeFacts {
  return areEqualLists(requestHeaders, facts.requestHeaders)
    ? { ...facts, target, requestHeaders }
    : facts
}

/** The operation follows from the target, a refusal's code from its message, and the kind of a note from its place. */
function areEqual(one: ExchangeFacts, other: ExchangeFacts): boolean {
  return (
    one.status === other.status &&
    one.responseBody === other.responseBody &&
    one.method === other.method &&
    one.base === other.base &&
    one.caller === other.caller &&
    one.key === other.key &&
    one.plan === other.plan &&
    one.forced === other.forced &&
    one.requestBody === other.requestBody &&
    one.refusal?.message === other.refusal?.message &&
    areEqualLists(one.requestHeaders, other.requestHeaders) &&
    areEqualLists(Object.keys(one.responseHeaders), Object.keys(other.responseHeaders)) &&
    areEqualLists(Object.values(one.responseHeaders), Object.values(other.responseHeaders)) &&
    areEqualLists(one.notes.map(placeOf), other.notes.map(placeOf))
  )
}

function placeOf({ place }: Note): string {
  return place
}

import type { CoreRequest, CoreResponse, ResponseSource } from '../http/message.ts'
import { type Preflight, preflightOf } from '../http/response-headers.ts'
import { areEqualLists } from '../validation/objects.ts'
import { byteLength, type Exchange, maskSecret, maskTokens, type Note } from './exchange.ts'

/** The journal keeps no longer bodies. In bytes for requests, in characters for responses. */
export const MAX_KEPT_BODY_LENGTH: number = 16 * 1024

/** How many notes of a request are kept, and how many characters of each: a request may have a megabyte of unknown properties. */
export const MAX_NOTES = 20
const MAX_NOTE_LENGTH = 200

/** The number of targets whose latest facts are kept. */
const MAX_TARGETS = 250

/** A request that was answered, to be recorded. */
export interface AnsweredRequest {
  readonly request: CoreRequest
  /** Without the headers that every response has. */
  readonly response: CoreResponse
  readonly caller: Exchange['caller']
  /** The complete API key. */
  readonly key: string | undefined
  readonly plan: string | undefined
  /** The query parameters that contain credentials. */
  readonly secretParameters?: readonly string[]
  /** The operation's name; absent when none matched. */
  readonly operation: string | undefined
  readonly refusal: Exchange['refusal'] | undefined
  readonly forced: string | undefined
  readonly body: Uint8Array | undefined
  readonly notes: readonly Note[]
}

/** Everything in an exchange except its numbers, which always differ. It must not refer to the `CoreRequest`, which refers to the socket. */
export interface ExchangeFacts {
  readonly method: string
  readonly base: string
  readonly target: string
  readonly operation: string | undefined
  /** As in {@link CoreRequest}. */
  readonly endpoint?: string | undefined
  readonly caller: Exchange['caller']
  /** The complete API key. */
  readonly key: string | undefined
  readonly plan: string | undefined
  readonly status: number
  readonly preflight: Preflight | undefined
  readonly refusal: Exchange['refusal'] | undefined
  readonly forced: string | undefined
  readonly source: ResponseSource | undefined
  readonly sourceReason: string | undefined
  readonly notes: readonly Note[]
  /** Alternating names and values. */
  readonly requestHeaders: readonly string[]
  /** The request's body, or the size in bytes of one that is too long. */
  readonly requestBody: Uint8Array | number | undefined
  /** Without the headers that every response has. */
  readonly responseHeaders: CoreResponse['headers']
  /** The response's body as text or bytes, or the size in bytes of one that is too long. */
  readonly responseBody: string | Uint8Array | number
}

/** The facts of a request that was answered. */
export function toFacts(answered: AnsweredRequest): ExchangeFacts {
  const { request, response, body } = answered
  return {
    method: request.method,
    base: request.base,
    target: targetOf(request, answered.secretParameters),
    operation: answered.operation,
    endpoint: request.endpoint,
    caller: answered.caller,
    key: answered.key,
    plan: answered.plan,
    status: response.status,
    preflight: preflightOf(request),
    refusal: answered.refusal,
    forced: answered.forced,
    source: response.source,
    sourceReason: response.sourceReason,
    notes: shortened(answered.notes),
    requestHeaders: request.headers(),
    requestBody: body && body.length > MAX_KEPT_BODY_LENGTH ? body.length : body,
    responseHeaders: response.headers,
    responseBody: request.method === 'HEAD' ? '' : bodyOrSize(response.body),
  }
}

/** The path with the query, in which credentials are masked. */
export function targetOf(
  { path, query }: Pick<CoreRequest, 'path' | 'query'>,
  secretParameters: readonly string[] = [],
): string {
  if (query === '') return path
  if (secretParameters.length === 0) return `${path}?${maskTokens(query)}`
  const pairs = query.split('&').map((pair) => {
    const [[name, secret] = []] = new URLSearchParams(`?${pair}`)
    const isSecret = name !== undefined && secretParameters.includes(name)

    return isSecret ? `${pair.split('=', 1)[0]}=${maskSecret(secret ?? '')}` : pair
  })
  return `${path}?${maskTokens(pairs.join('&'))}`
}

function shortened(notes: readonly Note[]): readonly Note[] {
  if (notes.length === 0) return notes
  return notes
    .slice(0, MAX_NOTES)
    .map(({ kind, place }) => ({ kind, place: place.slice(0, MAX_NOTE_LENGTH) }))
}

function bodyOrSize(body: CoreResponse['body']): ExchangeFacts['responseBody'] {
  return body.length > MAX_KEPT_BODY_LENGTH ? byteLength(body) : body
}

/** Keeps the facts of repeated exchanges once: clients repeat requests, and mostly get the same response. */
export class FactsCache {
  readonly #latest = new Map<string, ExchangeFacts>()

  /** Returns equal facts if they are kept already. Otherwise keeps these, and shares their headers with the latest ones. */
  share(facts: ExchangeFacts): ExchangeFacts {
    const latest = this.#latest.get(facts.target)
    if (latest && areEqual(latest, facts)) return latest
    const kept = latest ? withSharedHeaders(facts, latest) : facts
    if (this.#latest.size === MAX_TARGETS) this.#latest.clear()
    this.#latest.set(kept.target, kept)

    return kept
  }
}

/** Headers take most of the memory, and a client sends the same ones even when the responses differ. */
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
    one.source === other.source &&
    one.sourceReason === other.sourceReason &&
    one.requestBody === other.requestBody &&
    one.refusal?.message === other.refusal?.message &&
    one.refusal?.conflict === other.refusal?.conflict &&
    areEqualLists(one.requestHeaders, other.requestHeaders) &&
    areEqualHeaders(one.responseHeaders, other.responseHeaders) &&
    areEqualNotes(one.notes, other.notes)
  )
}

/** The latest response of a list or record is the same object each time. */
function areEqualHeaders(one: CoreResponse['headers'], other: CoreResponse['headers']): boolean {
  if (one === other) return true
  const names = Object.keys(one)
  return (
    areEqualLists(names, Object.keys(other)) && names.every((name) => one[name] === other[name])
  )
}

function areEqualNotes(some: readonly Note[], others: readonly Note[]): boolean {
  return some.length === others.length && some.every(({ place }, at) => place === others[at]?.place)
}

import type { Caller } from '../access/caller.ts'
import { bearerToken } from '../access/identify.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { areSame } from '../journal/equal-lists.ts'
import type { Exchange, Note, Preflight } from '../journal/exchange.ts'
import { preflightOf } from './cross-origin.ts'

/** Longer bodies are not kept. In bytes of a request's body, in characters of an answer's. */
export const LONGEST_BODY: number = 16 * 1024

/** For how many targets the latest facts are known. */
const MOST_KNOWN = 250

/** What has become known of an exchange by the time it ends. */
export interface Course {
  readonly request: CoreRequest
  readonly operation?: { readonly id: string } | undefined
  readonly refusal?: Exchange['refusal'] | undefined
  readonly forced?: string | undefined
  readonly body?: Uint8Array | undefined
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
  /** The request's headers, names and values in turn. */
  readonly headers: readonly string[]
  /** The request's body, or the size in bytes of one that is too long. */
  readonly sent: Uint8Array | number | undefined
  /** The answer's headers, but for those of every answer. */
  readonly replied: CoreResponse['headers']
  /** The answer's body, or the size in bytes of one that is too long. */
  readonly given: string | number
}

/** The facts of an exchange; `reply` is without the headers of every answer. */
export function factsOf(course: Course, response: CoreResponse, caller: Caller): ExchangeFacts {
  const { request, operation, refusal, forced, notes, body } = course
  return {
    method: request.method,
    base: request.base,
    target: request.query === '' ? request.path : `${request.path}?${request.query}`,
    operation: operation?.id,
    caller: caller.key,
    key: keyOf(request, caller),
    plan: caller.plan.name,
    status: response.status,
    preflight: preflightOf(request),
    refusal,
    forced,
    notes,
    headers: request.headers(),
    sent: body && body.length > LONGEST_BODY ? body.length : body,
    replied: response.headers,
    given: request.method === 'HEAD' ? '' : kept(response.body),
  }
}

function keyOf(request: CoreRequest, caller: Caller): string | undefined {
  if (caller.key === 'missing') return undefined
  return caller.key === 'valid' ? caller.account : bearerToken(request.header('authorization'))
}

function kept(body: string): string | number {
  return body.length > LONGEST_BODY ? new TextEncoder().encode(body).length : body
}

/** Clients ask again for what they asked for before, and mostly get the same. The journal holds it once. */
export class KnownFacts {
  readonly #latest = new Map<string, ExchangeFacts>()

  /** The facts known already that are the same, or else these, which share with them what is. */
  same(facts: ExchangeFacts): ExchangeFacts {
    const known = this.#latest.get(facts.target)
    if (known && isSame(known, facts)) return known
    const held = known ? sharing(known, facts) : facts
    if (this.#latest.size === MOST_KNOWN) this.#latest.clear()
    this.#latest.set(held.target, held)

    return held
  }
}

/** A client's headers stay the same where its answers do not, and are the most of what there is to hold. */
function sharing({ target, headers }: ExchangeFacts, facts: ExchangeFacts): ExchangeFacts {
  return areSame(headers, facts.headers) ? { ...facts, target, headers } : facts
}

/** The operation follows from the target, a refusal's code from its message, and the kind of a note from its place. */
function isSame(one: ExchangeFacts, other: ExchangeFacts): boolean {
  return (
    one.status === other.status &&
    one.given === other.given &&
    one.method === other.method &&
    one.base === other.base &&
    one.caller === other.caller &&
    one.key === other.key &&
    one.plan === other.plan &&
    one.forced === other.forced &&
    one.sent === other.sent &&
    one.refusal?.message === other.refusal?.message &&
    areSame(one.headers, other.headers) &&
    areSame(Object.keys(one.replied), Object.keys(other.replied)) &&
    areSame(Object.values(one.replied), Object.values(other.replied)) &&
    areSame(one.notes.map(placeOf), other.notes.map(placeOf))
  )
}

function placeOf({ place }: Note): string {
  return place
}

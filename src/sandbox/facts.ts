import type { Caller } from '../access/caller.ts'
import { bearerToken } from '../access/identify.ts'
import type { Exchange, Note } from '../exchange.ts'
import type { Ask, Reply } from '../message.ts'
import { areSame } from '../same.ts'

/** Longer bodies are not kept: bytes of a request, characters of an answer. */
export const LONGEST_BODY: number = 16 * 1024

/** The latest facts are known of so many targets. */
const MOST_KNOWN = 250

/** What became known of an exchange while it was under way. */
export interface Course {
  readonly ask: Ask
  readonly operation?: { readonly id: string } | undefined
  readonly refusal?: Exchange['refusal'] | undefined
  readonly forced?: string | undefined
  readonly body?: Uint8Array | undefined
  readonly notes: readonly Note[]
}

/** All of an exchange that is no number of its own. It must not hold on to the `Ask`: that leads to the socket. */
export interface Facts {
  readonly method: string
  readonly base: string
  readonly target: string
  readonly operation: string | undefined
  readonly caller: Exchange['caller']
  /** The whole API key. */
  readonly key: string | undefined
  readonly plan: string
  readonly status: number
  readonly refusal: Exchange['refusal'] | undefined
  readonly forced: string | undefined
  readonly notes: readonly Note[]
  /** The request's, names and values in turn. */
  readonly headers: readonly string[]
  /** The request's body; of a long one, its size in bytes. */
  readonly sent: Uint8Array | number | undefined
  /** The answer's headers, without what every answer carries. */
  readonly replied: Reply['headers']
  /** The answer's body; of a long one, its size in bytes. */
  readonly given: string | number
}

/** The facts of an exchange; `reply` is without what every answer carries. */
export function factsOf(course: Course, reply: Reply, caller: Caller): Facts {
  const { ask, operation, refusal, forced, notes, body } = course
  return {
    method: ask.method,
    base: ask.base,
    target: ask.query === '' ? ask.path : `${ask.path}?${ask.query}`,
    operation: operation?.id,
    caller: caller.key,
    key: keyOf(ask, caller),
    plan: caller.plan.name,
    status: reply.status,
    refusal,
    forced,
    notes,
    headers: ask.headers(),
    sent: body && body.length > LONGEST_BODY ? body.length : body,
    replied: reply.headers,
    given: ask.method === 'HEAD' ? '' : kept(reply.body),
  }
}

function keyOf(ask: Ask, caller: Caller): string | undefined {
  if (caller.key === 'missing') return undefined
  return caller.key === 'valid' ? caller.account : bearerToken(ask.header('authorization'))
}

function kept(body: string): string | number {
  return body.length > LONGEST_BODY ? new TextEncoder().encode(body).length : body
}

/** Clients ask again for what they asked for before, and mostly get the same: the journal holds that once. */
export class KnownFacts {
  readonly #latest = new Map<string, Facts>()

  /** The same facts as they are known, or else these. */
  same(facts: Facts): Facts {
    const known = this.#latest.get(facts.target)
    if (known && isSame(known, facts)) return known
    if (this.#latest.size === MOST_KNOWN) this.#latest.clear()
    this.#latest.set(facts.target, facts)

    return facts
  }
}

/** The operation follows from the target, a refusal's code from its message, and the kind of a note from its place. */
function isSame(one: Facts, other: Facts): boolean {
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

import { bearerToken, type Caller } from '../access/caller.ts'
import type { Quota } from '../access/quota.ts'
import { type Exchange, type GivenMessage, type SentMessage, shown } from '../exchange.ts'
import type { Ask, Reply } from '../message.ts'

/** Longer bodies are not kept: bytes of a request, characters of an answer. */
const LONGEST_BODY = 16 * 1024

/** A body that is kept; of a long one, its size in bytes. */
type Kept<Content> = Content | number

/** What became known of an exchange while it was under way. */
interface Course {
  readonly ask: Ask
  readonly time: number
  readonly operation?: { readonly id: string } | undefined
  readonly refusal?: Exchange['refusal'] | undefined
  readonly forced?: string | undefined
  readonly body?: Uint8Array | undefined
  readonly notes: Exchange['notes']
  readonly milliseconds: number
}

/**
 * An exchange in the journal. There may be a thousand and more, made on the way of every request, so it holds what its
 * messages are made from, and makes them when they are asked for. It must not hold on to the `Ask`: that leads to the
 * socket.
 */
export class ClosedExchange implements Exchange {
  readonly id: number
  readonly time: number
  readonly method: string
  readonly target: string
  // Declared only: as fields they would be there, undefined, in every copy.
  declare readonly operation?: string
  readonly caller: Exchange['caller']
  declare readonly key?: string
  readonly plan: string
  readonly status: number
  declare readonly reason?: string
  readonly quota: Exchange['quota']
  declare readonly refusal?: NonNullable<Exchange['refusal']>
  declare readonly forced?: string
  readonly notes: Exchange['notes']
  readonly milliseconds: number

  readonly #base: string
  readonly #sentHeaders: ReturnType<Ask['headers']>
  readonly #sentBody: Kept<Uint8Array> | undefined
  readonly #givenHeaders: Reply['headers']
  readonly #givenBody: Kept<string>

  constructor(id: number, course: Course, reply: Reply, caller: Caller, quota: Quota) {
    const { ask, operation, refusal, forced, body } = course
    const key = keyOf(ask, caller)
    const reason = reply.headers['X-Sandbox-Reason']
    this.id = id
    this.time = course.time
    this.method = ask.method
    this.target = ask.query === '' ? ask.path : `${ask.path}?${ask.query}`
    if (operation) this.operation = operation.id
    this.caller = caller.key
    if (key !== undefined) this.key = key
    this.plan = caller.plan.name
    this.status = reply.status
    if (reason !== undefined) this.reason = reason
    this.quota = { before: quota.before, after: quota.after }
    if (refusal) this.refusal = refusal
    if (forced) this.forced = forced
    this.notes = course.notes
    this.milliseconds = course.milliseconds

    this.#base = ask.base
    this.#sentHeaders = ask.headers()
    this.#sentBody = body && body.length > LONGEST_BODY ? body.length : body
    this.#givenHeaders = reply.fault ? {} : reply.headers
    this.#givenBody = reply.fault || ask.method === 'HEAD' ? '' : kept(reply.body)
  }

  get request(): SentMessage {
    const body = this.#sentBody
    return {
      url: this.#base + this.target,
      headers: [...this.#sentHeaders].map(withoutSecret),
      ...(typeof body === 'number' && { bodySize: body }),
      ...(typeof body === 'object' && { body: new TextDecoder().decode(body) }),
    }
  }

  get response(): GivenMessage {
    const body = this.#givenBody
    const headers = Object.entries(this.#givenHeaders)

    return typeof body === 'number' ? { headers, body: '', bodySize: body } : { headers, body }
  }
}

function keyOf(ask: Ask, caller: Caller): string | undefined {
  if (caller.key === 'missing') return undefined
  return shown(
    caller.key === 'valid' ? caller.account : (bearerToken(ask.header('authorization')) ?? ''),
  )
}

function kept(body: string): Kept<string> {
  return body.length > LONGEST_BODY ? new TextEncoder().encode(body).length : body
}

/** The scheme and the end of the credentials: of a bearer token or of a bare key, as some clients send it. */
function withoutSecret([name, value]: readonly [string, string]): readonly [string, string] {
  if (name.toLowerCase() !== 'authorization') return [name, value]
  const [, scheme = '', secret = ''] = /^(\S+ +)?(.*)$/s.exec(value) ?? []
  const isBearer = scheme === '' || scheme.trim().toLowerCase() === 'bearer'

  return [name, scheme + (isBearer ? shown(secret.trim()) : '…')]
}

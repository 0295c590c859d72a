import type { Caller } from '../access/caller.ts'
import { bearerToken } from '../access/identify.ts'
import type { Quota } from '../access/quota.ts'
import {
  type Exchange,
  type GivenMessage,
  type KeyHolder,
  type SentMessage,
  shown,
} from '../exchange.ts'
import type { Ask, Reply } from '../message.ts'
import { REASON } from '../problem.ts'

/** Longer bodies are not kept: bytes of a request, characters of an answer. */
export const LONGEST_BODY: number = 16 * 1024

/** What the messages of an exchange are made from; of a long body, its size in bytes. */
interface Messages {
  readonly base: string
  readonly key: string | undefined
  readonly headers: ReturnType<Ask['headers']>
  readonly sent: Uint8Array | number | undefined
  readonly replied: Reply['headers']
  readonly given: string | number
}

/** What became known of an exchange while it was under way. */
interface Course {
  readonly ask: Ask
  readonly time: number
  readonly follows?: number
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
export class ClosedExchange implements Exchange, KeyHolder {
  // Declared only: fields would be set twice, and those left out would be there, undefined, in every copy.
  declare readonly id: number
  declare readonly follows?: number
  declare readonly time: number
  declare readonly method: string
  declare readonly target: string
  declare readonly operation?: string
  declare readonly caller: Exchange['caller']
  declare readonly key?: string
  declare readonly plan: string
  declare readonly status: number
  declare readonly reason?: string
  declare readonly quota: Exchange['quota']
  declare readonly refusal?: NonNullable<Exchange['refusal']>
  declare readonly forced?: string
  declare readonly notes: Exchange['notes']
  declare readonly milliseconds: number
  readonly #messages: Messages

  constructor(id: number, course: Course, reply: Reply, caller: Caller, quota: Quota) {
    const { ask, operation, refusal, forced, body } = course
    const key = keyOf(ask, caller)
    const reason = reply.headers[REASON]
    this.id = id
    if (course.follows !== undefined && course.follows !== id - 1) this.follows = course.follows
    this.time = course.time
    this.method = ask.method
    this.target = ask.query === '' ? ask.path : `${ask.path}?${ask.query}`
    if (operation) this.operation = operation.id
    this.caller = caller.key
    if (key !== undefined) this.key = shown(key)
    this.plan = caller.plan.name
    this.status = reply.status
    if (reason !== undefined) this.reason = reason
    this.quota = { before: quota.before, after: quota.after }
    if (refusal) this.refusal = refusal
    if (forced) this.forced = forced
    this.notes = course.notes
    this.milliseconds = course.milliseconds
    this.#messages = {
      base: ask.base,
      key,
      headers: ask.headers(),
      sent: body && body.length > LONGEST_BODY ? body.length : body,
      replied: reply.status === 0 ? {} : reply.headers,
      given: ask.method === 'HEAD' ? '' : kept(reply.body),
    }
  }

  hasKey(key: string): boolean {
    return this.#messages.key === key
  }

  get request(): SentMessage {
    const { base, headers, sent } = this.#messages
    return {
      url: base + this.target,
      headers: [...headers].map(withoutSecret),
      ...(typeof sent === 'number' && { bodySize: sent }),
      ...(typeof sent === 'object' && { body: new TextDecoder().decode(sent) }),
    }
  }

  get response(): GivenMessage {
    const { replied, given } = this.#messages
    const headers = Object.entries(replied)
    return typeof given === 'number'
      ? { headers, body: '', bodySize: given }
      : { headers, body: given }
  }
}

function keyOf(ask: Ask, caller: Caller): string | undefined {
  if (caller.key === 'missing') return undefined
  return caller.key === 'valid' ? caller.account : bearerToken(ask.header('authorization'))
}

function kept(body: string): string | number {
  return body.length > LONGEST_BODY ? new TextEncoder().encode(body).length : body
}

/** Headers that carry credentials, by standards and by custom: those of the API, and what clients send along. */
const SECRET = /authorization|cookie|api-?key|token|secret/i

/**
 * Of `Authorization`, the scheme and the end of the credentials: of a bearer token or of a bare key, as some clients send it.
 * Of others, nothing.
 */
function withoutSecret([name, value]: readonly [string, string]): readonly [string, string] {
  if (!SECRET.test(name)) return [name, value]
  if (!/authorization$/i.test(name)) return [name, '…']
  const [, scheme = '', secret = ''] = /^([\w-]+ +)?(.*)$/s.exec(value) ?? []

  return [name, scheme + (/^(bearer +)?$/i.test(scheme) ? shown(secret.trim()) : '…')]
}

import type { Quota } from '../access/quota.ts'
import { REASON } from '../http/problem.ts'
import {
  type Exchange,
  type GivenMessage,
  type KeyHolder,
  type SentMessage,
  shown,
} from '../journal/exchange.ts'
import type { JournalEntry } from '../journal/ring-buffer.ts'
import type { CrossOrigin } from './cross-origin.ts'
import type { ExchangeFacts } from './exchange-facts.ts'
import { withCommonHeaders } from './response-headers.ts'

/** When an exchange took place, and how long it took. */
type Timing = Required<Pick<Exchange, 'time' | 'follows' | 'milliseconds'>>

/** An exchange as a row of the journal. */
export function toJournalEntry(
  id: number,
  timing: Timing,
  quota: Quota,
  facts: ExchangeFacts,
): JournalEntry<ExchangeFacts> {
  return { numbers: numbersOf(id, timing, quota), facts }
}

/** The numbers of an exchange, which differ each time, in the order in which `RecordedExchange` reads them. */
function numbersOf(
  id: number,
  { follows, time, milliseconds }: Timing,
  { limit, remaining, reset, before, after }: Quota,
) {
  return [
    id,
    follows,
    time,
    milliseconds,
    limit,
    remaining,
    reset,
    before.minute,
    before.day,
    after.minute,
    after.day,
  ] as const
}

/** An exchange as the journal shows it. Its messages are made when they are asked for. */
export class RecordedExchange implements Exchange, KeyHolder {
  // Only declared: a real field would be set twice and, where it is left out, show up as undefined in every copy.
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
  declare readonly preflight?: NonNullable<Exchange['preflight']>
  declare readonly refusal?: NonNullable<Exchange['refusal']>
  declare readonly forced?: string
  declare readonly notes: Exchange['notes']
  declare readonly milliseconds: number
  readonly #crossOrigin: CrossOrigin
  readonly #facts: ExchangeFacts
  readonly #told: Pick<Quota, 'limit' | 'remaining' | 'reset'>

  constructor({ numbers, facts }: JournalEntry<ExchangeFacts>, crossOrigin: CrossOrigin) {
    const [
      id,
      follows,
      time,
      milliseconds,
      limit,
      remaining,
      reset,
      minuteBefore,
      dayBefore,
      minuteAfter,
      dayAfter,
    ] = numbers as ReturnType<typeof numbersOf>
    const { operation, key, preflight, refusal, forced } = facts
    const reason = facts.replied[REASON]
    this.id = id
    if (follows !== id - 1) this.follows = follows
    this.time = time
    this.method = facts.method
    this.target = facts.target
    if (operation !== undefined) this.operation = operation
    this.caller = facts.caller
    if (key !== undefined) this.key = shown(key)
    this.plan = facts.plan
    this.status = facts.status
    if (reason !== undefined) this.reason = reason
    this.quota = {
      before: { minute: minuteBefore, day: dayBefore },
      after: { minute: minuteAfter, day: dayAfter },
    }
    // Copies, for the facts are shared with other exchanges.
    if (preflight) this.preflight = { ...preflight }
    if (refusal) this.refusal = { ...refusal }
    if (forced !== undefined) this.forced = forced
    this.notes = facts.notes.map((note) => ({ ...note }))
    this.milliseconds = milliseconds
    this.#crossOrigin = crossOrigin
    this.#facts = facts
    this.#told = { limit, remaining, reset }
  }

  hasKey(key: string): boolean {
    return this.#facts.key === key
  }

  get request(): SentMessage {
    const { base, target, headers, sent } = this.#facts
    return {
      url: base + target,
      headers: headers.flatMap((name, at) =>
        at % 2 === 0 ? [withoutSecret(name, headers[at + 1] ?? '')] : [],
      ),
      ...(typeof sent === 'number' && { bodySize: sent }),
      ...(typeof sent === 'object' && { body: utf8.decode(sent) }),
    }
  }

  get response(): GivenMessage {
    const { status, replied, given, headers: sent, method } = this.#facts
    const bare = { status, headers: replied, body: '' }
    const crossOrigin = this.#crossOrigin.headers(originIn(sent), method)
    const response = withCommonHeaders(bare, this.#told, this.time, crossOrigin)
    const headers = status === 0 ? [] : Object.entries(response.headers)
    return typeof given === 'number'
      ? { headers, body: '', bodySize: given }
      : { headers, body: given }
  }
}

/** The `Origin` among a request's headers, names and values in turn; repeated ones are joined, as `Ask.header` does. */
function originIn(headers: readonly string[]): string | undefined {
  const values = headers.filter(
    (_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === 'origin',
  )
  return values.length === 0 ? undefined : values.join(', ')
}

/** A byte order mark stays, for the body to have the size that it had. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Headers that carry credentials, by standard or by custom: those of the API, and others that clients send along. */
const SECRET = /authorization|cookie|api-?key|token|secret/i

/**
 * A header without its secret. `Authorization` keeps the scheme and, of a bearer token or of a bare key as some clients send
 * it, the end; other headers with credentials keep nothing.
 */
function withoutSecret(name: string, value: string): readonly [string, string] {
  if (!SECRET.test(name)) return [name, value]
  if (!/authorization$/i.test(name)) return [name, '…']
  const [, scheme = '', secret = ''] = /^([\w-]+ +)?(.*)$/s.exec(value) ?? []

  return [name, scheme + (/^(bearer +)?$/i.test(scheme) ? shown(secret.trim()) : '…')]
}

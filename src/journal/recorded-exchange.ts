import { sentHeaders } from '../http/headers.ts'
import type { Delivery } from '../http/message.ts'
import { REASON_HEADER } from '../http/problem.ts'
import {
  type CrossOrigin,
  type RateLimit,
  type WriteQuota,
  withCommonHeaders,
} from '../http/response-headers.ts'
import {
  type Exchange,
  type GivenMessage,
  type KeyHolder,
  maskIssued,
  maskSecret,
  maskTokens,
  type RemainingQuota,
  type SentMessage,
} from './exchange.ts'
import {
  type AnsweredRequest,
  type ExchangeFacts,
  type FactsCache,
  toFacts,
} from './exchange-facts.ts'
import type { Journal, JournalEntry } from './journal.ts'

/** When an exchange took place, and how long it took. */
type ExchangeTiming = Required<Pick<Exchange, 'time' | 'follows' | 'milliseconds'>> & {
  readonly delivery?: Delivery | undefined
}

/** The caller's quota before and after the request, and that in the headers of the response, if there are any. */
export interface ExchangeQuota {
  readonly quota: NonNullable<Exchange['quota']> | undefined
  readonly rateLimit: RateLimit | undefined
}

/** An exchange as an entry of the journal. */
export function toJournalEntry(
  id: number,
  timing: ExchangeTiming,
  quota: ExchangeQuota,
  facts: ExchangeFacts,
): JournalEntry<ExchangeFacts> {
  return { numbers: numbersOf(id, timing, quota), facts }
}

/**
 * The numbers of an exchange, which differ each time, in the order in which `RecordedExchange` reads them. A number that does
 * not exist is `NaN`.
 */
function numbersOf(
  id: number,
  { follows, time, milliseconds, delivery }: ExchangeTiming,
  { quota: { before, after } = NO_QUOTA, rateLimit = NO_RATE }: ExchangeQuota,
) {
  return [
    id,
    follows,
    time,
    milliseconds,
    rateLimit.limit,
    rateLimit.remaining,
    rateLimit.reset,
    before.minute,
    before.day,
    after.minute,
    after.day,
    delivery?.received ?? Number.NaN,
    delivery?.connection ?? Number.NaN,
    delivery?.opened ?? Number.NaN,
  ] as const
}

const NO_RATE: RateLimit = { limit: Number.NaN, remaining: Number.NaN, reset: Number.NaN }

const NONE_LEFT: RemainingQuota = { minute: Number.NaN, day: Number.NaN }

const NO_QUOTA = { before: NONE_LEFT, after: NONE_LEFT }

/** An exchange as the journal shows it. Its request and response are created when they are read. */
export class RecordedExchange implements Exchange, KeyHolder {
  // Only declared: an initialized field would be set twice, and an absent one would be `undefined` in every copy.
  declare readonly id: number
  declare readonly follows?: number
  declare readonly delivery?: Delivery
  declare readonly time: number
  declare readonly method: string
  declare readonly target: string
  declare readonly operation?: string
  declare readonly endpoint?: string
  declare readonly caller: Exchange['caller']
  declare readonly key?: string
  declare readonly client?: string
  declare readonly plan?: string
  declare readonly status: number
  declare readonly reason?: string
  declare readonly quota?: NonNullable<Exchange['quota']>
  declare readonly preflight?: NonNullable<Exchange['preflight']>
  declare readonly refusal?: NonNullable<Exchange['refusal']>
  declare readonly forced?: string
  declare readonly source?: NonNullable<Exchange['source']>
  declare readonly sourceReason?: string
  declare readonly notes: Exchange['notes']
  declare readonly milliseconds: number
  readonly #crossOrigin: CrossOrigin
  readonly #facts: ExchangeFacts
  readonly #rateLimit: RateLimit | undefined
  readonly #secretHeaders: readonly string[]
  readonly #writeQuota: WriteQuota | undefined

  /**
   * `secretHeaders` are further headers that contain credentials, in lower case. `clientOf` returns the id of a credential.
   */
  constructor(
    { numbers, facts }: JournalEntry<ExchangeFacts>,
    crossOrigin: CrossOrigin,
    secretHeaders: readonly string[] = [],
    writeQuota?: WriteQuota,
    clientOf?: (credential: string) => string,
  ) {
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
      ...delivered
    ] = numbers as ReturnType<typeof numbersOf>
    const { operation, endpoint, key, preflight, refusal, forced, source, sourceReason } = facts
    const reason = facts.responseHeaders[REASON_HEADER]
    this.id = id
    if (follows !== id - 1) this.follows = follows
    const delivery = deliveryOf(...delivered)
    if (delivery) this.delivery = delivery
    this.time = time
    this.method = facts.method
    this.target = facts.target
    if (operation !== undefined) this.operation = operation
    this.caller = facts.caller
    if (key !== undefined) {
      this.key = maskSecret(key)
      if (clientOf) this.client = clientOf(key)
    }
    if (facts.plan !== undefined) this.plan = facts.plan
    this.status = facts.status
    if (reason !== undefined) this.reason = reason
    if (!Number.isNaN(dayAfter)) {
      this.quota = {
        before: { minute: minuteBefore, day: dayBefore },
        after: { minute: minuteAfter, day: dayAfter },
      }
    }
    // Copies, because the facts are shared with other exchanges.
    if (preflight) this.preflight = { ...preflight }
    if (refusal) this.refusal = { ...refusal }
    if (forced !== undefined) this.forced = forced
    assignKnown(this, { source, sourceReason, endpoint })
    this.notes = facts.notes.map((note) => ({ ...note }))
    this.milliseconds = milliseconds
    this.#crossOrigin = crossOrigin
    this.#facts = facts
    this.#rateLimit = Number.isNaN(limit) ? undefined : { limit, remaining, reset }
    this.#secretHeaders = secretHeaders
    this.#writeQuota = writeQuota
  }

  hasKey(key: string): boolean {
    return this.#facts.key === key
  }

  get request(): SentMessage {
    const { base, target, requestHeaders: headers, requestBody: body } = this.#facts
    return {
      url: base + target,
      headers: headers.flatMap((name, at) =>
        at % 2 === 0 ? [maskHeader(name, headers[at + 1] ?? '', this.#secretHeaders)] : [],
      ),
      ...(typeof body === 'number' && { bodySize: body }),
      ...(typeof body === 'object' && { body: maskIssued(utf8.decode(body)) }),
    }
  }

  get response(): GivenMessage {
    const { status, method, requestHeaders, responseHeaders, responseBody: body } = this.#facts
    const bare = { status, headers: responseHeaders, body: typeof body === 'number' ? '' : body }
    const crossOrigin = this.#crossOrigin.headers(originIn(requestHeaders), method)
    const response = withCommonHeaders(
      bare,
      this.#rateLimit,
      this.time,
      crossOrigin,
      this.#writeQuota,
    )
    const headers = status === 0 ? [] : sentHeaders(response.headers)
    if (typeof body === 'number') return { headers, body: '', bodySize: body }
    return typeof body === 'string'
      ? { headers, body: maskIssued(body) }
      : { headers, body: btoa(String.fromCharCode(...body)), encoding: 'base64' }
  }
}

/** Sets the properties that have a value. */
function assignKnown(exchange: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) Reflect.set(exchange, name, value)
  }
}

/** A delivery by its numbers in an entry. Entries of earlier versions in a store have none. */
function deliveryOf(
  received = Number.NaN,
  connection = Number.NaN,
  opened = Number.NaN,
): Delivery | undefined {
  if (Number.isNaN(received)) return undefined
  return {
    received,
    ...(!Number.isNaN(connection) && { connection }),
    ...(!Number.isNaN(opened) && { opened }),
  }
}

/** The `Origin` in alternating names and values. Repeated ones are joined, as `CoreRequest.header` joins them. */
function originIn(headers: readonly string[]): string | undefined {
  const values = headers.filter(
    (_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === 'origin',
  )
  return values.length === 0 ? undefined : values.join(', ')
}

/** Keeps a byte order mark, so that the size of the body stays the same. */
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Headers that contain credentials, by standard or by convention. */
const SECRET = /authorization|cookie|api-?key|token|secret/i

/**
 * A header without its secret. `Authorization` keeps the scheme and, of a bearer token or of a bare key as some clients send
 * it, the end; other headers with credentials keep nothing.
 */
function maskHeader(
  name: string,
  value: string,
  secretHeaders: readonly string[],
): readonly [string, string] {
  if (!(SECRET.test(name) || secretHeaders.includes(name.toLowerCase())))
    return [name, maskTokens(value)]
  if (!/authorization$/i.test(name)) return [name, '…']
  const [, scheme = '', secret = ''] = /^([\w-]+ +)?(.*)$/s.exec(value) ?? []

  return [name, scheme + (/^(bearer +)?$/i.test(scheme) ? maskSecret(secret.trim()) : '…')]
}

/** A journal, and the cache of the facts in it. */
export interface Recorder {
  readonly journal: Journal<ExchangeFacts>
  readonly facts: FactsCache
}

/** Records a request that was answered, as the next entry of the journal. */
export function recordExchange(
  { journal, facts }: Recorder,
  answered: AnsweredRequest,
  timing: ExchangeTiming,
  quota: ExchangeQuota,
): void {
  const shared = facts.share(toFacts(answered))
  journal.add(toJournalEntry(journal.last + 1, timing, quota, shared))
}

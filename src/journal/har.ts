import { headerIn } from '../http/headers.ts'
import type { Delivery } from '../http/message.ts'
import {
  byteLength,
  type Exchange,
  type ExchangeError,
  type GivenMessage,
  type Note,
  type SentMessage,
} from './exchange.ts'

/** The program that wrote an archive. */
export interface HarCreator {
  readonly name: string
  readonly version: string
}

/** An HTTP archive: HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/. */
export interface Har {
  readonly log: {
    readonly version: '1.2'
    readonly creator: HarCreator
    readonly entries: readonly HarEntry[]
  }
}

interface NameAndValue {
  readonly name: string
  readonly value: string
}

interface HarMessage {
  readonly httpVersion: string
  readonly cookies: readonly NameAndValue[]
  readonly headers: readonly NameAndValue[]
  readonly headersSize: number
  /** In bytes; -1 when unknown. */
  readonly bodySize: number
}

interface HarRequest extends HarMessage {
  readonly method: string
  readonly url: string
  readonly queryString: readonly NameAndValue[]
  readonly postData?: {
    readonly mimeType: string
    readonly text: string
    readonly comment?: string
  }
}

interface HarResponse extends HarMessage {
  readonly status: number
  readonly statusText: string
  readonly content: {
    readonly size: number
    readonly mimeType: string
    readonly text?: string
    readonly encoding?: 'base64'
    readonly comment?: string
  }
  readonly redirectURL: string
  /** Why there was no response. */
  readonly _error?: string
}

/** One exchange, or what was sent to a receiver of events. The fields with an underscore have what HAR has no field for. */
interface HarEntry {
  /** On the sandbox's clock. */
  readonly startedDateTime: string
  /** In milliseconds. */
  readonly time: number
  readonly request: HarRequest
  readonly response: HarResponse
  readonly cache: Readonly<Record<string, never>>
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number }
  /** The id of the exchange; absent for a delivery. */
  readonly _id?: number
  readonly _follows?: number
  readonly _delivery?: Delivery
  readonly _operation?: string
  readonly _caller?: Exchange['caller']
  /** The API key, of which only the end is shown. */
  readonly _key?: string
  readonly _client?: string
  readonly _plan?: string
  readonly _reason?: string
  readonly _forced?: string
  readonly _source?: NonNullable<Exchange['source']>
  readonly _sourceReason?: string
  readonly _errors?: readonly ExchangeError[]
  readonly _quota?: NonNullable<Exchange['quota']>
  readonly _notes?: readonly Note[]
  /** What a receiver was told of; absent for an exchange. */
  readonly _event?: object
  /** The delivery to the receiver; absent for an exchange. */
  readonly _sent?: object
}

/** The sandbox does not know these: a message may not have been sent over a network. */
const UNKNOWN = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 } as const

const BODY_NOT_KEPT = 'The body is longer than the journal keeps.'

/** Exchanges as an HTTP archive, in the given order. */
export function toHar(exchanges: readonly Exchange[], creator: HarCreator): Har {
  return { log: { version: '1.2', creator, entries: exchanges.map(toEntry) } }
}

function toEntry(exchange: Exchange): HarEntry {
  const { time, milliseconds, request, response, follows, operation, reason, forced } = exchange
  const { source, sourceReason } = exchange
  const { errors } = exchange.refusal ?? {}

  return {
    startedDateTime: new Date(time).toISOString(),
    time: milliseconds,
    request: toRequest(exchange.method, request),
    response:
      exchange.status === 0 ? withoutResponse(exchange) : toResponse(exchange.status, response),
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
    _id: exchange.id,
    ...(follows !== undefined && { _follows: follows }),
    ...(exchange.delivery && { _delivery: exchange.delivery }),
    ...(operation !== undefined && { _operation: operation }),
    _caller: exchange.caller,
    ...(exchange.key !== undefined && { _key: exchange.key }),
    ...(exchange.client !== undefined && { _client: exchange.client }),
    ...(exchange.plan !== undefined && { _plan: exchange.plan }),
    ...(reason !== undefined && { _reason: reason }),
    ...(forced !== undefined && { _forced: forced }),
    ...(source !== undefined && { _source: source }),
    ...(sourceReason !== undefined && { _sourceReason: sourceReason }),
    ...(errors && { _errors: errors }),
    ...(exchange.quota && { _quota: exchange.quota }),
    _notes: exchange.notes,
  }
}

/** What every entry of an archive has: a request and its response, if there was one. */
export type HarMessages = Pick<
  HarEntry,
  'startedDateTime' | 'time' | 'request' | 'response' | 'cache' | 'timings'
>

/** The messages of a request that the sandbox itself has sent. Without a status there was no response, and `error` says why. */
export function harMessages(
  sent: {
    readonly time: number
    readonly milliseconds: number
    readonly method: string
    readonly status: number
    readonly error?: string | undefined
  },
  request: SentMessage,
  response: GivenMessage,
): HarMessages {
  const { time, milliseconds, method, status, error } = sent
  return {
    startedDateTime: new Date(time).toISOString(),
    time: milliseconds,
    request: toRequest(method, request),
    response: { ...toResponse(status, response), ...(error !== undefined && { _error: error }) },
    cache: {},
    timings: { send: 0, wait: milliseconds, receive: 0 },
  }
}

function toRequest(method: string, { url, headers, body, bodySize }: SentMessage): HarRequest {
  const mark = url.indexOf('?')
  const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark))
  const mimeType = headerIn(headers, 'content-type') ?? ''

  return {
    ...UNKNOWN,
    method,
    url,
    queryString: pairs(query),
    headers: pairs(headers),
    ...(body && { postData: { mimeType, text: body } }),
    ...(bodySize !== undefined && { postData: { mimeType, text: '', comment: BODY_NOT_KEPT } }),
    bodySize: bodySize ?? (body === undefined ? unreadSize(headers) : byteLength(body)),
  }
}

/** The size of a body that was not read: 0 without a body, else unknown. */
function unreadSize(headers: SentMessage['headers']): number {
  const bodyHeaders = ['content-length', 'transfer-encoding', 'content-type']
  return bodyHeaders.some((name) => (headerIn(headers, name) ?? '0') !== '0') ? -1 : 0
}

function toResponse(
  status: number,
  { headers, body, encoding, bodySize }: GivenMessage,
): HarResponse {
  const size = bodySize ?? (encoding ? atob(body).length : byteLength(body))

  return {
    ...UNKNOWN,
    status,
    statusText: '',
    headers: pairs(headers),
    content: {
      size,
      mimeType: headerIn(headers, 'content-type') ?? 'x-unknown',
      ...(bodySize === undefined ? { text: body } : { comment: BODY_NOT_KEPT }),
      ...(encoding && { encoding }),
    },
    redirectURL: headerIn(headers, 'location') ?? '',
    bodySize: size,
  }
}

/** The response as browsers record it for a timeout, an aborted request and a reset connection. */
function withoutResponse({ forced, refusal }: Exchange): HarResponse {
  const isAborted = refusal?.code === 'incomplete_body'
  const error = isAborted ? 'net::ERR_ABORTED' : 'net::ERR_CONNECTION_RESET'

  return {
    ...UNKNOWN,
    status: 0,
    statusText: '',
    httpVersion: '',
    headers: [],
    content: { size: 0, mimeType: 'x-unknown' },
    redirectURL: '',
    bodySize: -1,
    _error: forced === 'timeout' ? 'net::ERR_TIMED_OUT' : error,
  }
}

function pairs(list: Iterable<readonly [name: string, value: string]>): NameAndValue[] {
  return [...list].map(([name, value]) => ({ name, value }))
}

/** A request as the core takes it, independent of any transport. */
export interface CoreRequest {
  /** As it was sent, such as `GET`. */
  readonly method: string
  /** The base address of the request, such as `http://127.0.0.1:4010/v1`. Links in responses start with it. */
  readonly base: string
  /** The base path of the contract that the request is below. Without it, the operations of all servers match. */
  readonly serverPath?: string | undefined
  /** What a path of sign-in is for, such as `token`; absent for requests to the API. */
  readonly endpoint?: string | undefined
  /** The path below the base address, still percent-encoded, such as `/books/a%20b`. */
  readonly path: string
  /** The query without the question mark; empty when the URL has none. */
  readonly query: string
  /** A header's value by its lower-case name; values of a repeated header are joined by `, `. */
  header(name: string): string | undefined
  /** All headers as they were sent, with repeated ones: alternating names and values. */
  headers(): readonly string[]
  /** The complete body; `undefined` when it has more than `limit` bytes. Rejects when the body does not arrive. */
  body(limit: number): Promise<Uint8Array | undefined>
  /** Absent when the request was sent at the moment when it came, as to a sandbox in the same process. */
  readonly delivery?: Delivery
  /** Aborted when the client no longer waits for the response; absent when the transport cannot detect this. */
  readonly signal?: AbortSignal
  /** Awaited before the response: resolves when the changes of the request are saved. Rejects with a Problem when saving fails. */
  saveChanges?(): Promise<void>
  /** The former name of `saveChanges`. Used when that is absent. */
  settle?(): Promise<void>
}

/**
 * How a request came over a network: the client may have sent it before it saw the responses to requests that came earlier. Times are
 * epoch milliseconds of the real time.
 */
export interface Delivery {
  readonly received: number
  /**
   * The number of the connection. The client had seen the earlier responses on it. Absent when a connection does not tell that, as
   * behind a proxy or with a browser.
   */
  readonly connection?: number
  /** When the connection was opened, at the latest; only for the first request on it. */
  readonly opened?: number
}

/**
 * What the body of a response that is no error is made of: stored records, a record that is made for an id that nobody created, an
 * example of the document, generated values, or the code of a developer.
 */
export type ResponseSource = (typeof SOURCES)[number]

export const SOURCES: readonly ['record', 'invented', 'example', 'generated', 'handler'] = [
  'record',
  'invented',
  'example',
  'generated',
  'handler',
]

/** The header that says what the body of a response is made of. */
export const SOURCE_HEADER = 'X-Sandbox-Source'

/** A response as the core returns it. Transports add the framing (`Content-Length`), and omit the body for HEAD. */
export interface CoreResponse {
  /** 0 when the client gets no response, because the connection is closed or stays open. */
  readonly status: number
  /** Each name occurs once, in its usual spelling. `Set-Cookie` has a line for each cookie. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON or other text, or bytes; an empty text when the response has no content. */
  readonly body: string | Uint8Array
  /**
   * A fault of the connection: `reset` resets it without a response, `empty` closes it without a response, `timeout` leaves it open
   * without a response, `truncated` closes it after half of the body, and `slow-bytes` sends the body in pieces. Without a response,
   * only the journal has the rest.
   */
  readonly fault?: 'reset' | 'empty' | 'timeout' | 'truncated' | 'slow-bytes'
  /**
   * Opens a body that is sent while it arises, in place of `body`, which is empty then. Called once, when the head is sent. The transport cancels
   * the stream when the client disconnects.
   */
  readonly stream?: () => ReadableStream<Uint8Array>
  /** What the body is made of, for the journal; absent for an error, and without a body. */
  readonly source?: ResponseSource
  /** Why the body contains no stored records. */
  readonly sourceReason?: string
}

/** How many pieces the body of a slow response has. */
const PIECES = 10

/** The time between two pieces of a slow response, in milliseconds. */
export const PIECE_INTERVAL = 100

/** The pieces of a body that is sent slowly. None is empty. */
export function piecesOf<Buffer extends ArrayBufferLike>(
  bytes: Uint8Array<Buffer>,
): readonly Uint8Array<Buffer>[] {
  const size = Math.max(1, Math.ceil(bytes.length / PIECES))
  const count = Math.ceil(bytes.length / size)
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size))
}

/** A request whose body is read once from its transport, up to `most` bytes, so that it can be read again, and with any limit below. */
export function withKeptBody(request: CoreRequest, most: number): CoreRequest {
  let kept: Promise<Uint8Array | undefined> | undefined
  return {
    ...request,
    body: async (limit) => {
      kept ??= request.body(most)
      const bytes = await kept
      return bytes && bytes.length > limit ? undefined : bytes
    },
  }
}

/** A response with a JSON body; without a body when `value` is `undefined`. */
export function json(
  status: number,
  value: unknown,
  headers?: CoreResponse['headers'],
): CoreResponse {
  return jsonText(status, value === undefined ? undefined : JSON.stringify(value), headers)
}

/** A response whose body is the JSON text; without a body when it is `undefined` or when the status allows no content. */
function jsonText(
  status: number,
  body: string | undefined,
  headers: CoreResponse['headers'] = {},
): CoreResponse {
  if (body === undefined || !hasContent(status)) return { status, headers, body: '' }
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body }
}

/** Whether responses of this status may have content (RFC 9110, section 6.4.1; 205: section 15.3.6). */
export function hasContent(status: number): boolean {
  return status >= 200 && ![204, 205, 304].includes(status)
}

/** The part of `path` below `basePath`; `undefined` when the path is not below it. */
export function pathBelow(basePath: string, path: string): string | undefined {
  if (!path.startsWith(basePath)) return undefined
  const rest = path.slice(basePath.length)

  return rest === '' || rest.startsWith('/') ? rest : undefined
}

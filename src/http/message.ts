/** What the core is asked: a request, free of any transport. */
export interface CoreRequest {
  /** In capitals, as `GET`. */
  readonly method: string
  /** The base address by which the request came, as `http://127.0.0.1:4010/v1`. Links in answers start with it. */
  readonly base: string
  /** Below the base address and still percent-encoded, as `/books/a%20b`. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** A header's value by its lower-case name; values of a repeated header are joined by `, `. */
  header(name: string): string | undefined
  /** All headers as they were sent, repeated ones too: names and values in turn. */
  headers(): readonly string[]
  /** The whole body, or `undefined` when it has more than `limit` bytes. Rejects when it does not come. */
  body(limit: number): Promise<Uint8Array | undefined>
  /** Aborted when the client no longer waits for the answer; absent where the transport does not tell. */
  readonly signal?: AbortSignal
  /** Awaited before the answer: resolves once what the request did is saved, rejects with a Problem when it cannot be. */
  settle?(): Promise<void>
}

/** What the core answers. Transports add the framing (`Content-Length`) and leave out the body for HEAD. */
export interface CoreResponse {
  /** 0 where the connection is closed, or left open, without an answer. */
  readonly status: number
  /** Each name once, in its usual spelling. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text; empty when the answer has no content. */
  readonly body: string
  /**
   * What goes wrong on the connection: `reset` closes it without an answer, `timeout` leaves it open without one, and only
   * the journal sees the rest of the reply; `truncated` closes it after half of the body.
   */
  readonly fault?: 'reset' | 'timeout' | 'truncated'
}

/** A reply with a JSON body, or with none when `value` is `undefined`. */
export function json(
  status: number,
  value: unknown,
  headers?: CoreResponse['headers'],
): CoreResponse {
  return jsonText(status, value === undefined ? undefined : JSON.stringify(value), headers)
}

/**
 * A reply whose body is JSON text already, or none when it is `undefined` or when responses of this status have no content.
 */
export function jsonText(
  status: number,
  body: string | undefined,
  headers: CoreResponse['headers'] = {},
): CoreResponse {
  if (body === undefined || !hasContent(status)) return { status, headers, body: '' }
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body }
}

/** Whether responses of this status may have content (RFC 9110, section 6.4.1; 205: section 15.3.6). */
function hasContent(status: number): boolean {
  return status >= 200 && ![204, 205, 304].includes(status)
}

/** The part of `path` below `basePath`, or `undefined` when it lies elsewhere. */
export function pathBelow(basePath: string, path: string): string | undefined {
  if (!path.startsWith(basePath)) return undefined
  const rest = path.slice(basePath.length)

  return rest === '' || rest.startsWith('/') ? rest : undefined
}

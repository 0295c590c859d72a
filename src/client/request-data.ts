/** A method and a path template below `/__sandbox`, such as `GET /records/{collection}`. */
export type Endpoint = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** What is sent to an endpoint. */
export interface RequestData {
  /** The values of the path parameters, in the order of the path template. */
  readonly path?: readonly (number | string)[]
  readonly query?: URLSearchParams
  /** Sent as JSON. */
  readonly body?: unknown
  /** The time that the response may take beyond the timeout of the connection, in milliseconds. */
  readonly extraTimeout?: number
  /** Whether the response may be as long as a journal, an archive or a snapshot. */
  readonly isLong?: true
}

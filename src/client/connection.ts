import type { Outputs } from '../control/outputs.ts'
import { endpoints } from '../generated/control-types.ts'
import { BodyTooLongError, MEBIBYTE, readBodyText } from '../http/body-limits.ts'
import { CONTROL_PATH, worldPath } from '../http/paths.ts'
import type { Instant } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  notASandbox,
  notSerializable,
  otherVersion,
  responseTooLong,
  timedOut,
  unreachable,
  wrongBasePath,
} from './errors.ts'
import { readIndex, readResponse } from './read-response.ts'

/** The original timers. Fake timers of a page or a test must not disable the timeout. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** Longer responses are not read. In bytes, after decompression. */
const MAX_RESPONSE_BYTES = {
  /** Errors, and the index of the control interface: the server may not be a sandbox. */
  short: MEBIBYTE,
  usual: 16 * MEBIBYTE,
  /** Records, journals, archives and snapshots; a sandbox takes a snapshot of the same size. */
  long: 256 * MEBIBYTE,
} as const

/** Options of a connection. */
interface ConnectionOptions {
  /** The URL of the server, such as `http://127.0.0.1:4010`. */
  readonly site: string
  /** The base path that the API must have, such as `/v1`; empty for any. */
  readonly path: string
  readonly token?: string
  readonly fetch: typeof globalThis.fetch
  /** The longest time that a response may take, in milliseconds. */
  readonly timeout: number
}

/** A connection to a sandbox. Before the first call it checks that there is a sandbox, and that it has the operation. */
export class Connection {
  readonly site: string
  readonly #options: ConnectionOptions
  #operations: Promise<ReadonlySet<string>> | undefined

  constructor(options: ConnectionOptions) {
    this.site = options.site
    this.#options = options
  }

  /** Calls an operation of a world, and resolves with the content of the response. Rejects with a UsageError for an error response. */
  call<Id extends OperationId>(
    world: string | undefined,
    operation: Id,
    sent: RequestData = {},
  ): Promise<Outputs[Id]> {
    return this.#call(world, endpoints[operation], sent, (...response) =>
      readResponse(this.site, ...response),
    )
  }

  /** Calls an operation whose response is a text. */
  text(world: string | undefined, operation: OperationId, sent: RequestData): Promise<string> {
    return this.#call(world, endpoints[operation], sent, (response, text) =>
      response.ok ? text : readResponse(this.site, response, text),
    )
  }

  async #call<Answer>(
    world: string | undefined,
    endpoint: string,
    sent: RequestData,
    read: (response: Response, text: string) => Answer,
  ): Promise<Answer> {
    const address = this.#urlOf(world, endpoint, sent)
    await this.#requireOperation(endpoint)
    const limit = this.#options.timeout + (sent.extraTimeout ?? 0)
    return this.#within(limit, new AbortController(), async (signal) => {
      const response = await this.#send(address, endpoint, { signal, ...bodyOf(sent.body) })
      const limit = sent.isLong ? MAX_RESPONSE_BYTES.long : MAX_RESPONSE_BYTES.usual
      return read(response, await this.#contentOf(response, limit))
    })
  }

  /** Opens a stream of events. It lasts until `stop` aborts it or the sandbox ends it. */
  async open(
    world: string | undefined,
    operation: OperationId,
    stop: AbortController,
    { headers = {}, body }: OpenedStream,
  ): Promise<ReadableStream<Uint8Array>> {
    const endpoint = endpoints[operation]
    const address = this.#urlOf(world, endpoint, {})
    await this.#requireOperation(endpoint)
    return this.#within(this.#options.timeout, stop, async (signal) => {
      const sent = bodyOf(body)
      const own = { ...sent.headers, ...headers }
      const response = await this.#send(address, endpoint, { signal, ...sent, headers: own })
      if (!response.ok) {
        const text = await this.#textOf(response, MAX_RESPONSE_BYTES.short)
        readResponse(this.site, response, text)
      }
      if (response.body) return response.body
      throw notASandbox(this.site, response.status)
    })
  }

  #urlOf(world: string | undefined, endpoint: string, { path = [], query }: RequestData): string {
    const prefix = world === undefined ? '' : worldPath(world)
    const values = path.map(String).map(toPathSegment)
    const below = endpoint.replace(/^\w+ /, '').replace(/\{\w+\}/g, () => values.shift() ?? '')
    const search = String(query ?? '')

    return `${this.site}${CONTROL_PATH}${prefix}${below}${search && `?${search}`}`
  }

  /** Throws a UsageError when there is no sandbox, or when it does not have the operation. */
  async #requireOperation(endpoint: string): Promise<void> {
    this.#operations ??= this.#loadOperations()
    const operations = await this.#operations.catch((error: unknown) => {
      // The next call checks again, because the sandbox may be started later.
      this.#operations = undefined
      throw error
    })
    if (!operations.has(endpoint))
      throw otherVersion(this.site, endpoint.replace(' ', ` ${CONTROL_PATH}`))
  }

  async #loadOperations(): Promise<ReadonlySet<string>> {
    const { path, timeout } = this.#options
    return this.#within(timeout, new AbortController(), async (signal) => {
      const response = await this.#send(`${this.site}${CONTROL_PATH}/`, 'GET /', { signal })
      const text = await this.#textOf(response, MAX_RESPONSE_BYTES.short)
      const { basePath, operations } = readIndex(this.site, response, text)
      if (!isBelow(path, basePath)) throw wrongBasePath(this.site, path, basePath)
      return operations
    })
  }

  async #send(address: string, endpoint: string, init: RequestInit): Promise<Response> {
    const { token, fetch } = this.#options
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
    const [method = ''] = endpoint.split(' ')

    return this.#orUnreachable(fetch(address, { ...init, method, headers }))
  }

  #contentOf(response: Response, maxBytes: number): Promise<string> {
    return this.#textOf(response, response.ok ? maxBytes : MAX_RESPONSE_BYTES.short)
  }

  #textOf(response: Response, maxBytes: number): Promise<string> {
    return readBodyText(response, maxBytes).catch((error: unknown) => {
      if (error instanceof BodyTooLongError) throw responseTooLong(this.site, maxBytes / MEBIBYTE)
      throw unreachable(this.site, error)
    })
  }

  /** Rejects with a UsageError when the network fails. */
  #orUnreachable<Result>(result: Promise<Result>): Promise<Result> {
    return result.catch((error: unknown) => {
      throw unreachable(this.site, error)
    })
  }

  /**
   * Runs `task`, and aborts it after `limit` milliseconds. It rejects then even if `fetch` ignores the signal, as some
   * implementations do.
   */
  async #within<Result>(
    limit: number,
    controller: AbortController,
    task: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    let timer: ReturnType<typeof startTimer> | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = startTimer(() => {
        reject(timedOut(this.site, limit))
        controller.abort()
      }, limit)
    })
    try {
      return await Promise.race([task(controller.signal), timeout])
    } finally {
      stopTimer(timer)
    }
  }
}

/** Whether a path is the base path or below it. An empty path fits every base path. */
function isBelow(path: string, basePath: string): boolean {
  return path === '' || `${path}/`.startsWith(`${basePath}/`)
}

function bodyOf(body: unknown): { body?: string; headers?: Record<string, string> } {
  if (body === undefined) return {}
  return { body: toJson(body), headers: { 'Content-Type': 'application/json' } }
}

type OperationId = keyof Outputs

/** What is sent to open a stream. */
interface OpenedStream {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
}

/** What is sent to an operation. */
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

/** A world of a sandbox in another process. */
export interface RemoteWorld {
  readonly connection: Connection
  /** The world's name; `undefined` for the default world. */
  readonly world: string | undefined
}

/** Calls an operation, and resolves with its output. */
export function request<Id extends OperationId>(
  { connection, world }: RemoteWorld,
  operation: Id,
  sent?: RequestData,
): Promise<Outputs[Id]> {
  return connection.call(world, operation, sent)
}

/** Calls an operation whose output does not matter. */
export async function send(
  remote: RemoteWorld,
  operation: OperationId,
  sent?: RequestData,
): Promise<void> {
  await request(remote, operation, sent)
}

/** A time as ISO 8601 text. Other values stay as they are, so that the sandbox reports what is wrong with them. */
export function toIsoText(instant: Instant): string {
  const isTime = typeof instant === 'number' || instant instanceof Date
  return isTime && !Number.isNaN(new Date(instant).getTime())
    ? new Date(instant).toISOString()
    : String(instant)
}

/** Query parameters with these names and values, without those that are `undefined`. */
export function toQueryParameters(
  pairs: readonly (readonly [name: string, value: unknown])[],
): URLSearchParams {
  const given = pairs.filter(([, value]) => value !== undefined)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}

/** A value as JSON. Throws a UsageError for a value that JSON cannot represent. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw notSerializable(cause)
  }
}

/**
 * A name as a segment of a URL path. Throws a UsageError for `.` and `..`: URLs drop these, so the request would reach another
 * world.
 */
function toPathSegment(value: string): string {
  if (!/^\.{0,2}$|\p{Surrogate}/u.test(value)) return encodeURIComponent(value)
  throw new UsageError({
    code: 'invalid_name',
    task: `use the name "${value}" in a URL`,
    reason: 'URLs drop the segments "." and "..", and cannot carry half of a surrogate pair',
    help: 'Give another name.',
  })
}

import { CONTROL_PATH } from '../http/control-path.ts'
import { BodyTooLong, MEBIBYTE, readBody } from '../http/read-body.ts'
import { worldPath } from '../http/world-path.ts'
import { UsageError } from '../validation/usage-error.ts'
import { readAnswer, readIndex } from './answer.ts'
import { late, noBase, otherVersion, stranger, tooLong, unreachable } from './failure.ts'
import { toJson } from './wire.ts'

/** Taken before a page or a test can fake them: they guard against a server that hangs. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis

/** The longest answers that are read, in bytes after decompression. */
const LONGEST = {
  /** Refusals, and what the control interface says of itself: who answers may be no sandbox. */
  short: MEBIBYTE,
  usual: 16 * MEBIBYTE,
  /** Records, journals, archives and snapshots; a sandbox takes a snapshot of the same size. */
  long: 256 * MEBIBYTE,
} as const

/** What a line needs to know. */
export interface LineOptions {
  /** As `http://127.0.0.1:4010`. */
  readonly site: string
  /** The path below site and world at which the API must be, as `/v1`; empty for wherever it is. */
  readonly path: string
  readonly token?: string
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds that an answer may take. */
  readonly timeout: number
}

/** A method and a path template below `/__sandbox`, as the document of the control interface has them. */
export type Endpoint = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** What is sent to an endpoint. */
export interface Sent {
  /** For the template's names, in their order. */
  readonly path?: readonly (number | string)[]
  readonly query?: URLSearchParams
  /** Sent as JSON. */
  readonly body?: unknown
  /** Milliseconds that the answer may take on top of the line's timeout. */
  readonly patience?: number
  /** Whether the answer may be as long as a journal, an archive or a snapshot. */
  readonly isLong?: true
}

/** The line to a sandbox. Before the first call it makes sure that one is there, with the operation that is asked for. */
export class Line {
  readonly site: string
  readonly #options: LineOptions
  #operations: Promise<ReadonlySet<string>> | undefined

  constructor(options: LineOptions) {
    this.site = options.site
    this.#options = options
  }

  /** Does one operation in a world, and resolves with what it answers. Rejects with a UsageError for what is refused. */
  async call<Answer>(
    world: string | undefined,
    endpoint: Endpoint,
    sent: Sent = {},
  ): Promise<Answer> {
    const address = this.#addressOf(world, endpoint, sent)
    await this.#expect(endpoint)
    const limit = this.#options.timeout + (sent.patience ?? 0)
    return this.#within(limit, new AbortController(), async (signal) => {
      const response = await this.#send(address, endpoint, { signal, ...bodyOf(sent.body) })
      return this.#read(response, sent.isLong ? LONGEST.long : LONGEST.usual)
    })
  }

  /** Opens a stream of events, which lasts until `stop` aborts it or the sandbox ends it. */
  async open(
    world: string | undefined,
    endpoint: Endpoint,
    stop: AbortController,
    lastEventId: number,
  ): Promise<ReadableStream<Uint8Array>> {
    const address = this.#addressOf(world, endpoint, {})
    await this.#expect(endpoint)
    return this.#within(this.#options.timeout, stop, async (signal) => {
      const headers = { 'Last-Event-ID': String(lastEventId) }
      const response = await this.#send(address, endpoint, { signal, headers })
      if (!response.ok) await this.#read(response, LONGEST.short)
      if (response.body) return response.body
      throw stranger(this.site, response.status)
    })
  }

  #addressOf(world: string | undefined, endpoint: Endpoint, { path = [], query }: Sent): string {
    const prefix = world === undefined ? '' : worldPath(world)
    const values = path.map(String).map(segment)
    const below = endpoint.replace(/^\w+ /, '').replace(/\{\w+\}/g, () => values.shift() ?? '')
    const search = String(query ?? '')

    return `${this.site}${CONTROL_PATH}${prefix}${below}${search && `?${search}`}`
  }

  /** Throws a UsageError when there is no sandbox, or one that has no such operation. */
  async #expect(endpoint: Endpoint): Promise<void> {
    this.#operations ??= this.#meet()
    const operations = await this.#operations.catch((error: unknown) => {
      // The sandbox may have been started by the next call.
      this.#operations = undefined
      throw error
    })
    if (!operations.has(endpoint))
      throw otherVersion(this.site, endpoint.replace(' ', ` ${CONTROL_PATH}`))
  }

  async #meet(): Promise<ReadonlySet<string>> {
    const { path, timeout } = this.#options
    return this.#within(timeout, new AbortController(), async (signal) => {
      const response = await this.#send(`${this.site}${CONTROL_PATH}/`, 'GET /', { signal })
      const text = await this.#textOf(response, LONGEST.short)
      const { basePath, operations } = readIndex(this.site, response, text)
      if (!isBelow(path, basePath)) throw noBase(this.site, path, basePath)
      return operations
    })
  }

  async #send(address: string, endpoint: Endpoint, init: RequestInit): Promise<Response> {
    const { token, fetch } = this.#options
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
    const [method = ''] = endpoint.split(' ')

    return this.#carried(fetch(address, { ...init, method, headers }))
  }

  async #read<Answer>(response: Response, longest: number): Promise<Answer> {
    const text = await this.#textOf(response, response.ok ? longest : LONGEST.short)
    return readAnswer(this.site, response, text)
  }

  #textOf(response: Response, longest: number): Promise<string> {
    return readBody(response, longest).catch((error: unknown) => {
      if (error instanceof BodyTooLong) throw tooLong(this.site, longest / MEBIBYTE)
      throw unreachable(this.site, error)
    })
  }

  /** Turns a failure of the network into a UsageError. */
  #carried<Result>(result: Promise<Result>): Promise<Result> {
    return result.catch((error: unknown) => {
      throw unreachable(this.site, error)
    })
  }

  /**
   * Does something that the signal can end, and ends it when it takes longer than `limit` milliseconds. Not every `fetch`
   * heeds the signal at every stage.
   */
  async #within<Result>(
    limit: number,
    controller: AbortController,
    deed: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    let timer: ReturnType<typeof startTimer> | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = startTimer(() => {
        reject(late(this.site, limit))
        controller.abort()
      }, limit)
    })
    try {
      return await Promise.race([deed(controller.signal), tooLate])
    } finally {
      stopTimer(timer)
    }
  }
}

/** Whether an address leads to the API, or to something below it. */
function isBelow(path: string, basePath: string): boolean {
  return path === '' || `${path}/`.startsWith(`${basePath}/`)
}

function bodyOf(body: unknown): RequestInit {
  if (body === undefined) return {}
  return { body: toJson(body), headers: { 'Content-Type': 'application/json' } }
}

/** A name as a segment of a path. `.` and `..` would be folded, and what is asked of one world be done to another. */
function segment(value: string): string {
  if (!/^\.{0,2}$|\p{Surrogate}/u.test(value)) return encodeURIComponent(value)
  throw new UsageError({
    code: 'invalid_name',
    task: `use the name "${value}" in a URL`,
    reason: 'URLs drop the segments "." and "..", and cannot carry half of a surrogate pair',
    help: 'Give another name.',
  })
}

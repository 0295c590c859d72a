import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { isObject } from '../validation/objects.ts'
import { type ListeningServer, serveHttp } from './servers.ts'

/** A request that a service got. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly query: URLSearchParams
}

/** A service that keeps records by their paths. */
export interface CarelessService extends ListeningServer {
  /** JSON by path: of records, and of what exists once. */
  readonly state: Map<string, string>
  readonly received: readonly ReceivedRequest[]
}

/** How a careless service answers. */
export interface CarelessOptions {
  readonly state: Readonly<Record<string, object>>
  /** The paths of collections. */
  readonly collections: RegExp
  /** The bearer token that it needs; default: none. */
  readonly key?: string
  /** Whether lists and records are in `data`. */
  readonly hasEnvelopes: boolean
  /** How long each response takes, in milliseconds; default: no time. */
  readonly delay?: number
}

/**
 * A service that performs every request: bodies are not checked, an id in the body counts more than that in the path, a record with a
 * known name is replaced instead of created, collections can be removed and replaced as a whole, and what it does not know is created.
 */
export async function serveCarelessly(options: CarelessOptions): Promise<CarelessService> {
  const received: ReceivedRequest[] = []
  const records = new Records(options)
  const listening = await serveHttp(async (request, response) => {
    const { method = '', url = '', headers } = request
    const { pathname: path, searchParams: query } = new URL(url, 'http://service')
    const body = await text(request)
    received.push({ method, path, body, headers, query })
    if (options.delay !== undefined) await setTimeout(options.delay)
    const isRefused = options.key !== undefined && headers.authorization !== `Bearer ${options.key}`
    const { status, json } = isRefused
      ? { status: 401, json: { message: 'no key' } }
      : records.perform(method, path, parsed(body))
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(status === 204 || method === 'HEAD' ? undefined : JSON.stringify(json))
  })
  return { ...listening, state: records.state, received }
}

interface Answer {
  readonly status: number
  readonly json?: unknown
}

class Records {
  readonly state: Map<string, string>
  readonly #options: CarelessOptions
  #next = 100

  constructor(options: CarelessOptions) {
    this.#options = options
    const entries = Object.entries(options.state)
    this.state = new Map(entries.map(([path, record]) => [path, JSON.stringify(record)]))
  }

  perform(method: string, path: string, body: unknown): Answer {
    if (['GET', 'HEAD', 'PROPFIND'].includes(method)) return this.#read(path)
    if (method === 'DELETE') return this.#remove(path)
    return method === 'POST' ? this.#post(path, body) : this.#put(path, body)
  }

  #read(path: string): Answer {
    const record = this.state.get(path)
    if (record !== undefined) return this.#answer(200, JSON.parse(record))
    if (!this.#options.collections.test(path)) return { status: 404, json: { message: 'none' } }
    return this.#answer(
      200,
      this.#recordsIn(path).map(([, one]) => JSON.parse(one)),
    )
  }

  #remove(path: string): Answer {
    const removed = [...this.state.keys()].filter(
      (one) => one === path || one.startsWith(`${path}/`),
    )
    for (const one of removed) this.state.delete(one)
    return { status: removed.length === 0 ? 404 : 204, json: { message: 'none' } }
  }

  #post(path: string, body: unknown): Answer {
    if (!this.#options.collections.test(path)) return this.#act(path, body)
    const sent = isObject(body) ? body : { body }
    const known = this.#recordsIn(path).find(([, one]) => JSON.parse(one).name === sent.name)
    if (known && sent.name !== undefined) {
      const record = { ...JSON.parse(known[1]), ...sent, id: JSON.parse(known[1]).id }
      this.state.set(known[0], JSON.stringify(record))
      return this.#answer(200, record)
    }
    this.#next += 1
    const record = { id: this.#next, ...sent }
    this.state.set(`${path}/${record.id}`, JSON.stringify(record))
    return this.#answer(201, record)
  }

  /** Changes what exists once, and marks any other thing that the path is about. */
  #act(path: string, body: unknown): Answer {
    if (this.state.has(path)) return this.#put(path, body)
    const place = [...this.state.keys()].find((one) => path.startsWith(`${one}/`)) ?? path
    const record = { ...JSON.parse(this.state.get(place) ?? '{}'), done: path, body }
    this.state.set(place, JSON.stringify(record))
    return this.#answer(200, record)
  }

  #put(path: string, body: unknown): Answer {
    if (this.#options.collections.test(path)) this.#remove(path)
    const sent = isObject(body) ? body : { body }
    const place = sent.id === undefined ? path : path.replace(/[^/]+$/, String(sent.id))
    const record = { ...JSON.parse(this.state.get(place) ?? '{}'), ...sent }
    this.state.set(place, JSON.stringify(record))
    return this.#answer(200, record)
  }

  #recordsIn(collection: string): readonly (readonly [string, string])[] {
    return [...this.state].filter(([path]) => path.replace(/\/[^/]+$/, '') === collection)
  }

  #answer(status: number, json: unknown): Answer {
    return { status, json: this.#options.hasEnvelopes ? { data: json } : json }
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

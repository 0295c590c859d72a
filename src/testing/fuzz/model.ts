import type { Api, ApiOperation } from './api.ts'
import { integerOf, readJson } from './json.ts'
import { QuotaModel, type Standing } from './quota.ts'
import { type FuzzRequest, headerOf, parametersOf } from './request.ts'
import { type Schema, taken, withDefaults } from './schema.ts'

export type Id = number | string
export type Row = Readonly<Record<string, unknown>>

/** What an answer must be. */
export interface Expected {
  readonly status: number
  /** Of an Error body. */
  readonly code?: string
  /** Values that headers must have; `null` for those that must not be there. */
  readonly headers: Readonly<Record<string, string | null>>
  /** What the body must hold; for a creation, all but the id. */
  readonly rows?: readonly Row[]
  readonly row?: Row
  readonly created?: Row
  /** The last id of the page, when another follows. */
  readonly next?: Id
}

class Refused {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.code = code
    this.headers = headers
  }
}

const BODY_LIMIT = 1024 * 1024

/** A world as DESIGN has it: its records, counts and time, and what follows from them. */
export class Model {
  readonly api: Api
  readonly rows: Map<Id, Row>
  quota: QuotaModel = new QuotaModel()
  time: number
  /** The id after which each cursor goes on, by the cursors that were given out. */
  readonly cursors: Map<string, Id>
  /** Ids are never given out again, where they are counted. */
  last: number

  constructor(api: Api, rows: readonly Row[], time: number) {
    this.api = api
    this.rows = new Map(rows.map((row) => [idOf(row), row]))
    this.time = time
    this.cursors = new Map()
    this.last = Math.max(0, ...[...this.rows.keys()].filter((id) => typeof id === 'number'))
  }

  copy(): Model {
    const copy = new Model(this.api, [...this.rows.values()], this.time)
    copy.last = this.last
    copy.quota = this.quota.copy()
    for (const [cursor, id] of this.cursors) copy.cursors.set(cursor, id)
    return copy
  }

  /** What the answer must be; what the request changes is changed, but for an id that only the answer tells. */
  ask(request: FuzzRequest): Expected {
    const [path = '', ...query] = request.target.split('?')
    const below = path.slice(this.api.basePath.length)
    const isOurs = path.startsWith(this.api.basePath) && (below === '' || below.startsWith('/'))
    if (!isOurs) return { status: 404, code: 'not_found', headers: { 'X-RateLimit-Limit': null } }

    const standing = this.quota.count(headerOf(request, 'authorization'), this.time, request.method)
    const expected = this.#serve(request, below, query.join('?'), standing)
    return { ...expected, headers: { ...expected.headers, ...standing.headers } }
  }

  #serve(request: FuzzRequest, path: string, query: string, standing: Standing): Expected {
    try {
      return this.#judged(request, path, query, standing)
    } catch (refused) {
      if (!(refused instanceof Refused)) throw refused
      return refused
    }
  }

  /** Route, key, ban, quota, input, behaviour: the first that objects. */
  #judged(request: FuzzRequest, path: string, query: string, standing: Standing): Expected {
    const operations = this.api.operations.filter(({ template }) => isPathOf(template, path))
    if (operations.length === 0) throw new Refused(404, 'not_found')
    const methods = operations.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method))
    const allow = { Allow: [...methods, 'OPTIONS'].join(', ') }
    if (request.method === 'OPTIONS') return { status: 204, headers: allow }
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const operation = operations.find((one) => one.method === method)
    if (!operation) throw new Refused(405, 'method_not_allowed', allow)
    const expected = this.#admitted(request, operation, path, query, standing)
    if (!operation.isDeprecated) return expected

    return { ...expected, headers: { ...expected.headers, ...SUNSET } }
  }

  #admitted(
    request: FuzzRequest,
    operation: ApiOperation,
    path: string,
    query: string,
    standing: Standing,
  ): Expected {
    try {
      if (this.time >= (operation.sunset ?? Number.POSITIVE_INFINITY)) {
        throw new Refused(404, 'operation_removed')
      }
      this.#admit(standing)
      const id = operation.idSchema && pathId(operation.idSchema, path)
      const parameters = this.#readQuery(operation, query)
      const body = operation.body && readBody(operation, operation.body, request)

      return this.#behave(operation, id, parameters, body)
    } catch (refused) {
      if (refused instanceof Refused) return refused
      throw refused
    }
  }

  #admit(standing: Standing): void {
    if (standing.key !== 'valid') throw new Refused(401, 'unauthorized', challenge(standing.key))
    const { refusal } = standing
    const until = this.quota.settle(standing, this.time)
    if (!refusal) return
    const seconds = String(Math.max(1, Math.ceil((until - this.time) / 1000)))
    const code = refusal.by === 'ban' ? 'api_key_banned' : 'rate_limit_exceeded'
    throw new Refused(429, code, { 'Retry-After': seconds, 'Cache-Control': 'no-store' })
  }

  #readQuery({ query }: ApiOperation, text: string): Map<string, unknown> {
    const sent = parametersOf(text)
    const values = Object.entries(query).map(([name, schema]): [string, unknown] => {
      const [first, ...more] = sent.get(name) ?? []
      if (first === undefined) return [name, schema.default]
      const value = parameterValue(schema, first)
      const isForged = name === 'cursor' && !this.cursors.has(first)
      if (value === undefined || more.length > 0 || isForged)
        throw new Refused(400, 'invalid_request')
      return [name, value]
    })
    return new Map(values.filter(([, value]) => value !== undefined))
  }

  #behave(
    { deed }: ApiOperation,
    id: Id | undefined,
    query: ReadonlyMap<string, unknown>,
    body: unknown,
  ): Expected {
    if (deed === 'list') return this.#list(query)
    if (deed === 'create') return this.#create(body)
    const row = id === undefined ? undefined : this.rows.get(id)
    if (id === undefined || !row) throw new Refused(404, 'not_found')
    if (deed === 'remove') {
      this.rows.delete(id)
      return { status: 204, headers: {} }
    }
    const changed = deed === 'read' ? row : changedRow(deed, row, body)
    this.rows.set(id, changed)
    return { status: 200, headers: {}, row: changed }
  }

  #list(query: ReadonlyMap<string, unknown>): Expected {
    const after = this.cursors.get(String(query.get('cursor')))
    const filters = [...query].filter(([name]) => Object.hasOwn(this.api.record.properties, name))
    const rows = [...this.rows.values()]
      .filter((row) => filters.every(([name, value]) => row[name] === value))
      .filter((row) => after === undefined || idOf(row) > after)
      .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
    const page = rows.slice(0, Number(query.get('limit')))
    const last = page.at(-1)

    return {
      status: 200,
      headers: {},
      rows: page,
      ...(last && rows.length > page.length && { next: idOf(last) }),
    }
  }

  #create(body: unknown): Expected {
    return { status: 201, headers: {}, created: { ...Object(body) } }
  }

  /** Takes in what a creation made. Gives what is wrong with its id. */
  created(row: Row): string | undefined {
    const id = idOf(row)
    if (this.rows.has(id)) return `the id ${id} is there already`
    if (typeof id === 'number' && id !== this.last + 1)
      return `the id is ${id}, not ${this.last + 1}`
    if (typeof id === 'number') this.last = id
    this.rows.set(id, row)

    return undefined
  }
}

const SUNSET = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
} as const

export function idOf({ id }: Row): Id {
  if (typeof id === 'number' || typeof id === 'string') return id
  throw new TypeError(`A record without an id: ${id}`)
}

function challenge(key: 'missing' | 'invalid'): Record<string, string> {
  return { 'X-Sandbox-Reason': key === 'missing' ? 'no-key' : 'wrong-key' }
}

function isPathOf(template: string, path: string): boolean {
  const steps = path.split('/')
  const wanted = template.split('/')
  const isStep = (step: string, at: number): boolean =>
    step.startsWith('{') ? steps[at] !== '' : steps[at] === step

  return steps.length === wanted.length && wanted.every(isStep)
}

/** A path parameter that cannot be names no resource. */
function pathId(schema: Schema, path: string): Id {
  const sent = path.slice(path.lastIndexOf('/') + 1)
  const value = parameterValue(schema, decoded(sent))
  if (typeof value === 'number' || typeof value === 'string') return value
  throw new Refused(404, 'not_found')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Integers have one spelling; `undefined` for what the schema does not have. */
function parameterValue(schema: Schema, text: string): unknown {
  if (text === '') return undefined
  if (schema.type !== 'integer') return taken(schema, text)
  const value = /^-?(?:0|[1-9]\d*)$/.test(text) ? integerOf(text) : undefined
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema

  return value !== undefined && value >= minimum && value <= maximum ? value : undefined
}

function readBody(
  { deed }: ApiOperation,
  { types, schema }: NonNullable<ApiOperation['body']>,
  request: FuzzRequest,
): unknown {
  const { body = new Uint8Array() } = request
  const type = headerOf(request, 'content-type')
  const encoding = headerOf(request, 'content-encoding') ?? 'identity'
  const isMissing = type === undefined && body.length > 0
  if (encoding.toLowerCase() !== 'identity' || !isOneOf(types, type)) {
    throw new Refused(415, 'unsupported_media_type')
  }
  if (body.length > BODY_LIMIT) throw new Refused(413, 'payload_too_large')
  if (isMissing) throw new Refused(415, 'unsupported_media_type')
  const json = body.length > 0 ? readJson(body) : undefined
  const value = json === undefined ? undefined : taken(schema, json)
  if (value === undefined) throw new Refused(400, 'invalid_request')

  return deed === 'update' ? value : withDefaults(schema, value)
}

/** RFC 9110, section 8.3.1: names in any case, spaces around the semicolon; text in another charset than UTF-8 is none of ours. */
function isOneOf(types: readonly string[], sent: string | undefined): boolean {
  if (sent === undefined) return true
  const [type = '', ...parameters] = sent
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return types.includes(type) && (charset === undefined || /^charset="?utf-?8"?$/.test(charset))
}

function changedRow(deed: 'replace' | 'update' | string, row: Row, body: unknown): Row {
  return deed === 'replace' ? { ...Object(body), id: row.id } : merged(row, Object(body))
}

/** RFC 7396, with nothing to remove. */
function merged(row: Row, change: Row): Row {
  const entries = Object.entries(change).map(([name, value]) => {
    const old = row[name]
    return [name, isObject(value) && isObject(old) ? merged(old, value) : value]
  })
  return { ...row, ...Object.fromEntries(entries) }
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

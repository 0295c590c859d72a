import type { Api, ApiOperation, CrudAction } from './api.ts'
import { ExpectedProblem, matchesTemplate, parameterValue, pathId, readBody } from './input.ts'
import { PREFERENCES } from './preferences.ts'
import { type QuotaDecision, QuotaModel } from './quota.ts'
import { type Id, idOf, type ModelRecord, mergePatch } from './record.ts'
import { type FuzzRequest, headerOf, parametersOf } from './request.ts'

/** The expected response. */
export interface Expected {
  readonly status: number
  /** The code of the Error body. */
  readonly code?: string
  /** The values of headers. `null`: the header must be missing. */
  readonly headers: Readonly<Record<string, string | null>>
  /** The body: a list, a record, or a created record without its id. */
  readonly rows?: readonly ModelRecord[]
  readonly row?: ModelRecord
  readonly created?: ModelRecord
  /** The last id of the page, if there is a next page. */
  readonly next?: Id
}

/** A second implementation of a world: its records, counts and time. */
export class Model {
  readonly api: Api
  readonly rows: Map<Id, ModelRecord>
  quota: QuotaModel = new QuotaModel()
  time: number
  /** Maps each cursor of a response to the last id of its page. */
  readonly cursors: Map<string, Id>
  /** The last assigned id, if ids are integers. Ids are never assigned again. */
  lastId: number

  constructor(api: Api, rows: readonly ModelRecord[], time: number) {
    this.api = api
    this.rows = new Map(rows.map((row) => [idOf(row), row]))
    this.time = time
    this.cursors = new Map()
    this.lastId = Math.max(0, ...[...this.rows.keys()].filter((id) => typeof id === 'number'))
  }

  copy(): Model {
    const copy = new Model(this.api, [...this.rows.values()], this.time)
    copy.lastId = this.lastId
    copy.quota = this.quota.copy()
    for (const [cursor, id] of this.cursors) copy.cursors.set(cursor, id)
    return copy
  }

  /** Returns the expected response and applies the changes of the request, except a created record, whose id is not known yet. */
  expect(request: FuzzRequest): Expected {
    const [path = '', ...query] = request.target.split('?')
    const pathInApi = path.slice(this.api.basePath.length)
    const isInApi =
      path.startsWith(this.api.basePath) && (pathInApi === '' || pathInApi.startsWith('/'))
    if (!isInApi) return { status: 404, code: 'not_found', headers: { 'X-RateLimit-Limit': null } }

    const quota = this.quota.count(headerOf(request, 'authorization'), this.time, request.method)
    const expected = this.#respond(request, pathInApi, query.join('?'), quota)
    return { ...expected, headers: { ...expected.headers, ...quota.headers } }
  }

  /** The order of the checks: route, removal, preference, key, ban, quota, input. The first that fails determines the response. */
  #respond(request: FuzzRequest, path: string, query: string, quota: QuotaDecision): Expected {
    const operations = this.api.operations.filter(({ template }) => matchesTemplate(template, path))
    if (operations.length === 0) return new ExpectedProblem(404, 'not_found')
    const methods = operations.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method))
    const allow = { Allow: [...methods, 'OPTIONS'].join(', ') }
    if (request.method === 'OPTIONS') return { status: 204, headers: allow }
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const operation = operations.find((one) => one.method === method)
    if (!operation) return new ExpectedProblem(405, 'method_not_allowed', allow)
    const expected = orProblem(() => this.#serve(request, operation, path, query, quota))
    if (!operation.isDeprecated) return expected

    return { ...expected, headers: { ...expected.headers, ...SUNSET } }
  }

  #serve(
    request: FuzzRequest,
    operation: ApiOperation,
    path: string,
    query: string,
    quota: QuotaDecision,
  ): Expected {
    const isRemoved = this.time >= (operation.sunset ?? Number.POSITIVE_INFINITY)
    if (isRemoved) throw new ExpectedProblem(404, 'operation_removed')
    const preferred = PREFERENCES.get(headerOf(request, 'prefer') ?? '')
    if (preferred) return preferred
    this.#admit(quota)
    const id = operation.idSchema && pathId(operation.idSchema, path)
    const parameters = this.#readQuery(operation, query)
    const body = operation.body && readBody(operation, operation.body, request)

    return this.#behave(operation, id, parameters, body)
  }

  #admit(quota: QuotaDecision): void {
    if (quota.key !== 'valid') throw new ExpectedProblem(401, 'unauthorized', challenge(quota.key))
    const { refusal } = quota
    const until = this.quota.recordRefusal(quota, this.time)
    if (!refusal) return
    const seconds = String(Math.max(1, Math.ceil((until - this.time) / 1000)))
    const code = refusal.by === 'ban' ? 'api_key_banned' : 'rate_limit_exceeded'
    throw new ExpectedProblem(429, code, { 'Retry-After': seconds, 'Cache-Control': 'no-store' })
  }

  #readQuery({ query }: ApiOperation, text: string): Map<string, unknown> {
    const sent = parametersOf(text)
    const values = Object.entries(query).map(([name, schema]): [string, unknown] => {
      const [first, ...more] = sent.get(name) ?? []
      if (first === undefined) return [name, schema.default]
      const value = parameterValue(schema, first)
      const isForged = name === 'cursor' && !this.cursors.has(first)
      if (value === undefined || more.length > 0 || isForged)
        throw new ExpectedProblem(400, 'invalid_request')
      return [name, value]
    })
    return new Map(values.filter(([, value]) => value !== undefined))
  }

  #behave(
    { action }: ApiOperation,
    id: Id | undefined,
    query: ReadonlyMap<string, unknown>,
    body: unknown,
  ): Expected {
    if (action === 'list') return this.#list(query)
    if (action === 'create') return this.#create(body)
    const row = id === undefined ? undefined : this.rows.get(id)
    if (id === undefined || !row) throw new ExpectedProblem(404, 'not_found')
    if (action === 'remove') {
      this.rows.delete(id)
      return { status: 204, headers: {} }
    }
    const changed = changedBy(action, row, { ...Object(body) })
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

  /** Adds a created record. Returns what is wrong with its id. */
  addCreated(row: ModelRecord): string | undefined {
    const id = idOf(row)
    if (this.rows.has(id)) return `the id ${id} already exists`
    if (typeof id === 'number' && id !== this.lastId + 1)
      return `the id is ${id}, not ${this.lastId + 1}`
    if (typeof id === 'number') this.lastId = id
    this.rows.set(id, row)

    return undefined
  }
}

const SUNSET = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
} as const

function orProblem(serve: () => Expected): Expected {
  try {
    return serve()
  } catch (error) {
    if (error instanceof ExpectedProblem) return error
    throw error
  }
}

function challenge(key: 'missing' | 'invalid'): Record<string, string> {
  return { 'X-Sandbox-Reason': key === 'missing' ? 'no-key' : 'wrong-key' }
}

function changedBy(action: CrudAction, row: ModelRecord, body: ModelRecord): ModelRecord {
  if (action === 'replace') return { ...body, id: row.id }
  return action === 'update' ? mergePatch(row, body) : row
}

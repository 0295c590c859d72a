import type { Api, ApiOperation, CrudAction } from './api.ts'
import { ExpectedProblem, isPathOf, parameterValue, pathId, readBody } from './input.ts'
import { PREFERENCES } from './preferences.ts'
import { type QuotaDecision, QuotaModel } from './quota.ts'
import { type Id, idOf, type ModelRecord, mergePatch } from './record.ts'
import { type FuzzRequest, headerOf, parametersOf } from './request.ts'

/** What an answer must be. */
export interface Expected {
  readonly status: number
  /** Of an Error body. */
  readonly code?: string
  /** Values that headers must have; `null` for those that must not be there. */
  readonly headers: Readonly<Record<string, string | null>>
  /** What the body must hold; for a creation, all but the id. */
  readonly rows?: readonly ModelRecord[]
  readonly row?: ModelRecord
  readonly created?: ModelRecord
  /** The last id of the page, when another follows. */
  readonly next?: Id
}

/** A world as DESIGN has it: its records, counts and time, and what follows from them. */
export class Model {
  readonly api: Api
  readonly rows: Map<Id, ModelRecord>
  quota: QuotaModel = new QuotaModel()
  time: number
  /** The id after which each cursor goes on, by the cursors that were given out. */
  readonly cursors: Map<string, Id>
  /** Ids are never given out again, where they are counted. */
  last: number

  constructor(api: Api, rows: readonly ModelRecord[], time: number) {
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
    const expected = this.#judge(request, below, query.join('?'), standing)
    return { ...expected, headers: { ...expected.headers, ...standing.headers } }
  }

  /** Route, removal, wish, key, ban, quota, input, behaviour: the first that objects. */
  #judge(request: FuzzRequest, path: string, query: string, standing: QuotaDecision): Expected {
    const operations = this.api.operations.filter(({ template }) => isPathOf(template, path))
    if (operations.length === 0) return new ExpectedProblem(404, 'not_found')
    const methods = operations.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method))
    const allow = { Allow: [...methods, 'OPTIONS'].join(', ') }
    if (request.method === 'OPTIONS') return { status: 204, headers: allow }
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const operation = operations.find((one) => one.method === method)
    if (!operation) return new ExpectedProblem(405, 'method_not_allowed', allow)
    const expected = orRefused(() => this.#serve(request, operation, path, query, standing))
    if (!operation.isDeprecated) return expected

    return { ...expected, headers: { ...expected.headers, ...SUNSET } }
  }

  #serve(
    request: FuzzRequest,
    operation: ApiOperation,
    path: string,
    query: string,
    standing: QuotaDecision,
  ): Expected {
    const isGone = this.time >= (operation.sunset ?? Number.POSITIVE_INFINITY)
    if (isGone) throw new ExpectedProblem(404, 'operation_removed')
    const wish = PREFERENCES.get(headerOf(request, 'prefer') ?? '')
    if (wish) return wish
    this.#admit(standing)
    const id = operation.idSchema && pathId(operation.idSchema, path)
    const parameters = this.#readQuery(operation, query)
    const body = operation.body && readBody(operation, operation.body, request)

    return this.#behave(operation, id, parameters, body)
  }

  #admit(standing: QuotaDecision): void {
    if (standing.key !== 'valid')
      throw new ExpectedProblem(401, 'unauthorized', challenge(standing.key))
    const { refusal } = standing
    const until = this.quota.recordRefusal(standing, this.time)
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

  /** Takes in what a creation made. Gives what is wrong with its id. */
  created(row: ModelRecord): string | undefined {
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

function orRefused(serve: () => Expected): Expected {
  try {
    return serve()
  } catch (refused) {
    if (refused instanceof ExpectedProblem) return refused
    throw refused
  }
}

function challenge(key: 'missing' | 'invalid'): Record<string, string> {
  return { 'X-Sandbox-Reason': key === 'missing' ? 'no-key' : 'wrong-key' }
}

function changedBy(action: CrudAction, row: ModelRecord, body: ModelRecord): ModelRecord {
  if (action === 'replace') return { ...body, id: row.id }
  return action === 'update' ? mergePatch(row, body) : row
}

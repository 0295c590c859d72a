import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { resourcesIn } from '../../resources/bind.ts'
import { linksOf, possibleLinksOf } from '../../resources/record-links.ts'
import type { Resource } from '../../resources/resource.ts'
import { asType } from '../../responses/documented-value.ts'
import { isObject, once } from '../../validation/objects.ts'
import type { ChangeGate } from './change-gate.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse, withBody } from './messages.ts'
import { boundTo, lastOf, type RecordPath, segmentsOf, valueAt } from './record-address.ts'
import type { CreateRecord } from './record-states.ts'

/** A property of a record that has the id of a record of another collection. */
interface Reference {
  /** The names that lead to it from the record; those of lists stand for each of their items. */
  readonly path: readonly string[]
  readonly schema: Schema
  /** The path template of the records that it refers to. */
  readonly template: readonly string[]
  /** Whether it may contain a name as well, so that only a refusal shows that it has an id. */
  readonly isPossible: boolean
}

/**
 * The records that others refer to, such as the book of a loan. A service may refuse a reference to no record, and it may change the
 * record that a reference names, so that bodies name records of the run, as far as the document has a way to create them.
 */
export class References {
  readonly #contract: Contract
  readonly #gate: ChangeGate
  readonly #create: CreateRecord
  /** The templates of the records that are just being created, because records may refer to each other. */
  readonly #open = new Set<string>()
  readonly #failed = new Set<string>()
  /** The operations whose texts with the names of records are their ids. */
  readonly #withIds = new Set<Operation>()
  /** The operations that were sent ids instead of texts once. */
  readonly #tried = new Set<Operation>()

  constructor(contract: Contract, gate: ChangeGate, create: CreateRecord) {
    this.#contract = contract
    this.#gate = gate
    this.#create = create
  }

  /**
   * Sends a request that a service refused again, with ids of records of the run where it had texts with the names of records, such as
   * `customer`. If the service accepts it, all requests to the operation have ids there.
   */
  async retry(
    refused: ProbeResponse,
    wanted: ProbeRequest,
    send: (request: ProbeRequest) => Promise<ProbeResponse>,
  ): Promise<ProbeResponse> {
    const { operation, body, sample, credentials } = wanted
    const isMade = body !== undefined && body === sample && credentials === 'key'
    if (!operation || !isMade || this.#tried.has(operation)) return refused
    this.#tried.add(operation)
    if (!this.#referencesOf(operation).some(({ isPossible }) => isPossible)) return refused
    this.#withIds.add(operation)
    const response = await send(wanted)
    if (!isSuccess(response)) this.#withIds.delete(operation)
    return isSuccess(response) ? response : refused
  }

  /** The request with references to records of the run. Invalid values stay as they are. */
  async inRequest(request: ProbeRequest): Promise<ProbeRequest> {
    const { operation, method, body: text = '' } = request
    if (!operation?.body || operation.method !== method) return request
    const place = boundTo(this.#contract, operation)?.hints.body ?? ''
    const sent = parseJsonText(text)
    let body = sent
    for (const reference of this.#referencesOf(operation)) {
      if (reference.isPossible && !this.#withIds.has(operation)) continue
      const record = valueAt(body, place)
      if (!isObject(record)) return request
      for (const keys of placesOf(record, reference.path)) {
        const value = await this.#valueFor(reference, valueIn(record, keys), operation)
        if (value !== undefined) body = replaced(body, [...parsePointer(place), ...keys], value)
      }
    }
    return body === sent ? request : withBody(request, JSON.stringify(body))
  }

  async #valueFor(
    { schema, template }: Reference,
    sent: unknown,
    operation: Operation,
  ): Promise<unknown> {
    const [base = ''] = operation.basePaths ?? []
    const isOwn = (id: unknown): boolean =>
      this.#gate.own.has([base, ...template.slice(0, -1), encodeURIComponent(String(id))])
    const ids = [sent].flat()
    if (ids.length === 0 || !surelyMatches(schema, sent) || ids.every(isOwn)) return undefined
    if (ids.some((id) => id === null || id === undefined || isObject(id))) return undefined
    const record = await this.#recordAt(template, operation)
    if (!record) return undefined
    const id = lastOf(record.join('/'))
    const value = Array.isArray(sent) ? [asType(id, schema.items ?? {})] : asType(id, schema)
    return surelyMatches(schema, value) ? value : undefined
  }

  /** A record that nothing else changes or removes, so that the references to it stay valid. */
  async #recordAt(
    template: readonly string[],
    operation: Operation,
  ): Promise<RecordPath | undefined> {
    const [base = ''] = operation.basePaths ?? []
    const key = [base, ...template].join('/')
    const kept = this.#gate.own.findKept(template, base)
    if (kept || this.#open.has(key) || this.#failed.has(key)) return kept
    this.#open.add(key)
    try {
      const record = await this.#create(template, operation)
      this.#gate.own.keep(record)
      return record
    } catch (error) {
      if (!(error instanceof NotSent)) throw error
      this.#failed.add(key)
      return undefined
    } finally {
      this.#open.delete(key)
    }
  }

  readonly #referencesOf = once((operation: Operation): readonly Reference[] => {
    const binding = boundTo(this.#contract, operation)
    if (!binding || !operation.body) return []
    const schema = schemaAt(operation.body.schema, binding.hints.body ?? '') ?? {}
    return this.#referencesIn({ ...binding.resource, schema }, operation, [])
  })

  /** The references of a record, and those of the objects in it, such as the product of each line of an order. */
  #referencesIn(
    sent: Resource,
    operation: Operation,
    path: readonly string[],
  ): readonly Reference[] {
    const properties = propertiesOf(sent.schema)
    const resources = resourcesIn(this.#contract)
    const sure = new Set(linksOf(sent, resources).map(({ property }) => property))
    const own = possibleLinksOf(sent, resources).flatMap(({ property, to }) => {
      const template = [...segmentsOf(to.path), `{${to.id}}`]
      const isCreated = this.#gate.creations.at(template, operation) !== undefined
      if (to.path === sent.path || !isCreated) return []
      const schema = properties.get(property) ?? {}
      return [{ path: [...path, property], schema, template, isPossible: !sure.has(property) }]
    })
    if (path.length >= MAX_DEPTH) return own
    const inner = [...properties].flatMap(([name, property]) => {
      const schema = itemsOf(property) ?? property
      if (propertiesOf(schema).size === 0) return []
      return this.#referencesIn({ ...sent, schema }, operation, [...path, name])
    })
    return [...own, ...inner]
  }
}

/** How deep objects in a record are searched for references. */
const MAX_DEPTH = 2

/** The places in a record to which names lead: one for each item of a list on the way. */
function placesOf(record: unknown, [name, ...rest]: readonly string[]): readonly string[][] {
  if (name === undefined) return [[]]
  const value = isObject(record) ? record[name] : undefined
  if (value === undefined) return []
  if (rest.length === 0) return [[name]]
  const inner = Array.isArray(value)
    ? value.flatMap((one, at) => placesOf(one, rest).map((keys) => [String(at), ...keys]))
    : placesOf(value, rest)
  return inner.map((keys) => [name, ...keys])
}

function valueIn(record: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)]
    return isObject(value) ? value[key] : undefined
  }, record)
}

/** A copy of a body with another value at a place, which may be in the items of a list. */
function replaced(body: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(body))
    return body.map((one, at) => (String(at) === key ? replaced(one, rest, value) : one))
  return isObject(body) ? { ...body, [key]: replaced(body[key], rest, value) } : body
}

import type { Contract, Operation } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { surelyMatches } from '../../generate/matches.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { type ProbeRequest, withBody } from '../messages.ts'
import {
  boundTo,
  concretePath,
  isId,
  lastOf,
  plainName,
  type RecordPath,
  recordTemplate,
  valueAt,
} from '../record-address.ts'
import { unguessableId } from '../test-data/unguessable.ts'
import type { OwnRecords, PlainCreations } from './own-records.ts'

/** Names of ids that services assign. */
const ASSIGNED = /^_?(id|uuid|guid)$/i

/** Keeps ids of records that a run did not create out of the bodies of its requests: a service may trust them more than the path. */
export class BodyIds {
  readonly #contract: Contract
  readonly #creations: PlainCreations
  readonly #own: OwnRecords

  constructor(contract: Contract, creations: PlainCreations, own: OwnRecords) {
    this.#contract = contract
    this.#creations = creations
    this.#own = own
  }

  /**
   * The request with ids in its JSON body that no other record has: that of the record in its path, or none, or an unguessable one for
   * a new record.
   */
  inRequest(request: ProbeRequest): ProbeRequest {
    const { operation, body, target } = request
    const value = body === undefined ? undefined : parseJsonText(body)
    if (!operation || !isObject(value)) return request
    const changed = this.inValue(value, operation, concretePath(operation, target))
    return changed === value ? request : withBody(request, JSON.stringify(changed))
  }

  /** The same for the value of a body. */
  inValue(value: unknown, operation: Operation, path: RecordPath | undefined): unknown {
    const place = this.#recordPlace(operation)
    return this.foreignIn(value, operation, path).reduce<unknown>((body, name) => {
      const record = valueAt(body, place)
      if (!isObject(record)) return body
      const { [name]: _id, ...others } = record
      const keys = parsePointer(place)
      const without = keys.length === 0 ? others : withValueAt(body, keys, others)
      const withIds = this.#idsFor(operation, name, record[name], path).map((id) =>
        withValueAt(body, [...keys, name], id),
      )
      const { validate } = operation.body ?? {}
      // A new record with an id that its request need not have may be taken for a change of one that exists.
      const isOptional = ASSIGNED.test(name) && validate?.(without) === true
      const choosesId =
        !this.#creations.has(operation) ||
        (boundTo(this.#contract, operation)?.resource.hasClientIds === true && !isOptional)
      const candidates = choosesId ? [...withIds, without] : [without, ...withIds]
      const found = candidates.find((one) => validate?.(one))

      // A body that became invalid would be refused for another reason than the service has.
      return found ?? (validate?.(body) ? body : candidates[0])
    }, value)
  }

  /** Adds an id that no record has to those that requests may name. */
  newId(...sources: Parameters<typeof unguessableId>): string | number | undefined {
    const id = unguessableId(...sources)
    if (id !== undefined) this.#own.issue(id)
    return id
  }

  /** The names of the properties of a body that may be the id of a record that the run did not create. */
  foreignIn(body: unknown, operation: Operation, path: RecordPath | undefined): readonly string[] {
    if (Array.isArray(body)) return body.flatMap((one) => this.foreignIn(one, operation, path))
    const record = valueAt(body, this.#recordPlace(operation))
    if (!isObject(record)) return []
    const names = this.#idNames(operation)
    return Object.entries(record).flatMap(([name, id]) => {
      if (!isId(id) || !names.has(plainName(name)) || this.#own.isIssued(id)) return []
      return this.#isOfPath(id, operation, path) ? [] : [name]
    })
  }

  /** Whether an id is that of the record in the path, or of a record of the run in the collection at the path. */
  #isOfPath(id: string | number, operation: Operation, path: RecordPath | undefined): boolean {
    if (!path) return false
    const segment = encodeURIComponent(id)
    if (this.#creations.has(operation)) return this.#own.has([...path, segment])
    return path[recordTemplate(operation).length] === segment
  }

  #idsFor(
    operation: Operation,
    name: string,
    sent: unknown,
    path: RecordPath | undefined,
  ): readonly (string | number)[] {
    if (!this.#creations.has(operation)) {
      const text = lastOf(path?.[recordTemplate(operation).length] ?? '')
      return typeof sent === 'number' && /^\d+$/.test(text) ? [Number(text)] : [text]
    }
    const record = operation.body && schemaAt(operation.body.schema, this.#recordPlace(operation))
    const schema = propertiesOf(record ?? {}).get(name) ?? { type: typeof sent }
    const id = this.newId(schema, (one) => surelyMatches(schema, one))
    return id === undefined ? [] : [id]
  }

  #recordPlace(operation: Operation): string {
    return boundTo(this.#contract, operation)?.hints.body ?? ''
  }

  /** The names that the id of a record may have in the body of an operation. */
  #idNames(operation: Operation): ReadonlySet<string> {
    const { resource, hints } = boundTo(this.#contract, operation) ?? {}
    const named = [resource?.id, hints?.id, hints?.sentId]
    const parameters = this.#creations.has(operation)
      ? this.#own.parametersBelow(operation)
      : recordTemplate(operation).slice(-1)

    return new Set(
      [...named, ...parameters, 'id', '_id', 'uuid'].flatMap((name) => plainName(name ?? '') || []),
    )
  }
}

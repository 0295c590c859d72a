import type { Contract, Operation } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { isObject } from '../../validation/objects.ts'
import { isSafeMethod, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  concretePath,
  hasWholeParameters,
  idForParameter,
  isAt,
  isId,
  isPathId,
  lastOf,
  type RecordPath,
  recordTemplate,
  segmentsOf,
  UNKNOWN_RECORD,
} from '../record-address.ts'
import { BodyIds } from './body-ids.ts'
import { recordsNamedIn } from './bulk-targets.ts'
import { OwnRecords, type PlainCreations, plainCreations } from './own-records.ts'
import { Settings } from './settings.ts'

/** Names of headers and parameters by which a request can have another method than its own. */
const OTHER_METHOD = /^(x-(http-)?method(-override)?|_method)$/i

/**
 * Every request of a run passes this gate. It lets a request change a record only if the run created it. New records are created by
 * plain creations: in a collection, and below a parent only if the run created it or the user named it. An entry below a record that names
 * one of another collection is of the run if both of them are. What exists once is changed only if the user allows it, and if it can be
 * written back.
 */
export class ChangeGate {
  readonly creations: PlainCreations
  readonly own: OwnRecords
  readonly named: NamedParents
  readonly settings: Settings
  /** Why creations made no record of the run. */
  readonly failures: Map<Operation, string> = new Map()
  /** The time of the service, in epoch milliseconds, by its last response; before, that of this machine. */
  time = 0
  /** The ids in the bodies of requests. */
  readonly ids: BodyIds

  readonly #contract: Contract

  constructor(contract: Contract, named: NamedRecords = {}, changesSettings = false) {
    this.#contract = contract
    this.creations = plainCreations(contract)
    this.own = new OwnRecords(contract, this.creations)
    this.named = new NamedParents(named)
    this.settings = new Settings(contract, changesSettings)
    this.ids = new BodyIds(contract, this.creations, this.own)
  }

  /** Learns from a response which records the run created and removed, and what time it is. */
  note(response: ProbeResponse): void {
    this.time = response.time
    const before = this.own.created
    this.own.note(response)
    // What somebody else has created is removed at the end, but it is no record of the key.
    const [newest] = this.own.created > before ? this.own.newestFirst : []
    if (newest && response.request.credentials === 'other-key') this.own.close(newest)
  }

  /** Why a request must not be sent; `undefined` when it may. */
  reasonToRefuse(request: ProbeRequest): string | undefined {
    const { operation, method, target, headers = [] } = request
    const names = [...headers.map(([name]) => name), ...queryNames(target)]
    if (names.some((name) => OTHER_METHOD.test(name)))
      return 'a request with another method than its own could change anything'
    if (isSafeMethod(method)) return undefined
    if (operation?.method !== method)
      return 'the document does not have the method, so that it could change anything'
    const path = concretePath(operation, target)
    if (!path) return 'servers could read its path as another one'

    return this.creations.has(operation)
      ? this.#reasonNotToCreate(request, operation, path)
      : this.#reasonNotToChange(request, operation, path)
  }

  #reasonNotToCreate(
    request: ProbeRequest,
    operation: Operation,
    path: RecordPath,
  ): string | undefined {
    const template = recordTemplate(operation)
    const parent = path.slice(0, template.length + 1)
    const isBelow = parent.length > 1
    if (!hasWholeParameters(operation)) return UNKNOWN_RECORD
    if (this.own.isReplacing(operation))
      return 'it returned a record that existed before the run, which it may have changed'
    const isKnown = this.own.has(parent) || this.named.has(parent, template.at(-1) ?? '')
    // Nothing can be below a record of the run that is removed, as a request to read it has shown.
    const isGone = this.own.isRemoved(parent) && this.own.isAbsent(parent)
    if (isBelow && !isKnown && !isGone)
      return 'it creates below a record that this run did not create, and that --data does not name'

    return this.#reasonOfBody(request, operation, path)
  }

  #reasonNotToChange(
    request: ProbeRequest,
    operation: Operation,
    path: RecordPath,
  ): string | undefined {
    const template = recordTemplate(operation)
    const { body } = request
    const named = recordsNamedIn(this.#contract, request)
    if (named?.every((one) => this.own.has(one))) return undefined
    if (template.length === 0)
      return this.settings.reasonToRefuse(operation) ?? this.settings.reasonOfBody(request)
    if (!hasWholeParameters(operation)) return UNKNOWN_RECORD
    const record = path.slice(0, template.length + 1)
    const isAbsent = this.own.isAbsent(record)
    const isOnNone =
      operation.method === 'POST'
        ? isAbsent && record.length < path.length && this.own.isRemoved(record)
        : isAbsent && record.length === path.length
    // What the run has made up is only below a record of the run.
    const above = record.slice(0, -1)
    const isOfOwn =
      body === undefined &&
      above.length > 2 &&
      this.own.has(above.slice(0, -1)) &&
      this.own.isIssued(lastOf(record.at(-1) ?? ''))
    const isEntry = this.own.isEntry(operation, record)
    if (!this.own.has(record) && !isOnNone && !isOfOwn && !isEntry)
      return 'it changes a record that this run did not create'

    return this.#reasonOfBody(request, operation, path)
  }

  #reasonOfBody(
    { body }: ProbeRequest,
    operation: Operation,
    path: RecordPath,
  ): string | undefined {
    const value = body === undefined ? undefined : parseJsonText(body)
    return this.ids.foreignIn(value, operation, path).length > 0
      ? 'its body needs an id that another record may have'
      : undefined
  }
}

function queryNames(target: string): readonly string[] {
  return [...new URL(target, 'http://server').searchParams.keys()]
}

/** Records by the names or paths of their collections, such as `orgs` or `orgs/acme/repos`. */
export type NamedRecords = Readonly<Record<string, readonly unknown[]>>

/** The records below which the user allows to create others. */
class NamedParents {
  readonly #named: NamedRecords

  constructor(named: NamedRecords) {
    this.#named = named
  }

  /** Whether the user named the record at a path, whose template ends with a parameter. */
  has(path: RecordPath, parameter: string): boolean {
    return this.#pathsIn(path[0] ?? '', parameter).some((named) => isAt(named, path))
  }

  /** A record that the user named, at a path template. */
  find(template: readonly string[], basePath: string): RecordPath | undefined {
    const paths = this.#pathsIn(basePath, template.at(-1) ?? '')
    return paths.find((path) => isAt(path, [basePath, ...template]))
  }

  #pathsIn(basePath: string, parameter: string): readonly RecordPath[] {
    return Object.entries(this.#named).flatMap(([name, records]) => {
      const collection = segmentsOf(encodeURI(name)).filter((one) => one !== '')
      return records.flatMap((record) => {
        const id = isObject(record) ? idForParameter(record, parameter) : record
        if (!isId(id) || !isPathId(String(id))) return []
        return [[basePath, ...collection, encodeURIComponent(id)]]
      })
    })
  }
}

import type { Contract, Operation } from '../../contract/contract.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject, once } from '../../validation/objects.ts'
import { isGone, isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  concretePath,
  createdId,
  idForParameter,
  idIn,
  isAt,
  isParameter,
  isPathId,
  isSameTemplate,
  lastOf,
  listedIn,
  type RecordPath,
  recordsAt,
  segmentsOf,
} from '../record-address.ts'
import { sharesWord, wordsOf } from '../test-data/unguessable.ts'
import { typeOf } from '../test-data/values.ts'
import { itemTemplateElsewhere, memberTemplate } from './item-templates.ts'

/** The most ids of a list that are remembered. */
const MAX_LISTED = 10_000

/**
 * The records that a run created, by their paths. Only a response to a creation of the run makes a record its own, and only when it
 * shows that the record is new.
 */
export class OwnRecords {
  readonly #contract: Contract
  readonly #creations: PlainCreations
  /** By their joined paths, the oldest first. */
  readonly #own = new Map<string, RecordPath>()
  /** The paths of records that the user made for the run, or the service with those of the run. */
  readonly #lent = new Set<string>()
  /** The paths of records that exist, and that this run did not create. */
  readonly #existing = new Set<string>()
  /** The paths of no record, whose ids nobody could guess. */
  readonly #absent = new Set<string>()
  readonly #issued = new Set<string>()
  /** The paths of records that others refer to. */
  readonly #kept = new Set<string>()
  /** The paths of records that cannot be changed, and below which nothing can be created. */
  readonly #closed = new Set<string>()
  /** The paths of the collections in which records were created, by the paths of the records. That of an entry is below its member. */
  readonly #places = new Map<string, string>()
  /** The paths of records that the run removed. */
  readonly #removed = new Set<string>()
  /**
   * The paths of removed records that the last response did not find, by the first words of paths. Somebody else may create one with
   * such an id at any time.
   */
  readonly #absentNow = new Map<string, string>()
  /** Creations that returned a record that existed before. */
  readonly #replacing = new Set<Operation>()
  /** Creations that may have made a record whose path is not known. */
  readonly unclear: UnclearCreation[] = []
  /** The number of records that the run created. */
  created = 0

  constructor(contract: Contract, creations: PlainCreations) {
    this.#contract = contract
    this.#creations = creations
  }

  has(path: RecordPath): boolean {
    return this.#own.has(keyOf(path)) || this.#lent.has(keyOf(path))
  }

  /**
   * Notes a record that the run may change and leaves on the server: one that the user made for it, or one that the service made with a
   * record of the run; also the path that a record of the run has below another one of the run, where there should be none.
   */
  lend(path: RecordPath): void {
    this.#lent.add(keyOf(path))
  }

  /** The records that still exist, the newest first. */
  get newestFirst(): readonly RecordPath[] {
    return [...this.#own.values()].reverse()
  }

  /** The newest record whose path a template has, that can be changed, and to which no other refers. */
  find(template: readonly string[], basePath: string): RecordPath | undefined {
    const isFree = (key: string): boolean => !this.#kept.has(key) && !this.#closed.has(key)
    return this.newestFirst.find(
      (path) => isAt(path, [basePath, ...template]) && isFree(keyOf(path)),
    )
  }

  /** Notes that others refer to a record, so that it is not changed or removed before the end of the run. */
  keep(path: RecordPath): void {
    this.#kept.add(keyOf(path))
  }

  /** Whether others refer to a record. */
  isKept(path: RecordPath): boolean {
    return this.#kept.has(keyOf(path))
  }

  /** The newest record whose whole path a template has, that fits, and that is in no state which forbids what others need of it. */
  findOpen(
    template: readonly string[],
    fits: (path: RecordPath) => boolean,
  ): RecordPath | undefined {
    return this.newestFirst.find(
      (path) => isAt(path, template) && !this.#closed.has(keyOf(path)) && fits(path),
    )
  }

  /** Notes that a record is in a state in which it cannot be changed, and nothing can be created below it. */
  close(path: RecordPath): void {
    this.#closed.add(keyOf(path))
  }

  /** The record at a template below which the run has created the most: of several, the newest. Closed ones can be read only. */
  findFullest(
    template: readonly string[],
    basePath: string,
    isRead = false,
  ): RecordPath | undefined {
    const counts = this.#countsBelow()
    let fullest: { readonly path: RecordPath; readonly below: number } | undefined
    for (const [key, path] of [...this.#own].reverse()) {
      const isOpen = isRead || !this.#closed.has(key)
      if (!isAt(path, [basePath, ...template]) || !isOpen) continue
      const below = counts.get(key) ?? 0
      if (!fullest || below > fullest.below) fullest = { path, below }
    }
    return fullest?.path
  }

  /**
   * Whether a server has no record at a path: a request to read one with an id that nobody could guess got a 404, or the last
   * request was to read one that the run had removed.
   */
  isAbsent(path: RecordPath): boolean {
    return this.#absent.has(keyOf(path)) || this.#absentNow.get(placeOf(path)) === keyOf(path)
  }

  /** Whether the run has removed the record of a path, or one above it. */
  isRemoved(path: RecordPath): boolean {
    return path.some((_, at) => this.#removed.has(keyOf(path.slice(0, at + 1))))
  }

  /** Notes an id that the run made up for a new record, or for none. */
  issue(id: string | number): void {
    this.#issued.add(String(id))
  }

  /** Whether a creation returned a record that existed before: the service may have replaced it. */
  isReplacing(operation: Operation): boolean {
    return this.#replacing.has(operation)
  }

  /** Whether the run made up an id. */
  isIssued(id: unknown): boolean {
    return this.#issued.has(String(id))
  }

  /** Notes a record of the run. */
  add(path: RecordPath): void {
    if (!this.has(path)) this.created += 1
    this.#own.set(keyOf(path), path)
  }

  /** Notes that a request to create a record got no response that shows whether there is one. */
  noteUnclear(request: ProbeRequest, reason: string): void {
    const { operation, method, target, body = '', credentials } = request
    const path = operation && concretePath(operation, target)
    if (!path || operation.method !== method || credentials !== 'key') return
    // It may have created the record at its own path, where none was.
    if (method === 'PUT' && this.#absent.delete(keyOf(path))) this.add(path)
    if (!this.#creations.has(operation)) return
    this.unclear.push({ operation, path, reason, words: wordsOf(body) })
  }

  /** Forgets a removed record, and what is below it. */
  forget({ request: { operation, target } }: ProbeResponse): void {
    const path = operation && concretePath(operation, target)
    if (path) this.#forget(path)
  }

  /** Whether both the record above the entry at a path and the record of another collection that it names are of this run. */
  isEntry(operation: Operation, path: RecordPath): boolean {
    const member = this.#memberOf(operation, path)
    const above = path.slice(0, -2)
    return member !== undefined && above.length > 1 && this.has(above) && this.has(member)
  }

  /** The path of the record in a collection of its own that the last segment of a path names. */
  #memberOf(operation: Operation, path: RecordPath): RecordPath | undefined {
    const template = memberTemplate(operation, this.#contract)
    const isWhole = path.length === segmentsOf(operation.path).length + 1
    return template && isWhole
      ? [path[0] ?? '', ...template.slice(0, -1), path.at(-1) ?? '']
      : undefined
  }

  #noteEntry(operation: Operation, path: RecordPath): void {
    const member = this.#memberOf(operation, path) ?? []
    this.#places.set(keyOf(path), keyOf([...member, path.at(-2) ?? '']))
    this.add(path)
  }

  /** Learns from a response which records exist, which the run has created, and which it has removed. */
  note(response: ProbeResponse): void {
    const { operation, method, target } = response.request
    const path = operation && concretePath(operation, target)
    if (!operation || !path) return
    const absent = this.#absentNow.get(placeOf(path))
    this.#absentNow.delete(placeOf(path))
    if (method === 'GET') this.#noteRead(response, operation, path)
    else if (isSuccess(response)) this.#noteDone(response, operation, path, absent)
    else if (response.status >= 500)
      this.noteUnclear(response.request, `POST returned ${response.status}`)
  }

  /** `absent`: the path of no record, as the response before has shown. */
  #noteDone(
    response: ProbeResponse,
    operation: Operation,
    path: RecordPath,
    absent: string | undefined,
  ): void {
    const { method } = response.request
    if (method === 'DELETE') this.#forget(path)
    else if (this.#creations.has(operation)) this.#noteCreated(response, operation, path)
    else if (method === 'PUT' && this.isEntry(operation, path)) this.#noteEntry(operation, path)
    // A change of no record may create one, and an action on a removed one may bring it back.
    else if (this.#absent.delete(keyOf(path)) || absent === keyOf(path)) this.add(path)
    else if (absent !== undefined && keyOf(path).startsWith(`${absent}/`))
      this.add(path.slice(0, absent.split('/').length))
  }

  #noteRead(response: ProbeResponse, operation: Operation, path: RecordPath): void {
    if (isSuccess(response)) this.#noteExisting(response, operation, path)
    const isUnknown = this.isIssued(lastOf(path.join('/')))
    const isAbsent = isGone(response) && response.request.credentials === 'key'
    if (isUnknown && isAbsent) this.#absent.add(keyOf(path))
    else if (isAbsent && this.#removed.has(keyOf(path)))
      this.#absentNow.set(placeOf(path), keyOf(path))
  }

  #noteExisting(response: ProbeResponse, operation: Operation, path: RecordPath): void {
    this.#addExisting(path)
    const binding = boundTo(this.#contract, operation)
    const ids =
      binding?.action === 'list'
        ? (recordsAt(response, binding) ?? []).map((record) => idIn(record, binding))
        : []
    const shown = listedIn(response.json).flatMap((record) =>
      this.parametersBelow(operation).map((name) => idForParameter(record, name)),
    )
    const creation = this.#contract.operations.find(
      (one) =>
        one.method === 'POST' &&
        one.basePaths === operation.basePaths &&
        isSameTemplate(segmentsOf(one.path), segmentsOf(operation.path)),
    )
    for (const id of [...ids, ...shown].slice(0, MAX_LISTED)) {
      if (id === undefined) continue
      this.#addExisting([...path, encodeURIComponent(id)])
      if (creation) this.#addExisting(this.pathOf(creation, path, String(id)))
    }
  }

  #addExisting(path: RecordPath): void {
    if (!this.has(path)) this.#existing.add(keyOf(path))
  }

  #noteCreated(response: ProbeResponse, operation: Operation, collection: RecordPath): void {
    const id = this.#idOfNew(response, operation)
    if (id === undefined || !isPathId(id)) {
      this.noteUnclear(response.request, 'the response to POST shows no id')
      return
    }
    const path = this.pathOf(operation, collection, id)
    const hasExisted = this.#existing.has(keyOf(path))
    if (hasExisted) this.#replacing.add(operation)
    const isOther = hasExisted || this.#isRoute(operation, id)
    if (isOther) return
    this.#places.set(keyOf(path), keyOf(collection))
    // What a response shows below a record of the run is of the run, too.
    const isBelowOwn = collection.length > 1 && this.#isOwnOrBelow(collection)
    if ((isBelowOwn && keyOf(path).startsWith(keyOf(collection))) || this.#isNew(response, id))
      this.add(path)
    else if (!this.has(path))
      this.noteUnclear(
        response.request,
        `POST returned the record ${id}, which may be an older one`,
      )
  }

  /** The path of a record that an operation created at the path of a collection. */
  pathOf(operation: Operation, collection: RecordPath, id: string): RecordPath {
    const elsewhere = itemTemplateElsewhere(this.#contract, operation)
    const start = elsewhere ? [collection[0] ?? '', ...elsewhere.slice(0, -1)] : collection
    return [...start, encodeURIComponent(id)]
  }

  /** Whether a response shows that the record is new. A service may return one that exists instead of creating it. */
  #isNew({ status, text, request }: ProbeResponse, id: string): boolean {
    return status === 201 || this.#issued.has(id) || sharesWord(request.body ?? '', text)
  }

  #idOfNew(response: ProbeResponse, operation: Operation): string | undefined {
    const binding = boundTo(this.#contract, operation)
    const id = binding?.action === 'create' ? createdId(response, binding) : undefined
    if (id !== undefined) return id
    const { json } = response
    const record = isObject(json) ? inEnvelope(json) : {}
    const found = this.parametersBelow(operation)
      .map((name) => idForParameter(record, name))
      .find((one) => one !== undefined)

    return found === undefined ? undefined : String(found)
  }

  /** The names of the parameters that follow the path of a collection. */
  parametersBelow(operation: Operation): readonly string[] {
    return [...new Set(segmentsBelow(this.#contract, operation).filter(isParameter))]
  }

  /** Whether the path of a record would be that of another operation, such as `/users/all`. */
  #isRoute(operation: Operation, id: string): boolean {
    return segmentsBelow(this.#contract, operation).some(
      (one) => one.toLowerCase() === id.toLowerCase(),
    )
  }

  /** Whether a path is that of a record of the run, or below one that the run created. */
  #isOwnOrBelow(path: RecordPath): boolean {
    return path.some((_, at) => this.#own.has(keyOf(path.slice(0, at + 1))))
  }

  /** Whether a record is below another one: by its path, or by that of the collection in which it was created. */
  #isBelow(one: string, other: string): boolean {
    const start = `${other}/`
    return one.startsWith(start) || this.#places.get(one)?.startsWith(start) === true
  }

  /** How many records are below each path. */
  #countsBelow(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const [key, path] of this.#own) {
      const place = this.#places.get(key)?.split('/') ?? []
      const above = [path.slice(0, -1), place].flatMap((one) =>
        one.map((_, at) => keyOf(one.slice(0, at + 1))),
      )
      for (const one of new Set(above)) counts.set(one, (counts.get(one) ?? 0) + 1)
    }
    return counts
  }

  /** A removed record has nothing below it either. */
  #forget(path: RecordPath): void {
    const key = keyOf(path)
    this.#lent.delete(key)
    for (const one of this.#own.keys()) {
      if (one !== key && !this.#isBelow(one, key)) continue
      this.#own.delete(one)
      this.#removed.add(one)
    }
  }
}

/** A request that may have created a record whose path is not known. */
export interface UnclearCreation {
  readonly operation: Operation
  /** The path of the collection. */
  readonly path: RecordPath
  readonly reason: string
  /** The words in the request that no other record contains. */
  readonly words: readonly string[]
}

/** The first words of a path. Requests to others may be sent at the same time. */
function placeOf(path: RecordPath): string {
  return keyOf(path.slice(0, 2))
}

function keyOf(path: RecordPath): string {
  return path.join('/')
}

/** What follows the path of an operation in the paths of others. */
function segmentsBelow(contract: Contract, operation: Operation): readonly string[] {
  return belowIn(contract)(operation)
}

const belowIn = once(({ operations }: Contract) => {
  const all = operations.map(({ path }) => segmentsOf(path))
  return once(({ path }: Operation): readonly string[] => {
    const collection = segmentsOf(path)
    return all.flatMap((other) => {
      const isBelow = isSameTemplate(other.slice(0, collection.length), collection)
      return isBelow ? (other[collection.length] ?? []) : []
    })
  })
})

/** The record in an envelope that contains nothing else. */
function inEnvelope(json: JsonObject): JsonObject {
  const [only, ...others] = Object.values(json)
  return isObject(only) && others.length === 0 ? only : json
}

/** The last segment of a path that names something to do, or something that exists once, rather than a collection. */
const NO_COLLECTION =
  /(^|[-_.])(activate|apply|approve|authenticate|batch|bulk|cancel|change|clear|close|config(uration)?|deactivate|delete|disable|enable|execute|export|filter|find|flush|import|lock|login|logout|lookup|maintenance|merge|migrate|move|off|on|preferences?|publish|purge|query|refresh|reject|reload|remove|reset|restart|restore|revoke|rotate|run|search|send|set|settings?|shutdown|sign[-_]?(in|out)|start|stop|sync|toggle|truncate|unlock|update|upload|wipe)([-_.]|$)/

/** What destroys, whatever it is done to. */
const DESTROYS =
  /(^|[-_.])(clear|delete|flush|purge|remove|reset|restart|restore|shutdown|truncate|wipe)([-_.]|$)/

/** Several things with such a word before them, such as `maintenance-orders` and `import-jobs`. */
const OF_SEVERAL = /[-_.][a-z]{2,}[^s]s$/

/**
 * The POST operations that create one record in a collection: the path of one record is below theirs, or the document has the list
 * of the records that they create. Only these may run without a record of this run.
 */
export class PlainCreations {
  readonly #contract: Contract
  readonly #operations: readonly Operation[]
  readonly #puts: readonly Operation[]

  constructor(contract: Contract) {
    this.#contract = contract
    this.#operations = contract.operations.filter((one) => isPlainCreation(one, contract))
    this.#puts = contract.operations.filter((one) => createsByPut(one, contract))
  }

  has(operation: Operation): boolean {
    return this.#operations.includes(operation)
  }

  /** The operation that creates records at a path template, such as `/orgs/{org}`: by POST, else by PUT to the path of a new one. */
  at(template: readonly string[], operation: Operation): Operation | undefined {
    const isAbove = (one: Operation): boolean => {
      const elsewhere = itemTemplateElsewhere(this.#contract, one)
      return elsewhere
        ? isSameTemplate(elsewhere, template)
        : isSameTemplate(segmentsOf(one.path), template.slice(0, -1))
    }
    const hasSameBase = ({ basePaths }: Operation): boolean =>
      basePaths?.[0] === operation.basePaths?.[0]
    return (
      this.#operations.find((one) => hasSameBase(one) && isAbove(one)) ??
      this.#puts.find((one) => hasSameBase(one) && isSameTemplate(segmentsOf(one.path), template))
    )
  }
}

/** Those of a contract, found once. */
export const plainCreations: (contract: Contract) => PlainCreations = once(
  (contract) => new PlainCreations(contract),
)

/**
 * Whether PUT creates the record at its path, whose id the client chooses: the document has a 201 for it or says so, and a request to
 * read the record shows with a 404 that there is none. The id of an entry is that of a record of another collection.
 */
export function createsByPut(operation: Operation, contract: Contract): boolean {
  const { method, path, conditions = [], responses } = operation
  if (method !== 'PUT' || conditions.length > 0 || !isParameter(segmentsOf(path).at(-1) ?? ''))
    return false
  const binding = boundTo(contract, operation)
  if (binding?.action !== 'replace' || binding.resource.isSingle || binding.resource.creation)
    return false
  const creates = binding.resource.hasClientIds || responses.some(({ status }) => status === 201)
  const isEntry = operation.body !== undefined && memberTemplate(operation, contract) !== undefined
  return creates === true && (isEntry || readOfPut(operation, contract) !== undefined)
}

/** The operation that reads the record at the path of a PUT, and has a 404. */
export function readOfPut({ path }: Operation, contract: Contract): Operation | undefined {
  return contract.operations.find(
    (one) =>
      one.method === 'GET' &&
      isSameTemplate(segmentsOf(one.path), segmentsOf(path)) &&
      one.responses.some(isGone),
  )
}

function isPlainCreation(operation: Operation, contract: Contract): boolean {
  const { method, path, conditions = [], body } = operation
  const segments = segmentsOf(path)
  const last = segments.at(-1) ?? ''
  if (method !== 'POST' || conditions.length > 0 || /[?#]/.test(path)) return false
  if (last === '' || /[{}:]/.test(last) || !canBeCollection(operation, contract)) return false
  // A list in the body creates or changes many records at once.
  if (body && typeOf(body.schema) === 'array') return false
  const binding = boundTo(contract, operation)
  if (binding && (binding.action !== 'create' || binding.resource.isSingle)) return false
  if (segmentsBelow(contract, operation).some(isParameter)) return true

  return (
    binding !== undefined &&
    contract.operations.some(
      (one) =>
        isSameTemplate(segmentsOf(one.path), segments) && boundTo(contract, one)?.action === 'list',
    )
  )
}

/**
 * Whether the last segment of a path can be a collection. What only begins with a word for something to do is one if the document lists its
 * records and reads each of them.
 */
function canBeCollection(operation: Operation, contract: Contract): boolean {
  const name = words(segmentsOf(operation.path).at(-1) ?? '')
  if (!NO_COLLECTION.test(name)) return true
  if (DESTROYS.test(name) || !OF_SEVERAL.test(name) || NO_COLLECTION.test(lastWord(name)))
    return false
  const actions = contract.operations
    .filter(({ method }) => method === 'GET')
    .flatMap((one) => {
      const binding = boundTo(contract, one)
      return binding?.resource === boundTo(contract, operation)?.resource ? binding?.action : []
    })
  return actions.includes('list') && actions.includes('read')
}

function lastWord(name: string): string {
  return name.split(/[-_.]/).at(-1) ?? ''
}

/** `bulkDelete` as `bulk-delete`. */
function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

import { nestedSchema, nestedValue } from '../../contract/bracket-names.ts'
import { missingStatus } from '../../contract/documented-response.ts'
import { isEvent, LATEST_ADDED, type OperationHints } from '../../contract/hints.ts'
import type { Input } from '../../contract/input.ts'
import { parsePointer } from '../../contract/schema.ts'
import type { CoreRequest, CoreResponse, ResponseSource } from '../../http/message.ts'
import { type Problem, problems } from '../../http/problem.ts'
import { parameterIn, shapeOf, withoutNames, withoutWatch } from '../../inference/path-shape.ts'
import type { Note } from '../../journal/exchange.ts'
import { type Awaitable, bothKnown, whenKnown } from '../../records/awaitable.ts'
import type { Id, Page, StoredRecord } from '../../records/record-table.ts'
import type { RecordSelection } from '../../records/selection.ts'
import type { AnsweringService } from '../../responses/answering-service.ts'
import { once } from '../../validation/objects.ts'
import type { Binding, ResourceBinding } from '../bind.ts'
import { ADDED } from '../hidden-properties.ts'
import { idOf, typedId } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import type { ChangeListener, RecordChange } from '../store/record-change.ts'
import type { Records } from '../store/records.ts'
import { settleDue } from '../store/settle.ts'
import type { NamedFinder, Store } from '../store/store.ts'
import { aliasOf, ownParameters, type Part, selectedPart } from '../views/aliases.ts'
import { callerId, type RequestCaller } from '../views/caller-record.ts'
import type { ViewContext } from '../views/record-view.ts'
import { valueAt } from '../views/service-values.ts'

/** A request for records, and where they live. */
export interface RecordRequest {
  readonly admitted: AdmittedRequest
  readonly binding: ResourceBinding
  readonly store: Store
  /** The records of the collection. */
  readonly records: Records
  /** The ids of the parents. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The part of the collection that the path shows; absent when it shows all of it. */
  readonly part?: Part
  /** Which one it is of several records that the client asks for at once; absent for the first. */
  readonly position?: number
  /** The id of the record, as its path has it; absent when the request is for the collection. */
  readonly id?: string
  readonly view: ViewContext
  /** What the hints of the operation say about more than its record; absent where they do not. */
  readonly scope?: RequestScope
}

/** What the hints of an operation say about one request. */
export interface RequestScope {
  /** What placeholders stand for, besides the record. */
  readonly values: Readonly<Record<string, unknown>>
  /** The records that a list shows; default: all. */
  readonly selection?: RecordSelection
  /** The hints with which the request changes a record. */
  readonly effectsOn: (record: StoredRecord) => Pick<OperationHints, 'set' | 'after'>
  /** Throws the first refusal whose condition does not hold for a record. */
  readonly refuse: (record: StoredRecord) => void
}

/** What a request did to a record. */
export interface Change {
  readonly record: StoredRecord
  /** What the record is made of; default: it is stored, and a client or the first records gave its id. */
  readonly source?: ResponseSource
  /** The status of the response, when it is not the usual one. */
  readonly status?: number
  /** How many records the collection has more; default: none. */
  readonly added?: number
  /** The record before it was changed; absent when it was not. */
  readonly before?: StoredRecord
  readonly undo?: () => Promise<void>
  /** What placeholders in the hints of the operation stand for, where it has any. */
  readonly values?: RequestScope['values']
  /** What the operation did to other records. */
  readonly others?: readonly RecordChange[]
}

/** Finds the collection of a request. Its first records are created when it is touched for the first time. */
export function openRequest(
  read: AdmittedRequest,
  binding: ResourceBinding,
  store: Store,
): Awaitable<RecordRequest> {
  const { resource, hints } = binding
  const admitted = withNestedBody(read, binding)
  const alias = aliasOf(binding)
  const { parameters: named, id: text } = locate(admitted, alias?.at ?? resource)

  const { caller } = admitted
  const find: NamedFinder = (name, records) => idNamed(name, records, { caller, store })

  return whenKnown(store.locate(alias?.at ?? resource, named, find), (located) => {
    const sent =
      binding.action === 'create'
        ? valueAt(admitted.input.body, parsePointer(hints.body ?? ''))
        : undefined
    const own = alias ? ownParameters(alias, { located, named, caller, sent }, store) : located
    return whenKnown(own, (parameters) =>
      bothKnown(
        alias && selectedPart(alias, located, parameters, store),
        store.open(resource, parameters),
        (part, records) =>
          whenKnown(settleDue(records, store, admitted.now, admitted.tell), () =>
            whenKnown(requestedIdOf(admitted, { text, hints, records, store }), (id) => {
              const { service, request } = admitted
              const view = {
                resource,
                collection: records.name,
                hints,
                service,
                base: request.base,
              }
              return {
                admitted,
                binding,
                store,
                records,
                parameters,
                ...(part && { part }),
                ...(id !== undefined && { id: String(id) }),
                view,
              }
            }),
          ),
      ),
    )
  })
}

/** A request whose body has objects for the names with brackets that the document declares, such as `book[title]`. */
function withNestedBody(
  admitted: AdmittedRequest,
  { operation: { body } }: ResourceBinding,
): AdmittedRequest {
  if (!body || nestedSchema(body.schema) === body.schema) return admitted
  const { input } = admitted
  return { ...admitted, input: { ...input, body: nestedValue(input.body) } }
}

/** The id of the record of a request: that in its path, else that of the caller's record; `undefined` when it is for the collection. */
function requestedIdOf(
  { caller, request }: AdmittedRequest,
  {
    text,
    hints,
    records,
    store,
  }: Pick<RecordRequest, 'records' | 'store'> & {
    readonly text: string | undefined
    readonly hints: ResourceBinding['hints']
  },
): Awaitable<Id | undefined> {
  if (text !== undefined) return idNamed(text, records, { caller, store })
  if (!hints.caller) return undefined
  // Without users, the path is the name of one that does not exist.
  const name = request.path.slice(request.path.lastIndexOf('/') + 1)
  return whenKnown(callerId(records.resource, store, caller), (id) => id ?? name)
}

/** The id of the record that a text in a path names, which may be that of the caller. */
function idNamed(
  text: string,
  records: Records,
  { caller, store }: { readonly caller: RequestCaller | undefined; readonly store: Store },
): Awaitable<Id> {
  const { callerId: own, idWords = {} } = records.resource
  if (Object.hasOwn(idWords, text)) return idOfWord(text, idWords[text], records)
  if (text !== own) return records.idNamed(text)
  return whenKnown(callerId(records.resource, store, caller), (id) => id ?? text)
}

/** The id of the record that a word such as `latest` names: a record that is called so, or the first one in the order that the word means. */
function idOfWord(word: string, found: string | undefined, records: Records): Awaitable<Id> {
  const { id } = records.resource
  const order = { ...(found === LATEST_ADDED && { sort: { by: ADDED } }), limit: 1 }
  const flagged = found === LATEST_ADDED ? {} : { where: { [found ?? '']: true } }
  const first = ({ records: [record] }: Page): Id | undefined => record && idOf(record, id)

  return whenKnown(records.idNamed(word), (named) => {
    if (named !== word) return named
    return whenKnown(records.get(typedId(word, records.resource)), (own) => {
      if (own) return word
      return whenKnown(records.page({ ...flagged, ...order }), (page) =>
        whenKnown(
          first(page) ?? whenKnown(records.page({ limit: 1 }), first),
          (one) => one ?? word,
        ),
      )
    })
  })
}

/** Where the record or the collection of a request lives. */
interface Location {
  /** The values of the path parameters of the collection, by their names in `Resource.path`. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The last segment of the record's path; absent when the request is for the collection. */
  readonly id?: string
}

/** The names of the path parameters that say where a request's record lives. */
interface Route {
  /** The parameters of the collection, by their names in `Resource.path`. */
  readonly parameters: readonly (readonly [name: string, sent: string])[]
  /** The parameter with the id; absent when the request is for the collection. */
  readonly id: string | undefined
}

const NO_PARAMETERS = {}

/**
 * Where a request's record lives: the segments of its path up to the collection's, and the one after them. The operations on a
 * resource may call the same parameter by different names.
 */
function locate({ binding, input }: AdmittedRequest, resource: Resource): Location {
  const { parameters: names, id } = routeOf(binding)(resource)
  const parameters =
    names.length === 0
      ? NO_PARAMETERS
      : Object.fromEntries(names.map(([name, sent]) => [name, input.path[sent]]))
  if (resource.isSingle) return { parameters, id: singleId(resource, parameters) }

  return id === undefined ? { parameters } : { parameters, id: String(input.path[id]) }
}

const routeOf = once(({ operation }: Binding) =>
  once((resource: Resource): Route => {
    const { path } = shapeOf(operation.path)
    const own = (isEvent(operation.hints) ? withoutWatch(path) : path).split('/')
    const collection = decodeURI(resource.path).split('/')
    const before = operation.hints?.mark
      ? segmentsToMarked(collection, own)
      : segmentsBefore(collection, own)
    const parameters = collection.flatMap((segment, at) => {
      const name = parameterIn(segment)
      return name === undefined ? [] : [[name, parameterIn(own[before + at]) ?? name] as const]
    })
    return { parameters, id: parameterIn(own[before + collection.length]) }
  }),
)

/** How many segments a path has before those of a collection, as `/simulations/transfers/{id}` before those of `/transfers`; usually none. */
function segmentsBefore(collection: readonly string[], path: readonly string[]): number {
  const [, ...names] = collection.map(withoutNames)
  const [, ...own] = path.map(withoutNames)
  const starts = own.map((_, start) => start)
  const found = starts.find((start) => names.every((name, at) => name === own[start + at]))

  return found ?? 0
}

/** The same of the path of a mark, which may have other words: `/user/starred/{owner}/{repo}` is about `/repos/{owner}/{repo}`. */
function segmentsToMarked(collection: readonly string[], path: readonly string[]): number {
  const isParameter = (part: string | undefined): boolean => parameterIn(part) !== undefined
  const found = path.findLastIndex(
    (_, start) =>
      isParameter(path[start + collection.length]) &&
      collection.every(
        (part, at) => at === 0 || isParameter(part) === isParameter(path[start + at]),
      ),
  )
  return Math.max(0, found)
}

/** The id of a single record: the last segment of its path. */
function singleId({ path }: Resource, parameters: Location['parameters']): string {
  const last = decodeURI(path).split('/').at(-1) ?? ''
  const name = parameterIn(last)

  return name === undefined ? last : String(parameters[name])
}

/** An admitted request with its input, to be answered from the store. */
export interface AdmittedRequest {
  readonly request: CoreRequest
  readonly binding: Binding
  readonly input: Input
  /** The time in epoch milliseconds, for dates that the service sets. */
  readonly now: number
  /** For responses that are made from the document. */
  readonly service: AnsweringService
  /** Who sends it; absent when nobody knows. */
  readonly caller?: RequestCaller | undefined
  /** Told of changes that earlier requests have caused for a time that has come; absent when nobody is told. */
  readonly tell?: ChangeListener | undefined
  /** The status of a documented success that the request asks for. */
  readonly status?: number | undefined
}

/** The response to a request, and how to undo its change. */
export interface BehaviourResult {
  readonly response: CoreResponse
  /** Undoes the change; absent when the request changed nothing. */
  readonly undo?: () => Promise<void>
  /** What the client sent that was not used. */
  readonly notes?: readonly Note[]
  /** What happened to records; absent when nothing did. */
  readonly changes?: readonly RecordChange[]
}

/** Whether what a request is about is below a removed record, and nothing was created there since. */
export function isBelowRemoved({
  store,
  binding,
  parameters,
  part,
  records,
}: RecordRequest): Awaitable<boolean> {
  if (!part) return store.isBelowRemoved(binding.resource, parameters)
  const isGone = store.isBelowRemoved(part.alias.at, part.parameters)

  return whenKnown(isGone, (gone) =>
    whenKnown(gone ? records.count(part.selection) : 0, (count) => gone && count === 0),
  )
}

/** The 404 of a record that does not exist; a 410 where the document has only that. */
export function notFound({ request, binding }: AdmittedRequest): Problem {
  const problem = missingStatus(binding.operation) === 410 ? problems.gone : problems.notFound
  return problem(`No resource was found at ${request.path}.`)
}

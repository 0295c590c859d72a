import type { Operation } from '../../contract/contract.ts'
import { referringIn, sizedIn } from '../../contract/count-hints.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import type { Action, OperationHints } from '../../contract/hints.ts'
import { parsePointer } from '../../contract/schema.ts'
import { hasPlaceholders } from '../../contract/templates.ts'
import type { CoreResponse, ResponseSource } from '../../http/message.ts'
import { actionIn, shapeOf, withoutNames } from '../../inference/path-shape.ts'
import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { RecordSelection } from '../../records/selection.ts'
import { areEqual, isObject, once } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { collectionPath, hasParents } from '../collection-name.ts'
import { endingOf, itemPathsOf, nameInPath } from '../keys.ts'
import type { Resource } from '../resource.ts'
import { hasMissing } from '../store/below-removed.ts'
import type { RecordChange } from '../store/record-change.ts'
import { bothSelections, startPart, unitedRecords } from '../views/aliases.ts'
import { valueAt } from '../views/service-values.ts'
import { asSeen } from './as-seen.ts'
import {
  changeOrAddRecord,
  changeRecord,
  createOrChangeRecord,
  createRecord,
  mayAdd,
  removeRecord,
} from './changes.ts'
import { counted, countedByAliases } from './counts.ts'
import { withUpload } from './file-content.ts'
import { findRecord } from './find-record.ts'
import { knownFilters } from './known-filters.ts'
import { type ListedPage, listPage } from './list-page.ts'
import { performOnMark } from './marks.ts'
import { type Merge, merged, mergedKnown, replaced } from './merge.ts'
import { withScope } from './operation-scope.ts'
import { withOtherChanges } from './other-changes.ts'
import { performOnList } from './record-lists.ts'
import { type Change, isBelowRemoved, notFound, type RecordRequest } from './record-request.ts'
import { changeEach, readNamed, showsList, singleRequests } from './several-records.ts'
import { refuseBelowTrash, restoreRecord, trashRecord, trashSelection } from './trash.ts'

/** What an operation shows of the records, and how to undo what it changed. */
export interface Performed {
  /** A list of records, or one. */
  readonly shown: StoredRecord | readonly StoredRecord[]
  /** What the records are made of; default: they are stored. */
  readonly source?: ResponseSource
  readonly headers?: CoreResponse['headers']
  readonly status?: number
  /** What is known about the page of a list. */
  readonly page?: ListedPage
  /** The resource of what is shown; default: that of the operation. */
  readonly of?: Resource
  readonly undo?: () => Promise<void>
  /** What happened to records; absent when nothing did. */
  readonly changes?: readonly RecordChange[]
  /** What placeholders in the hints of the operation stand for, besides the record; default: the parts of the request. */
  readonly values?: Readonly<Record<string, unknown>>
}

/** Performs the action of an operation on its records. */
export function perform(request: RecordRequest): Awaitable<Performed> {
  const { admitted, binding } = request
  const { hasTrash } = admitted.service.settings.contract
  if (!hasTrash || !hasParents(binding.resource)) return performShown(request)
  return whenKnown(refuseBelowTrash(request), () => performShown(request))
}

/** What is shown has the marks of the caller, and true counts. */
function performShown(request: RecordRequest): Awaitable<Performed> {
  const performed = performAction(request)
  const { resource } = request.binding
  const marks = shownMarks(resource)
  if (marks.length === 0 && !hasTrueCounts(resource)) return performed
  return whenKnown(performed, (own) => asSeen(own, request, marks))
}

/** The marks of callers that the records of a resource show. */
const shownMarks = once(({ operations = [] }: Resource) =>
  operations.flatMap(({ hints: { mark } }) => (mark?.flag === undefined ? [] : mark)),
)

/** Whether records count what refers to them, or the items of their lists. */
const hasTrueCounts = once(({ values = {} }: Resource) =>
  Object.values(values).some((rule) => referringIn(rule) ?? sizedIn(rule)),
)

function performAction(request: RecordRequest): Awaitable<Performed> {
  const { action, hints } = request.binding
  const { list: listHints, mark } = hints
  if (listHints) return performElsewhere(request, performOnList(request, listHints))
  if (mark) return performElsewhere(request, performOnMark(request, mark))
  if (action === 'list') return needsScope(hints) ? listInScope(request) : list(request)
  const own = CHANGES[action]
  const { resource } = request.binding
  const alone = needsScope(hints)
    ? (one: RecordRequest): Awaitable<Change> => changeInScope(one, own)
    : own
  const change = isCountedByAliases(resource)
    ? (one: RecordRequest): Awaitable<Change> =>
        whenKnown(alone(one), (changed) => countedByAliases(changed, one))
    : alone
  if (isForSeveral(request)) return changeSeveral(request, change)
  return whenKnown(withCounts(change(request), request), (changed) => {
    const changes = changesOf(changed, request)
    const { added: _, before: _before, others: _others, ...own } = changed
    const performed = shownChange(own, request)
    return changes.length > 0 ? { ...performed, changes } : performed
  })
}

/** What a request did to records, as events tell of it. */
function changesOf(change: Change, request: RecordRequest): readonly RecordChange[] {
  const happened = happenedTo(change, request)
  const { others = [] } = change
  return happened ? [happened, ...others] : others
}

/** What a request did to its record; `undefined` when it did nothing. */
function happenedTo(
  { record, before, added = 0, undo }: Change,
  { binding, records }: Pick<RecordRequest, 'binding' | 'records'>,
): RecordChange | undefined {
  const { resource, action, operation, hints } = binding
  if (!undo) return undefined
  const place = { resource, collection: records.name, record }
  if (action === 'remove') return { kind: 'deleted', ...place }
  if (!before) return added > 0 || action === 'create' ? { kind: 'created', ...place } : undefined
  const isAction = action === 'act' && !hints.list
  const name = isAction ? actionIn(operation.path)?.name : undefined
  // An action that was done before changes nothing.
  if ((name !== undefined || hints.list || hints.mark) && areEqual(before, record)) return undefined

  return { kind: 'updated', ...place, before, ...(name !== undefined && { action: name }) }
}

/** Whether the hints of an operation depend on more than its record. */
const needsScope: (hints: OperationHints) => boolean = once((hints) => {
  const { set, after, refers, refuse, also, where, answer } = hints
  const isTemplate = (hint: object | undefined): boolean =>
    hint !== undefined && hasPlaceholders(hint)
  const isChecked = Boolean(refers || refuse || also || where)
  return isChecked || isTemplate(set) || isTemplate(after) || isTemplate(answer)
})

/** Lists the records that hints select, unless they refuse the request. */
async function listInScope(request: RecordRequest): Promise<Performed> {
  const scoped = await withScope(request)
  // A list has no record that conditions could be about.
  scoped.scope?.refuse({})
  const { values } = scoped.scope ?? {}

  return { ...(await list(scoped)), ...(values && { values }) }
}

/** Performs a request whose hints depend on more than its record. */
async function changeInScope(
  request: RecordRequest,
  change: (request: RecordRequest) => Awaitable<Change>,
): Promise<Change> {
  const scoped = await withScope(request)
  const changed = await change(scoped)
  if (request.binding.action === 'read') scoped.scope?.refuse(changed.record)
  const { values } = scoped.scope ?? {}
  const known = values ? { ...changed, values } : changed
  return request.binding.hints.also ? withOtherChanges(known, scoped) : known
}

/** What was done to a list in a record, or to a mark on it. */
async function performElsewhere(
  request: RecordRequest,
  performing: Promise<Performed & { readonly changed?: Change }>,
): Promise<Performed> {
  const { changed, ...performed } = await performing
  const changes = changed ? changesOf(changed, request) : []
  return changes.length > 0 ? { ...performed, changes } : performed
}

function shownChange(
  { record, ...change }: Omit<Change, 'added' | 'before' | 'others'>,
  request: RecordRequest,
): Performed {
  const isCreation = request.binding.action === 'create'
  const location = isCreation ? locationOf(record, request) : undefined
  return { shown: record, ...(location && { headers: { Location: location } }), ...change }
}

/** Whether a request is for several records, or for those that it names itself. */
function isForSeveral({ admitted, binding: { action, hints } }: RecordRequest): boolean {
  if (hints.ids !== undefined) return true
  const place = parsePointer(hints.body ?? '')
  return action === 'create' && Array.isArray(valueAt(admitted.input.body, place))
}

/** Performs a request for several records. It shows a list of them, or the first one. */
async function changeSeveral(
  request: RecordRequest,
  perform: (request: RecordRequest) => Awaitable<Change>,
): Promise<Performed> {
  const { binding, admitted } = request
  const named = await readNamed(request, perform)
  if (named) return named
  const changes: RecordChange[] = []
  const changed = changeEach(await singleRequests(request), (one) =>
    whenKnown(perform(one), (change) => {
      changes.push(...changesOf(change, one))
      return change
    }),
  )
  const { records, added: _, ...whole } = await withCounts(changed, request)
  const change = { ...whole, ...(changes.length > 0 && { changes }) }
  if (showsList(request)) return { shown: records, ...change }
  const [record] = records
  const removed = removedCounts(binding, records.length)
  if (record) return shownChange({ record: { ...record, ...removed }, ...change }, request)
  if (/^(create|remove)$/.test(binding.action)) return { shown: removed, ...change }
  throw notFound(admitted)
}

/** How many records a removal of several says that it has removed, where one would be 1. */
function removedCounts({ action, hints }: ResourceBinding, count: number): StoredRecord {
  if (action !== 'remove') return {}
  const figures = Object.entries(hints.set ?? {}).filter(([, value]) => value === 1)
  return Object.fromEntries(figures.map(([name]) => [name, count]))
}

/** A change, with the counts of the record above the collection that follow from it. */
function withCounts<Changed extends Pick<Change, 'added' | 'undo'>>(
  changed: Awaitable<Changed>,
  request: RecordRequest,
): Awaitable<Changed> {
  return request.binding.resource.counted
    ? whenKnown(changed, (change) => counted(change, request))
    : changed
}

/** Whether records above that other paths name count those of a resource. */
function isCountedByAliases({ aliases = [] }: Resource): boolean {
  return aliases.some(({ at }) => at.counted !== undefined)
}

const CHANGES: Readonly<
  Record<Exclude<Action, 'list'>, (request: RecordRequest) => Awaitable<Change>>
> = {
  create: (request) =>
    request.binding.hints.ids === undefined || request.id === undefined
      ? createRecord(request)
      : createOrChangeRecord(request),
  read: findRecord,
  replace: (request) => changeOrAddRecord(request, replaced),
  update: async (request) => {
    const merge = await mergeFor(request)
    return request.binding.resource.isSingle || mayAdd(request.binding)
      ? changeOrAddRecord(request, merge)
      : changeRecord(request, merge)
  },
  remove: (request) =>
    request.binding.hints.trash === 'move' ? trashRecord(request) : removeRecord(request),
  act: (request) => {
    const { content, trash } = request.binding.hints
    if (trash) return restoreRecord(request)
    return changeRecord(request, content ? withUpload(request) : mergedKnown)
  },
}

/** How the body of an update changes the record: by a JSON Patch (RFC 6902), else by a merge. */
async function mergeFor({ admitted: { request, input }, binding }: RecordRequest): Promise<Merge> {
  const { body } = input
  // The library of JSON Patch is loaded by the first request that can have one: only a list can.
  if (![body, ...Object.values(Object(body))].some(Array.isArray)) return merged
  const { patchMerge } = await import('./patch-record.ts')

  return patchMerge(body, binding, request.header('content-type') ?? '') ?? merged
}

/** Whether other records decide what the filters of a list select. */
const hasOpenFilters = once(
  ({ filters = {}, members }: OperationHints): boolean =>
    members !== undefined ||
    Object.values(filters).some(
      (filter) => typeof filter === 'object' && (filter.unknown ?? filter.members),
    ),
)

function list(listed: RecordRequest): Awaitable<Performed> {
  if (!hasOpenFilters(listed.binding.hints)) return listBy(listed, listed.binding.hints)
  return knownFilters(listed).then(({ hints, among }) => listBy(listed, hints, among))
}

function listBy(
  listed: RecordRequest,
  hints: OperationHints,
  chosen?: RecordSelection,
): Awaitable<Performed> {
  const { records, store, binding, part, admitted, scope } = listed
  const { operation } = binding
  const isGone = hasMissing(operation) && isBelowRemoved(listed)

  return whenKnown(isGone, (isMissing) => {
    if (isMissing) throw notFound(admitted)
    const { request, input } = admitted
    // A POST asks for a list by its body.
    const sent = operation.method === 'POST' && isObject(input.body) ? input.body : {}
    const query = { ...input.query, ...sent }
    const own = bothSelections(bothSelections(scope?.selection, trashSelection(binding)), chosen)
    if (part && part.alias.across.length > 0)
      return unitedRecords(part, listed.parameters, store).then((united) =>
        whenKnown(
          listPage({
            ...{ request, operation, hints, query, sent, records: united },
            ...(own && { among: own }),
          }),
          (page) => ({ shown: page.records, page }),
        ),
      )
    const inPart = bothSelections(part?.selection, own)
    const among = inPart && { among: inPart }
    const read = (): Awaitable<Performed> =>
      whenKnown(
        listPage({ request, operation, hints, query, sent, records, ...among }),
        (page) => ({ shown: page.records, page }),
      )
    return whenKnown(read(), (found) => {
      if (!part || found.page?.records.length !== 0) return found
      return whenKnown(startPart(part, records, store), (isChanged) => (isChanged ? read() : found))
    })
  })
}

/** The address of a new record, with the ending of the path that leads to it; `undefined` when no path does. */
function locationOf(
  record: StoredRecord,
  { admitted, binding, records, part }: RecordRequest,
): string | undefined {
  const { collection, item, isHere, depth } = endingsOf(binding)
  if (item === undefined) return undefined
  const { base, path } = admitted.request
  // A path may end with a word for what is done, such as `/books/create`.
  const used = firstSegments(
    path.slice(0, path.length - collection.length),
    part ? depthOf(part.alias.at) : depth,
  )
  const own = part && !isHere ? asAsked(`/${collectionPath(records)}`, path, binding) : used
  const id = encodeURIComponent(nameInPath(record, binding.resource))

  return `${base}${own}/${id}${item}`
}

/** The path of a collection, in which the records above are called as in the path of the request, as far as both paths are about the same. */
function asAsked(stored: string, asked: string, { resource, operation }: ResourceBinding): string {
  const [own, here, names] = [resource.path, operation.path, asked].map((one) => one.split('/'))
  const at = (own ?? []).findIndex(
    (segment, index) => withoutNames(segment) !== withoutNames(here?.[index] ?? ''),
  )
  const shared = (names ?? []).slice(0, Math.max(at, 0))
  return [...shared, ...stored.split('/').slice(shared.length)].join('/')
}

/** The start of a path with so many slashes. */
function firstSegments(path: string, depth: number): string {
  let end = -1
  for (let left = depth; left > 0; left -= 1) {
    end = path.indexOf('/', end + 1)
    if (end === -1) return path
  }
  return path.slice(0, end)
}

function depthOf({ path }: Pick<Resource, 'path'>): number {
  return path.split('/').length
}

/** How the paths of a collection and of its records end. */
interface Endings {
  /** What is after the last name of the collection, such as `.json`. */
  readonly collection: string
  /** The same of the path of a record; `undefined` when no path leads to one, unless the document declares the header. */
  readonly item: string | undefined
  /** Whether the path of a record is below that of the operation, and not only below that of its own collection. */
  readonly isHere: boolean
  /** How many slashes are before the path of a record. */
  readonly depth: number
}

const endingsOf = once(({ operation, resource }: ResourceBinding): Endings => {
  const items = itemPathsOf(resource)
  const here = items.find((path) => isBelowPath(path, operation.path))
  const item = here ?? items[0] ?? (declaresLocation(operation) ? '' : undefined)

  return {
    collection: endingOf(operation.path),
    item: item === undefined ? undefined : endingOf(item),
    isHere: here !== undefined || items.length === 0,
    depth: depthOf(resource),
  }
})

function isBelowPath(item: string, collection: string): boolean {
  return withoutNames(shapeOf(item).stem ?? '') === withoutNames(shapeOf(collection).path)
}

function declaresLocation(operation: Operation): boolean {
  const { headers = [] } = chooseResponse(operation).documented ?? {}
  return headers.some(({ name }) => name.toLowerCase() === 'location')
}

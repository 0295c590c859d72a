import { chooseResponse } from '../../contract/documented-response.ts'
import { EVERY_ID } from '../../contract/hints.ts'
import { itemsOf, parsePointer, propertiesOf, schemaAt } from '../../contract/schema.ts'
import { Problem } from '../../http/problem.ts'
import type { Awaitable } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isObject, once } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { idOf } from '../id-generator.ts'
import { queryValue } from '../paging/read-page.ts'
import { bothSelections } from '../views/aliases.ts'
import { withValueAt } from '../views/record-body.ts'
import { valueAt } from '../views/service-values.ts'
import { listPage } from './list-page.ts'
import type { Change, RecordRequest } from './record-request.ts'
import { trashSelection } from './trash.ts'

// A request may create, read, change or remove several records: its body has a list of them, or it names them by `ids`.

/** The requests for single records that a request stands for, in its order. Each has the id that it names, as a path would have it. */
export async function singleRequests(request: RecordRequest): Promise<readonly RecordRequest[]> {
  const { ids } = request.binding.hints
  if (ids === EVERY_ID) return selectedRequests(request)
  const requests = singleBodies(request).map((body, position) => ({
    ...withBody(request, body),
    position,
  }))

  return ids === undefined
    ? requests
    : Promise.all(requests.flatMap((one) => namedRequests(one, ids)))
}

/** A request for each record of the collection that the query selects. */
async function selectedRequests(request: RecordRequest): Promise<readonly RecordRequest[]> {
  const { admitted, binding, records, part } = request
  const { operation, resource, hints } = binding
  const { filters } = hints
  const among = bothSelections(part?.selection, trashSelection(binding))
  const { records: selected } = await listPage({
    ...{ request: admitted.request, operation, query: admitted.input.query, records },
    hints: filters ? { filters } : {},
    ...(among && { among }),
  })
  return selected.map((record) => ({ ...request, id: String(idOf(record, resource.id)) }))
}

/** The body for each record: the body itself, unless it has a list of records. */
function singleBodies({ admitted, binding }: RecordRequest): readonly unknown[] {
  const { body } = admitted.input
  const place = parsePointer(binding.hints.body ?? '')
  const records = valueAt(body, place)
  if (!Array.isArray(records)) return [body]

  return records.map((record: unknown) => withValueAt(body, place, record))
}

function withBody(request: RecordRequest, body: unknown): RecordRequest {
  const { admitted } = request
  return { ...request, admitted: { ...admitted, input: { ...admitted.input, body } } }
}

/** A request for each record that a request names. Where a creation names none, it creates one. */
function namedRequests(
  request: RecordRequest,
  place: string,
): readonly (RecordRequest | Promise<RecordRequest>)[] {
  const { admitted, records, binding } = request
  const { body, query } = admitted.input
  const path = parsePointer(place)
  const named = place.startsWith('/') ? valueAt(body, path) : queryValue(query, place)
  const texts = [named].flat().flatMap(idsIn)
  if (texts.length === 0) return binding.action === 'create' ? [request] : []
  // A list of ids is no part of the record, nor is an id under a name that records do not have.
  const isPart = !Array.isArray(named) && isProperty(path.at(-1), binding)
  const own = !isPart && isObject(body) ? withBody(request, without(body, path)) : request

  return texts.map(async (text) => ({ ...own, id: String(await records.idNamed(text)) }))
}

/** Whether records have a property with this name; also where nothing says what they have. */
function isProperty(name: string | undefined, { resource }: ResourceBinding): boolean {
  if (name === undefined) return true
  const properties = propertiesOf(resource.schema)
  return properties.size === 0 || properties.has(name) || name === resource.id
}

/** The ids in a value. A text may have several between commas. */
function idsIn(value: unknown): readonly string[] {
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'string' ? value.split(',').flatMap((part) => part.trim() || []) : []
}

function without(body: StoredRecord, [name = '', ...inner]: readonly string[]): StoredRecord {
  const { [name]: value, ...others } = body
  return inner.length > 0 && isObject(value) ? { ...others, [name]: without(value, inner) } : others
}

/** What a request did to several records. */
type Changes = Omit<Change, 'record'> & { readonly records: readonly StoredRecord[] }

/** Performs requests one after the other: all, or none of them. */
export async function changeEach(
  requests: readonly RecordRequest[],
  change: (request: RecordRequest) => Change | Promise<Change>,
): Promise<Changes> {
  const done: Change[] = []
  const undo = async (): Promise<void> => {
    for (const one of done.reverse()) await one.undo?.()
  }
  try {
    for (const request of requests) done.push(await change(request))
  } catch (error) {
    await undo()
    throw error
  }
  const [first] = done
  const added = done.reduce((sum, one) => sum + (one.added ?? 0), 0)

  return {
    records: done.map(({ record }) => record),
    ...(first?.source && { source: first.source }),
    ...(first?.status !== undefined && { status: first.status }),
    ...(added !== 0 && { added }),
    undo,
  }
}

/** The statuses of what does not exist, and of what existed. */
const MISSING: ReadonlySet<number> = new Set([404, 410])

/** The records that a list names, in their order, without those that do not exist; `undefined` when the request is no such list. */
export async function readNamed(
  request: RecordRequest,
  read: (request: RecordRequest) => Awaitable<Change>,
): Promise<(Pick<Changes, 'source'> & { readonly shown: readonly StoredRecord[] }) | undefined> {
  if (request.binding.action !== 'read' || !showsList(request)) return undefined
  const found: Change[] = []
  for (const one of await singleRequests(request)) {
    try {
      found.push(await read(one))
    } catch (error) {
      if (!(error instanceof Problem && MISSING.has(error.status))) throw error
    }
  }
  const isInvented = found.some(({ source }) => source === 'invented')

  return {
    shown: found.map(({ record }) => record),
    ...(isInvented && { source: 'invented' }),
  }
}

/** Whether the response has a list at the place of the record, which may be what the document does not describe. */
export function showsList({ binding, admitted }: RecordRequest): boolean {
  const items = listAt(binding)
  if (items !== undefined) return items
  const { ids = '' } = binding.hints
  // Where nothing is described, one id in the body is answered with one record.
  return !ids.startsWith('/') || Array.isArray(valueAt(admitted.input.body, parsePointer(ids)))
}

/** Whether the document describes a list there; `undefined` when it describes nothing. */
const listAt = once(({ operation, hints }: ResourceBinding): boolean | undefined => {
  const { schema = {} } = chooseResponse(operation).documented ?? {}
  const shown = schemaAt(schema, hints.record ?? '') ?? {}
  if (itemsOf(shown)) return true
  return Object.keys(shown).length === 0 ? undefined : false
})

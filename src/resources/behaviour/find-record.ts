import type { Operation } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { problems } from '../../http/problem.ts'
import { shapeOf } from '../../inference/path-shape.ts'
import { type Awaitable, bothKnown, whenKnown } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { generationTime } from '../../responses/answering-service.ts'
import { isTrashed } from '../hidden-properties.ts'
import { typedId } from '../id-generator.ts'
import { hasMissing } from '../store/below-removed.ts'
import { aliasAt, isInPart } from '../views/aliases.ts'
import { addRecord, makeRecord } from './add-record.ts'
import {
  type AdmittedRequest,
  type Change,
  isBelowRemoved,
  notFound,
  type RecordRequest,
} from './record-request.ts'

/**
 * The record of a request. For an id that no record has, a record is made when the document has no 404 for the operation, or names
 * the id in an example; else it is a 404. It is the same one each time, so a record that is only read is not stored. What was removed is always a 404. What is below a removed record is one where the document
 * has a response for that.
 */
export function findRecord(request: RecordRequest): Awaitable<FoundRecord> {
  return whenKnown(presentRecord(request), (record) => (record ? { record } : madeRecord(request)))
}

/** The record of a request, and what it is made of. */
export type FoundRecord = Pick<Change, 'record' | 'source'>

async function madeRecord(request: RecordRequest): Promise<FoundRecord> {
  await refuseUnknown(request)
  const now = generationTime(request.admitted.service)

  return { record: await makeRecord(request, valuesOf(request), now), source: 'invented' }
}

/** The same record, which is stored if it was made: a request is about to change it. */
export async function storedRecord(request: RecordRequest): Promise<FoundRecord> {
  const present = await presentRecord(request)
  if (present) return { record: present }
  await refuseUnknown(request)
  const now = generationTime(request.admitted.service)

  return { record: await addRecord(request, valuesOf(request), now), source: 'invented' }
}

function valuesOf(request: RecordRequest): StoredRecord {
  return { [request.binding.resource.id]: requestedId(request) }
}

/** Throws the 404 of a record that does not exist, unless one is made. */
async function refuseUnknown(request: RecordRequest): Promise<void> {
  const { admitted, binding, records } = request
  const id = requestedId(request)
  const isGone =
    (await records.isRemoved(id)) ||
    (hasMissing(binding.operation) && (await isBelowRemoved(request))) ||
    // What is there, and not shown, belongs to another record or is in the trash.
    (await records.get(id)) !== undefined
  if (isGone || !makesUnknown(request)) throw notFound(admitted)
}

/** The record with the id of a request, if there is one. Ids in paths are texts, and a document may have no type for them. */
export function presentRecord(request: RecordRequest): Awaitable<StoredRecord | undefined> {
  const { records, part, binding, id: text = '' } = request
  const { trash } = binding.hints
  const isWanted = (record: StoredRecord): boolean =>
    trash === 'restore' || isTrashed(record, binding.resource) === (trash === 'shown')
  const isShown = (record: StoredRecord | undefined): boolean =>
    record !== undefined && isWanted(record) && (!part || isInPart(record, part))
  const id = requestedId(request)
  const other = typeof id === 'number' ? text : Number(text)
  const found = String(other) === text ? records.get(other) : undefined

  return bothKnown(records.get(id), found, (one, likeIt) => [one, likeIt].find(isShown))
}

/** The id in the path of a request. */
export function requestedId({ id = '', binding }: RecordRequest): Id {
  return typedId(id, binding.resource)
}

/** The ending of a path that names the form of the response. */
const FORMAT = /\.(json|xml|csv|html|ya?ml)$/

/**
 * Whether a record is made for an unknown id: by the operation, or by the one that reads it at the same path, whether that was called or
 * not.
 */
function makesUnknown({ admitted, binding, part, id = '' }: RecordRequest): boolean {
  const { status } = problems.notFound('')
  const { unknownIds = 'auto' } = admitted.service.settings
  if (unknownIds !== 'auto') return unknownIds === 'create'
  // A client that adds the ending of `/books/{id}.json` to what has it already names no record.
  const [ending] = FORMAT.exec(binding.operation.path) ?? []
  if (ending !== undefined && id.endsWith(ending)) return false
  const { operations = [] } = binding.resource
  // Those that name the record otherwise have no such id.
  const reads = operations.filter(
    ({ operation, hints: { action, caller, ids } }) =>
      action === 'read' &&
      !caller &&
      ids === undefined &&
      aliasAt(operation.path, binding.resource) === part?.alias,
  )

  // A list that names its records shows those that can be read one by one.
  const isList = binding.action === 'read' && binding.hints.ids

  return (isList && reads[0] ? reads : [binding, ...reads]).some(
    ({ operation }) =>
      !(operation.hints?.failures || documentedResponse(operation, status)) ||
      hasNamedId(operation, admitted),
  )
}

/** Whether the document names the id of a request, as an example for instance. */
function hasNamedId(operation: Operation, { input }: AdmittedRequest): boolean {
  const { parameter: last } = shapeOf(operation.path)
  const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === last)
  if (!parameter) return false
  const { example, schema } = parameter
  const named = [example, schema.default, schema.const, ...(schema.enum ?? [])]

  const id = input.path[parameter.name]

  return id !== undefined && named.includes(id)
}

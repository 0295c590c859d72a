import { documentedResponse } from '../../contract/documented-response.ts'
import { problems } from '../../http/problem.ts'
import { shapeOf } from '../../inference/path-shape.ts'
import type { Id, StoredRecord } from '../../state/record-table.ts'
import { type AdmittedRequest, notFound } from '../behaviour.ts'
import { hasMissing } from '../hidden-below-removed.ts'
import { addRecord } from './add-record.ts'
import type { RecordRequest } from './record-request.ts'
import { typedId } from './sent-record.ts'

/**
 * The record of a request. For an id that no record has, a record is made when the document has no 404 for the operation, or names
 * the id in an example; else it is a 404. What was removed is always a 404. What is below a removed record is one where the document
 * has a response for that.
 */
export async function findRecord(request: RecordRequest): Promise<StoredRecord> {
  const { admitted, binding, records, parameters, store } = request
  const present = await presentRecord(request)
  if (present) return present
  const id = requestedId(request)
  const isGone =
    (await records.isRemoved(id)) ||
    (hasMissing(binding.operation) && (await store.isBelowRemoved(binding.resource, parameters)))
  if (isGone || !isMade(admitted)) throw notFound(admitted)

  return addRecord(request, { [binding.resource.id]: id }, admitted.now)
}

/** The record with the id of a request, if there is one. Ids in paths are texts, and a document may have no type for them. */
export async function presentRecord(request: RecordRequest): Promise<StoredRecord | undefined> {
  const { records, id: text = '' } = request
  const id = requestedId(request)
  const other = typeof id === 'number' ? text : Number(text)

  return (await records.get(id)) ?? (String(other) === text ? await records.get(other) : undefined)
}

/** The id in the path of a request. */
export function requestedId({ id = '', binding }: RecordRequest): Id {
  return typedId(id, binding.resource)
}

function isMade(admitted: AdmittedRequest): boolean {
  const { status } = problems.notFound('')
  const { unknownIds = 'auto' } = admitted.service.settings
  if (unknownIds !== 'auto') return unknownIds === 'create'

  return !documentedResponse(admitted.binding.operation, status) || hasNamedId(admitted)
}

/** Whether the document names the id of a request, as an example for instance. */
function hasNamedId({ binding: { operation }, input }: AdmittedRequest): boolean {
  const { parameter: last } = shapeOf(operation.path)
  const parameter = operation.parameters.find((one) => one.in === 'path' && one.name === last)
  if (!parameter) return false
  const { example, schema } = parameter
  const named = [example, schema.default, schema.const, ...(schema.enum ?? [])]

  return named.includes(input.path[parameter.name])
}

import type { Operation } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { shapeOf } from '../../inference/path-shape.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { Resource } from '../resource.ts'
import { idIn } from './changes.ts'
import type { RecordRequest } from './record-request.ts'

/**
 * The address of a new record, with the ending of the path that leads to it, such as `.json`; `undefined` when no path does, unless
 * the document declares the header.
 */
export function locationOf(
  record: StoredRecord,
  { admitted, binding }: RecordRequest,
): string | undefined {
  const { operation, resource } = binding
  const item = itemPathOf(resource)
  if (item === undefined && !declaresLocation(operation)) return undefined
  const { base, path } = admitted.request
  const collection = path.slice(0, path.length - endingOf(operation.path).length)
  const id = encodeURIComponent(String(idIn(record, resource)))

  return `${base}${collection}/${id}${endingOf(item ?? '')}`
}

/** The path template of an operation on one record; `undefined` when there is none. */
function itemPathOf({ operations = [] }: Resource): string | undefined {
  const item = operations.find(
    ({ hints: { action }, operation }) =>
      /^(read|replace|update|remove)$/.test(action) && shapeOf(operation.path).stem !== undefined,
  )
  return item?.operation.path
}

/** What a path template has after its last name: a slash, or the name of a format. */
function endingOf(template: string): string {
  return template.slice(shapeOf(template).path.length)
}

function declaresLocation(operation: Operation): boolean {
  const { headers = [] } = chooseResponse(operation).documented ?? {}
  return headers.some(({ name }) => name.toLowerCase() === 'location')
}

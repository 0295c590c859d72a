import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { AdmittedRequest } from '../behaviour.ts'
import type { ResourceBinding } from '../bind.ts'
import { settleDue } from '../effects/settle-due.ts'
import type { Records } from '../records.ts'
import type { Store } from '../store.ts'
import { locate } from './locate.ts'
import type { ViewContext } from './record-view.ts'

/** A request for records, and where they live. */
export interface RecordRequest {
  readonly admitted: AdmittedRequest
  readonly binding: ResourceBinding
  readonly store: Store
  /** The records of the collection. */
  readonly records: Records
  /** The ids of the parents. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The last segment of the record's path; absent when the request is for the collection. */
  readonly id?: string
  readonly view: ViewContext
}

/** What a request did to a record. */
export interface Change {
  readonly record: StoredRecord
  /** The status of the response, when it is not the usual one. */
  readonly status?: number
  readonly undo?: () => Promise<void>
}

/** Finds the collection of a request. Its first records are created when it is touched for the first time. */
export function openRequest(
  admitted: AdmittedRequest,
  binding: ResourceBinding,
  store: Store,
): Awaitable<RecordRequest> {
  const { resource, hints } = binding
  const { parameters, id } = locate(admitted, resource)
  const opened = resource.parents?.length ? undefined : store.get(resource.name)

  return whenKnown(opened ?? store.open(resource, parameters), (records) =>
    whenKnown(settleDue(records, admitted.now), () => {
      const view = { resource, collection: records.name, hints, service: admitted.service }
      return {
        admitted,
        binding,
        store,
        records,
        parameters,
        ...(id !== undefined && { id }),
        view,
      }
    }),
  )
}

import { HIDDEN_ID } from '../../contract/hints.ts'
import { isObjectSchema } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { withoutHidden } from '../hidden-properties.ts'
import type { Resource } from '../resource.ts'

/** Whether a record matches its schema, without an id that only paths contain. */
export function isValid(resource: Resource, record: StoredRecord): boolean {
  // Where records are shown as texts, nothing but their ids is known.
  if (!isObjectSchema(resource.schema)) return true
  const shown = shownValues(resource, record)
  // Records in envelopes have no validator of their own.
  return resource.validate(shown) && matches(resource.schema, shown)
}

/** The values of a record without an id that only paths contain, and without what the sandbox has noted. */
export function shownValues(resource: Resource, record: StoredRecord): StoredRecord {
  const values = withoutHidden(record, resource)
  if (!hasHiddenId(resource)) return values
  const { [resource.id]: _, ...shown } = values
  return shown
}

/** Whether no response shows the id of a record: no property contains it, or its schema refuses what paths accept. */
export function hasHiddenId({ id, ids, isSingle }: Resource): boolean {
  return isSingle === true || ids?.fitsProperty === false || id === HIDDEN_ID
}

import type { Operation, Schema } from '../contract/contract.ts'
import { HIDDEN_ID } from '../contract/resource-hints.ts'
import { allowsAnyProperty, isObjectSchema, type SchemaPlace } from '../contract/schema-places.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { isFree } from './example-schema.ts'
import type { IdProperty } from './id-property.ts'
import type { RecordContext } from './record-place.ts'

/** How the records of a group look in the response of one operation. */
export interface RecordView extends SchemaPlace {
  readonly operation: Operation
  readonly id: IdProperty | undefined
}

/** The first view that has the id; without one, the first that can show it where paths lead to records. */
export function mainViewOf(
  views: readonly RecordView[],
  { parameter }: RecordContext,
): RecordView | undefined {
  const shown = views.find(({ id }) => id !== undefined)
  const open = views.find(({ schema }) => parameter !== undefined && canShowId(schema))

  return shown ?? open ?? views[0]
}

/**
 * The property under which the ids of records are stored: that which their main view shows, unless that is in an object. When no view
 * has one, the id is called as in the path or `id`, where a schema allows that.
 */
export function storedId(
  main: RecordView | undefined,
  views: readonly RecordView[],
  { parameter }: RecordContext,
): string {
  const { name } = main?.id ?? {}
  if (name !== undefined) return name.startsWith('/') ? HIDDEN_ID : name
  if (parameter === undefined) return HIDDEN_ID
  const free = [parameter, 'id'].find(
    (one) => !views.some(({ schema }) => propertiesOf(schema).has(one)),
  )
  return (main && canShowId(main.schema) && free) || HIDDEN_ID
}

/** Whether a record may have an id that its schema does not name. */
function canShowId(schema: Schema): boolean {
  return (isObjectSchema(schema) || isFree(schema)) && allowsAnyProperty(schema)
}

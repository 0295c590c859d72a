import { propertiesOf } from '../contract/schema-properties.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { getOwn, isObject } from '../validation/objects.ts'
import { withoutId } from './record-values.ts'
import type { Resource } from './resource.ts'

/** A record with the values of the body instead of its own (PUT). Read-only properties stay. */
export function replaceValues(
  resource: Resource,
  before: StoredRecord,
  body: unknown,
): StoredRecord {
  const kept = [...propertiesOf(resource.schema)]
    .filter(([name, { readOnly }]) => readOnly && Object.hasOwn(before, name))
    .map(([name]) => [name, before[name]])

  return { ...withoutId(resource, body), ...Object.fromEntries(kept) }
}

/** A record with the values of the body merged into its own (PATCH), also in nested objects. As in RFC 7396, but null is kept. */
export function mergeValues(resource: Resource, before: StoredRecord, body: unknown): StoredRecord {
  return mergePatch(before, withoutId(resource, body))
}

function mergePatch(before: StoredRecord, patch: StoredRecord): StoredRecord {
  const changes = Object.entries(patch).map(([name, value]) => {
    const old = getOwn(before, name)
    return [name, isObject(value) && isObject(old) ? mergePatch(old, value) : value]
  })
  return { ...before, ...Object.fromEntries(changes) }
}

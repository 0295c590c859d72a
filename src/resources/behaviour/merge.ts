import type { Schema } from '../../contract/contract.ts'
import { propertiesOf, requiredNames, withBranches } from '../../contract/schema.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject, setOwn } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'
import { serviceNames } from '../views/service-values.ts'

/** A record after a change: of the present one, and of what the client sent. */
export type Merge = (before: StoredRecord, sent: StoredRecord, resource: Resource) => StoredRecord

/**
 * What the client sent instead of the record (PUT). What only the service sets stays, and what a record must have and the request need not:
 * nothing is invented.
 */
export function replaced(
  before: StoredRecord,
  sent: StoredRecord,
  resource: Resource,
): StoredRecord {
  const { schema, sent: requests = [] } = resource
  return replacedIn(before, sent, { schema, requests, own: serviceNames(resource) })
}

interface Replacement {
  /** The schema in records. */
  readonly schema: Schema
  /** The schemas in requests. */
  readonly requests: readonly Schema[]
  /** The names of what only the service sets. */
  readonly own: ReadonlySet<string>
}

function replacedIn(
  before: StoredRecord,
  sent: StoredRecord,
  { schema, requests, own }: Replacement,
): StoredRecord {
  const writable = new Set(requests.flatMap((one) => [...propertiesOf(one).keys()]))
  const needed = requiredNames(schema)
  const kept = Object.entries(before).filter(
    ([name]) => own.has(name) || needed.has(name) || !writable.has(name),
  )
  const next = { ...Object.fromEntries(kept), ...sent }
  for (const [name, value] of Object.entries(sent)) {
    const old = getOwn(before, name)
    const parts = requests.flatMap((one): readonly Schema[] => {
      const part = propertiesOf(one).get(name)
      return part ? [part] : []
    })
    // An object with an id is another record, and one without known properties a map.
    const isPart = isObject(value) && isObject(old) && !('id' in value || 'id' in old)
    if (!(isPart && parts.some((part) => propertiesOf(part).size > 0))) continue
    const inner = propertiesOf(schema).get(name) ?? {}
    setOwn(next, name, replacedIn(old, value, { schema: inner, requests: parts, own: NONE }))
  }
  return next
}

const NONE: ReadonlySet<string> = new Set()

/**
 * What the client sent merged into the record, also in nested objects (RFC 7396). `null` removes a property, unless its schema
 * allows null.
 */
export function merged(
  before: StoredRecord,
  sent: StoredRecord,
  { schema }: Pick<Resource, 'schema'>,
): StoredRecord {
  const next: Record<string, unknown> = { ...before }
  for (const [name, value] of Object.entries(sent)) {
    const old = getOwn(before, name)
    const property = propertiesOf(schema).get(name) ?? {}
    if (isObject(value) && isObject(old))
      setOwn(next, name, merged(old, value, { schema: property }))
    else if (value === null && !allowsNull(property)) delete next[name]
    else setOwn(next, name, value)
  }
  return next
}

/**
 * What the client sent with an action merged into the record, as far as records have it: the rest is about the action. The record itself
 * when there is nothing of it.
 */
export function mergedKnown(
  before: StoredRecord,
  sent: StoredRecord,
  resource: Resource,
): StoredRecord {
  const known = propertiesOf(resource.schema)
  const own = Object.entries(sent).filter(([name]) => known.has(name))

  return own.length === 0 ? before : merged(before, Object.fromEntries(own), resource)
}

function allowsNull(schema: Schema): boolean {
  return withBranches(schema).some(
    ({ type, nullable, enum: values }) =>
      nullable === true || [type].flat().includes('null') || values?.includes(null),
  )
}

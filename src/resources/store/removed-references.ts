import type { Schema } from '../../contract/contract.ts'
import { itemsOf, propertiesOf, requiredNames } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { type Id, idsLike, type StoredRecord } from '../../records/record-table.ts'
import { areEqual, getOwn, isObject } from '../../validation/objects.ts'
import { idOf } from '../id-generator.ts'
import { type IdReference, shownSchemas } from '../resource.ts'
import type { Records } from './records.ts'

// The ids of a removed record leave the records of other collections, as far as the schemas of these allow it.

/** Takes ids of removed records out of a collection. Resolves with a function that undoes it. */
export async function clearReferences(
  records: Records,
  { place }: IdReference,
  removed: readonly Id[],
): Promise<() => Promise<void>> {
  const { resource } = records
  const wanted = removed.flatMap((id) => idsLike(id))
  const schemas = [resource.schema, ...shownSchemas(resource).map(({ schema }) => schema)]
  const { records: found } = await records.page({
    tests: [{ places: [place], is: 'equal', wanted }],
  })
  const undos: (() => Promise<void>)[] = []
  for (const record of found) {
    const id = idOf(record, resource.id) ?? ''
    let before: StoredRecord | undefined
    const clear = (present: StoredRecord): StoredRecord => {
      before = present
      const cleared = withoutIds(present, place, new Set(wanted), schemas)
      return isObject(cleared) ? cleared : present
    }
    if (clear(record) === record) continue
    const after = await records.update(id, clear)
    undos.push(() => records.undo(id, before, after))
  }
  return async () => {
    for (const undo of undos.reverse()) await undo()
  }
}

const NO_SCHEMAS: readonly Schema[] = []

/** A value without some ids at a place; the value itself where no schema allows that, and where it has none. */
function withoutIds(
  value: unknown,
  [name = '', ...inner]: readonly string[],
  ids: ReadonlySet<unknown>,
  schemas: readonly Schema[],
): unknown {
  if (Array.isArray(value)) {
    const items = schemas.flatMap((one) => itemsOf(one) ?? NO_SCHEMAS)
    const left = value.map((one) => withoutIds(one, [name, ...inner], ids, items))
    return left.every((one, at) => one === value[at]) ? value : left
  }
  if (!isObject(value) || !Object.hasOwn(value, name)) return value
  const present = getOwn(value, name)
  const own = schemas.flatMap((one) => propertiesOf(one).get(name) ?? NO_SCHEMAS)
  if (inner.length > 0) {
    if (isGone(present, inner, ids)) return withoutValue(value, name, schemas)
    const changed = withoutIds(withoutGone(present, inner, ids), inner, ids, own)
    return areEqual(changed, present) ? value : { ...value, [name]: changed }
  }
  return withoutIdsIn(value, name, ids, schemas)
}

/** An object without some ids in a property, which may be a list of them. */
function withoutIdsIn(
  value: StoredRecord,
  name: string,
  ids: ReadonlySet<unknown>,
  schemas: readonly Schema[],
): StoredRecord {
  const present = getOwn(value, name)
  if (Array.isArray(present)) {
    const left = present.filter((one) => !ids.has(one))
    const own = schemas.flatMap((one) => propertiesOf(one).get(name) ?? NO_SCHEMAS)
    const isAllowed = own.every(({ minItems }) => left.length >= Number(minItems ?? 0))
    return isAllowed && left.length < present.length ? { ...value, [name]: left } : value
  }
  if (!ids.has(present)) return value
  const needsValue = (one: Schema): boolean =>
    requiredNames(one).has(name) && !matches(propertiesOf(one).get(name) ?? {}, null)
  // A property that cannot be null is absent where the record has null.
  return schemas.some(needsValue) ? value : { ...value, [name]: null }
}

/** Whether an object has no more than the type and the id of a removed record, as the `data` of a relationship of JSON:API. */
function isGone(
  value: unknown,
  [name, ...inner]: readonly string[],
  ids: ReadonlySet<unknown>,
): boolean {
  if (name !== 'id' || inner.length > 0 || !isObject(value) || !ids.has(value.id)) return false
  return 'type' in value && Object.keys(value).every((one) => /^(id|type|meta)$/.test(one))
}

/** A list without such objects; another value as it is. */
function withoutGone(value: unknown, inner: readonly string[], ids: ReadonlySet<unknown>): unknown {
  return Array.isArray(value) ? value.filter((one) => !isGone(one, inner, ids)) : value
}

/** An object whose property has no value: `null` where a schema allows it, else none. One that must be there stays. */
function withoutValue(value: StoredRecord, name: string, schemas: readonly Schema[]): StoredRecord {
  const isNullable = schemas.some((one) => matches(propertiesOf(one).get(name) ?? {}, null))
  if (isNullable) return { ...value, [name]: null }
  if (schemas.some((one) => requiredNames(one).has(name))) return value
  const { [name]: _, ...others } = value

  return others
}

/** The ids that references of a record have to be without, by their places, and a text that tells whether they are the same. */
export interface RemovedIds {
  readonly references: readonly (readonly [reference: IdReference, ids: readonly string[]])[]
  readonly text: string
}

export const NONE_REMOVED: RemovedIds = { references: [], text: '' }

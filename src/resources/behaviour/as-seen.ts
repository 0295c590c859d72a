import { referringIn, sizedIn } from '../../contract/count-hints.ts'
import type { MarkHints } from '../../contract/hints.ts'
import { parsePointer, pointerTo, propertiesOf } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import { type Id, idsLike, type StoredRecord } from '../../records/record-table.ts'
import type { RecordTest } from '../../records/selection.ts'
import { resourceNamed } from '../bind.ts'
import { idOf } from '../id-generator.ts'
import { collectionOf } from '../views/record-view.ts'
import type { ListedPage } from './list-page.ts'
import { callerKey, markersOf } from './marks.ts'
import type { RecordRequest } from './record-request.ts'

// What a record shows of others as they are now: the mark of the caller, and how many records refer to it.

interface Shown {
  readonly shown: StoredRecord | readonly StoredRecord[]
  readonly page?: ListedPage
}

/** Records with the marks of the caller, and with true counts of what refers to them and of their own lists. */
export async function asSeen<Performed extends Shown>(
  performed: Performed,
  request: RecordRequest,
  marks: readonly MarkHints[],
): Promise<Performed> {
  const key = await callerKey(request)
  const seen = async (record: StoredRecord): Promise<StoredRecord> => {
    const flags = marks.map(({ name, flag = '' }) => [flag, markersOf(record, name).includes(key)])
    const whole = { ...record, ...Object.fromEntries(flags), ...(await countsIn(record, request)) }
    const collection = collectionOf.get(record)
    if (collection !== undefined) collectionOf.set(whole, collection)
    return whole
  }
  const { shown, page } = performed
  const records = await Promise.all([shown].flat().map(seen))
  const one = Array.isArray(shown) ? records : (records[0] ?? shown)
  return { ...performed, shown: one, ...(page && { page: { ...page, records } }) }
}

async function countsIn(record: StoredRecord, request: RecordRequest): Promise<StoredRecord> {
  const { resource } = request.binding
  const properties = propertiesOf(resource.schema)
  const id = idOf(record, resource.id)
  const counts = Object.entries(resource.values ?? {}).map(async ([name, rule]) => {
    const list = record[sizedIn(rule) ?? '']
    const count = Array.isArray(list) ? list.length : await countReferring(rule, id, request)
    const isValid = count !== undefined && matches(properties.get(name) ?? {}, count)
    return isValid ? [[name, count] as const] : []
  })
  return Object.fromEntries((await Promise.all(counts)).flat())
}

/** How many records of another collection refer to one; `undefined` where no rule says so. */
async function countReferring(
  rule: unknown,
  id: Id | undefined,
  { admitted, store, parameters, binding }: RecordRequest,
): Promise<number | undefined> {
  const { property, collection, state } = referringIn(rule) ?? {}
  if (property === undefined || collection === undefined) return undefined
  const resource = resourceNamed(admitted.service.settings.contract, collection)
  if (!resource || id === undefined) return undefined
  const { parents = [] } = binding.resource
  const above = (resource.parents ?? []).map((name, at) => [name, parameters[parents[at] ?? name]])
  if (above.some(([, value]) => value === undefined)) return undefined
  const records = await store.open(resource, Object.fromEntries(above))
  const wanted = idsLike(String(id))
  const held: readonly RecordTest[] = state
    ? [{ places: [[state.property]], is: 'equal', wanted: [state.value] }]
    : []

  return records.count(
    resource.filters.includes(property)
      ? { where: { [property]: wanted }, tests: held }
      : {
          tests: [{ places: [parsePointer(pointerTo(property))], is: 'equal', wanted }, ...held],
        },
  )
}

import type { MarkHints } from '../../contract/hints.ts'
import { RandomSource } from '../../generate/random.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import type { RecordSelection } from '../../records/selection.ts'
import { getOwn } from '../../validation/objects.ts'
import { hasParents } from '../collection-name.ts'
import { markName } from '../hidden-properties.ts'
import { idOf } from '../id-generator.ts'
import { callerId } from '../views/caller-record.ts'
import { shownOf } from '../views/record-view.ts'
import { UnitedRecords } from '../views/united-records.ts'
import { findRecord, storedRecord } from './find-record.ts'
import { type ListedPage, listPage } from './list-page.ts'
import { type Change, notFound, type RecordRequest } from './record-request.ts'

// A mark such as a star belongs to the caller: each record keeps the callers who have put it on the record.

interface PerformedOnMark extends Pick<Change, 'source' | 'undo'> {
  readonly shown: StoredRecord | readonly StoredRecord[]
  readonly page?: ListedPage
  /** What happened to the record; absent when it was only read. */
  readonly changed?: Change
}

/** Marks a record for the caller, takes the mark back, or shows what the caller has marked. */
export async function performOnMark(
  request: RecordRequest,
  mark: MarkHints,
): Promise<PerformedOnMark> {
  const key = (await otherKey(request, mark)) ?? (await callerKey(request))
  if (request.binding.action === 'list') return listMarked(request, mark, key)
  if (mark.change === undefined) {
    const found = await findRecord(request)
    if (!markersOf(found.record, mark.name).includes(key)) throw notFound(request.admitted)
    return { shown: found.record, ...found }
  }
  const changed = await changeMark(request, mark, key)
  const { record, before: _, ...own } = changed

  return { shown: record, ...own, changed }
}

async function changeMark(request: RecordRequest, mark: MarkHints, key: string): Promise<Change> {
  const { admitted, records, view } = request
  const found = await storedRecord(request)
  const id = idOf(found.record, records.resource.id) ?? ''
  let before: StoredRecord | undefined
  const record = await records.update(id, async (present) => {
    before = present
    const markers = markersOf(present, mark.name)
    const isAdded = mark.change === 'add'
    if (markers.includes(key) === isAdded) return present
    const whole = { ...(await shownOf(present, view)), ...present }
    const next = isAdded ? [...markers, key] : markers.filter((one) => one !== key)
    return { ...present, ...countsOf(whole, mark, isAdded), [markName(mark.name)]: next }
  })
  if (!record) throw notFound(admitted)

  return {
    ...found,
    record,
    ...(before && { before }),
    undo: () => records.undo(id, before, record),
  }
}

function countsOf(record: StoredRecord, { count = '' }: MarkHints, isAdded: boolean): StoredRecord {
  const present = record[count]
  return typeof present === 'number' ? { [count]: Math.max(0, present + (isAdded ? 1 : -1)) } : {}
}

async function listMarked(
  { admitted, binding, records, store }: RecordRequest,
  mark: MarkHints,
  key: string,
): Promise<PerformedOnMark> {
  const { request, input } = admitted
  const { resource, operation, hints } = binding
  const places = [[markName(mark.name)]]
  const among: RecordSelection = { tests: [{ places, is: 'equal', wanted: [key] }] }
  // Only what was changed has marks.
  const opened = hasParents(resource) ? await store.opened() : []
  const below = opened.filter((one) => one.resource.path === resource.path)
  const all = hasParents(resource)
    ? new UnitedRecords(
        resource.name,
        resource,
        below.map((one) => ({ name: one.name, open: () => one })),
      )
    : records
  const page = await listPage({
    ...{ request, operation, hints, query: input.query, records: all, among },
  })
  return { shown: page.records, page }
}

/** The callers who have put a mark on a record. */
export function markersOf(record: StoredRecord, mark: string): readonly unknown[] {
  const markers = record[markName(mark)]
  return Array.isArray(markers) ? markers : []
}

/** What tells callers apart: the id of their record, else a number made of the credential. */
export async function callerKey({
  admitted: { caller },
  binding,
  store,
}: RecordRequest): Promise<string> {
  const callers = binding.resource.markers?.()
  const id = callers && (await callerId(callers, store, caller))
  const { user, credential = '' } = caller ?? {}

  return String(id ?? user ?? RandomSource.from(['caller', credential]).integer(0, MOST_CALLERS))
}

/** What tells the one from callers whom the path names, where a list is about the marks of another one. */
async function otherKey(
  { admitted, binding, store }: RecordRequest,
  { of = '' }: MarkHints,
): Promise<string | undefined> {
  const callers = binding.resource.markers?.()
  const name = getOwn(admitted.input.path, of)
  if (!callers || name === undefined) return undefined
  const records = await store.open(callers)

  return String(await records.idNamed(String(name)))
}

const MOST_CALLERS = 2 ** 31

import type { Contract } from '../contract/contract.ts'
import { DUE } from '../resources/hidden-properties.ts'
import type { ChangeListener } from '../resources/store/record-change.ts'
import { hasLaterChanges, nextChangeOf, settleDue } from '../resources/store/settle.ts'
import type { Store } from '../resources/store/store.ts'
import { changesLater } from './cause.ts'

/**
 * Makes the changes of all collections of a store that have happened until a time, as requests do that need them. Resolves with the time of
 * the next change; `undefined` when there is none.
 */
export async function settleStore(
  store: Store,
  now: number,
  tell: ChangeListener,
): Promise<number | undefined> {
  for (const records of await store.opened()) {
    if (hasLaterChanges(records.resource)) await settleDue(records, store, now, tell)
  }
  return nextChange(store)
}

/** The time of the next change of a record; `undefined` when there is none, as in most documents. */
export async function nextChangeIn(store: Store, contract: Contract): Promise<number | undefined> {
  return changesLater(contract) ? nextChange(store) : undefined
}

async function nextChange(store: Store): Promise<number | undefined> {
  const times: number[] = []
  for (const records of await store.opened()) {
    if (!hasLaterChanges(records.resource)) continue
    const { records: rows } = await records.page({ sort: { by: DUE }, limit: 1 })
    times.push(...rows.flatMap((row) => nextChangeOf(row) ?? []))
  }
  return times.length === 0 ? undefined : Math.min(...times)
}

import { DUE } from '../resources/effects/hidden-properties.ts'
import { hasLaterChanges, nextChangeOf, settleDue } from '../resources/effects/settle-due.ts'
import type { ChangeListener } from '../resources/record-change.ts'
import type { Store } from '../resources/store.ts'

/**
 * Makes the changes of all collections of a store that have happened until a time, as requests do that need them. Resolves with the time of the next change; `undefined` when there is none.
 */
export async function settleStore(
  store: Store,
  now: number,
  tell: ChangeListener,
): Promise<number | undefined> {
  const times: number[] = []
  for (const records of await store.opened()) {
    if (!hasLaterChanges(records.resource)) continue
    await settleDue(records, store, now, tell)
    const { records: rows } = await records.page({ sort: { by: DUE }, limit: 1 })
    times.push(...rows.flatMap((row) => nextChangeOf(row) ?? []))
  }
  return times.length === 0 ? undefined : Math.min(...times)
}

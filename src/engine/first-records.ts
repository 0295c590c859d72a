import { contract as shippedContract } from '../generated/contract.ts'
import * as fixtures from '../generated/fixtures.ts'
import type { FirstRecords } from '../resources/check-first-records.ts'
import type { Resource } from '../resources/resource.ts'
import { createStore, type Store } from '../resources/store.ts'
import { getOwn } from '../validation/own-property.ts'
import type { Settings } from './settings.ts'

/**
 * The store that worlds start with. Given and shipped records are in it at once. Generated ones are created when a request
 * needs them, because an API may have hundreds of collections. Rejects with a UsageError for given records that are invalid.
 */
export async function createFirstStore(
  settings: Settings,
  resources: () => readonly Resource[],
  records: FirstRecords,
  now: number,
): Promise<Store> {
  const shipped = shippedRecords(settings, resources, records)
  if (shipped) return createStore(resources(), shipped, settings.seed)
  const { createOtherFirstStore } = await import('./other-first-records.ts')

  return createOtherFirstStore(settings, resources, records, now)
}

/**
 * The shipped records, if there are enough of them. They were generated from the shipped contract with seed 1, so that the
 * usual start does not need faker.
 */
function shippedRecords(
  { contract, seed }: Settings,
  resources: () => readonly Resource[],
  records: FirstRecords,
): Parameters<typeof createStore>[1] | undefined {
  const isShipped = contract.operations === shippedContract.operations && seed === 1
  if (!isShipped || typeof records !== 'number') return undefined
  const rows = resources().map(
    ({ name }) =>
      [name, { rows: getOwn(fixtures.records, name)?.slice(0, records) ?? [] }] as const,
  )
  return rows.every(([, made]) => made.rows.length === records) ? new Map(rows) : undefined
}

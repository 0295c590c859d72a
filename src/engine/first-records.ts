import { contract as shippedContract } from '../generated/contract.ts'
import * as fixtures from '../generated/fixtures.ts'
import { createStore } from '../resources/create-store.ts'
import { type FirstRecords, SHIPPED_COUNT, startOf } from '../resources/first-records/start-of.ts'
import type { MemoryStore } from '../resources/memory-store.ts'
import type { Resource } from '../resources/resource.ts'
import { getOwn } from '../validation/objects.ts'
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
): Promise<MemoryStore> {
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
  { contract, seed, locale }: Settings,
  resources: () => readonly Resource[],
  records: FirstRecords,
): Parameters<typeof createStore>[1] | undefined {
  const isShipped = contract.operations === shippedContract.operations && seed === 1 && !locale
  if (!isShipped) return undefined
  const rows = resources().map((resource) => {
    const start = startOf(records, resource, resource.name)
    const count = start === 'default' ? SHIPPED_COUNT : start
    const all = getOwn(fixtures.records, resource.name) ?? []
    const isEnough = typeof count === 'number' && count <= all.length
    return isEnough ? ([resource.name, { rows: all.slice(0, count) }] as const) : undefined
  })
  return rows.includes(undefined) ? undefined : new Map(rows.filter((one) => one !== undefined))
}

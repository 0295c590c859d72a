import type { Service } from '../engine/service.ts'
import { type Listeners, WorldHandle, type WorldState } from '../engine/world-state.ts'
import { worldNameError } from '../http/paths.ts'
import {
  type CollectionAddress,
  findCollection,
  resourceLabel,
} from '../resources/collection-name.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import { hasMarks, withMadeIds } from '../resources/record-origin.ts'
import type { OpenRecords, RecordsSnapshot } from '../resources/store/records.ts'
import { createStore, type Store } from '../resources/store/store.ts'
import { withIds } from '../resources/with-ids.ts'
import { storedResources } from '../sign-in/collection.ts'
import { Clock } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import { invalidSnapshot, readSnapshot } from './check-snapshot.ts'
import { restoreWorldState, type Snapshot, type WorldSnapshot } from './snapshot.ts'
import { type NamedWorld, OWN_WORLD, type Worlds } from './worlds.ts'

/** The state of a world from a snapshot. Rejects with a UsageError for an invalid snapshot, and for invalid records. */
export async function restoreWorld(
  service: Service,
  listeners: Listeners,
  given: unknown,
): Promise<WorldState> {
  return restoreState(service, listeners, readSnapshot(given, service.settings.contract).state)
}

async function restoreState(
  service: Service,
  listeners: Listeners,
  state: WorldSnapshot,
): Promise<WorldState> {
  const store = await restoreStore(service, state)
  return restoreWorldState(service, listeners, state, Promise.resolve(store))
}

/** The states of a sandbox and its worlds from a snapshot. Rejects with a UsageError when one of them is invalid. */
export async function restoreSandbox(
  service: Service,
  listeners: Listeners,
  worlds: Pick<Worlds, 'listenersOf'>,
  given: unknown,
): Promise<{ readonly own: WorldState; readonly others: readonly NamedWorld[] }> {
  const snapshot = readSnapshot(given, service.settings.contract)
  refuseMoreThan(service.settings.worlds, Object.keys(snapshot.worlds ?? {}).length)
  const own = await restoreState(service, listeners, snapshot.state)
  const others: NamedWorld[] = []
  for (const [name, state] of inOrder(snapshot)) {
    if (worldNameError(name) !== undefined || name === OWN_WORLD) {
      throw invalidSnapshot(`${JSON.stringify(name)} cannot be the name of a world`)
    }
    const listeners = worlds.listenersOf(name)
    others.push([name, new WorldHandle(await restoreState(service, listeners, state), listeners)])
  }
  return { own, others }
}

/** The worlds of a snapshot, from the least recently used one; those that its order does not name come first. */
function inOrder({ worlds = {}, order = [] }: Snapshot): readonly [name: string, WorldSnapshot][] {
  const places = new Map(order.map((name, place) => [name, place]))
  const placeOf = (name: string): number => places.get(name) ?? -1

  return Object.entries(worlds).sort(([one], [other]) => placeOf(one) - placeOf(other))
}

/** A store with the records of a snapshot. Rejects with a UsageError for invalid records. */
export async function restoreStore(service: Service, { records }: WorldSnapshot): Promise<Store> {
  const { settings } = service
  const resources = storedResources(service)
  if (Object.keys(records).some((name) => !findCollection(resources, name))) {
    throw invalidSnapshot(`its records must be of ${resources.map(resourceLabel).join(', ')}`)
  }
  const names = new Set(
    Object.keys(records).map((name) => findCollection(resources, name)?.resource),
  )
  const saved = resources.filter((resource) => names.has(resource))
  const { startRecords } = await service.firstStore(settings.records, new Clock().now())
  try {
    const snapshots = new Map<string, RecordsSnapshot>()
    for (const [name, one] of Object.entries(records)) {
      const collection = findCollection(resources, name)
      snapshots.set(name, collection ? await withOrigin(one, collection, startRecords) : one)
    }
    const own = await Promise.all(saved.map(withIds))
    return await createStore(own, snapshots, settings.seed, startRecords)
  } catch (cause) {
    if (!(cause instanceof InvalidRecordError)) throw cause
    throw invalidSnapshot(cause.message, cause)
  }
}

/** The records of a snapshot, with where they came from. */
async function withOrigin(
  saved: RecordsSnapshot,
  { resource, name, parameters }: CollectionAddress,
  open: OpenRecords,
): Promise<RecordsSnapshot> {
  if (saved.made || !hasMarks(resource)) return saved
  const first = await open(resource, name, parameters)

  return withMadeIds(saved, await first.snapshot(), resource)
}

/** Throws a UsageError for more worlds than are allowed: the rest would be lost silently. */
function refuseMoreThan(most: number, count: number): void {
  if (count <= most) return
  throw new UsageError({
    code: 'too_many_worlds',
    task: 'restore the snapshot',
    reason: `it has ${count} worlds, but the sandbox keeps at most ${most}`,
    help: `Start the sandbox with worlds: ${count}.`,
  })
}

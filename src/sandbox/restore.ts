import { readSnapshot } from './check-snapshot.ts'
import type { Held, Listeners, Parts } from './parts.ts'
import type { Service } from './service.ts'
import { invalidSnapshot, restoreParts, restoreStore, type WorldState } from './snapshot.ts'
import { faultOfName, OWN, type Worlds } from './worlds.ts'

/** Parts in the state of a snapshot. Rejects with a UsageError for what is none, and for records that the contract refuses. */
export async function restoreWorld(
  service: Service,
  listeners: Listeners,
  given: unknown,
): Promise<Parts> {
  return partsIn(service, listeners, readSnapshot(given, service.settings.contract).state)
}

async function partsIn(service: Service, listeners: Listeners, state: WorldState): Promise<Parts> {
  const store = await restoreStore(service, state)
  return restoreParts(service, listeners, state, Promise.resolve(store))
}

/** Puts a sandbox and its worlds into the state of a snapshot: all of it, or nothing when one of them is refused. */
export async function restoreSandbox(
  service: Service,
  own: Held,
  worlds: Worlds,
  given: unknown,
): Promise<void> {
  const snapshot = readSnapshot(given, service.settings.contract)
  const parts = await partsIn(service, own.listeners, snapshot.state)
  const others: [name: string, held: Held][] = []
  for (const [name, state] of Object.entries(snapshot.worlds ?? {})) {
    if (faultOfName(name) !== undefined || name === OWN) {
      throw invalidSnapshot(`"${name}" is no name of another world`)
    }
    const listeners = worlds.listenersOf(name)
    others.push([name, { parts: await partsIn(service, listeners, state), listeners }])
  }
  own.parts = parts
  worlds.replace(others)
}

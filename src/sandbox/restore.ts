import { forkStore, type Store } from '../resources/store.ts'
import type { Held, Listeners, Parts } from './parts.ts'
import type { Service } from './service.ts'
import {
  invalidSnapshot,
  restoreParts,
  restoreStore,
  type Snapshot,
  type WorldState,
} from './snapshot.ts'
import { faultOfName, OWN, type Worlds } from './worlds.ts'

/** Parts in a state. Rejects with a UsageError for a state that the contract refuses. */
export async function restoreWorld(
  service: Service,
  listeners: Listeners,
  state: WorldState,
): Promise<Parts> {
  const store = await restoreStore(service, state)
  return restoreParts(service, listeners, state, Promise.resolve(store))
}

/** Puts a sandbox and its worlds into the state of a snapshot: all of it, or nothing when one of them is refused. */
export async function restoreSandbox(
  service: Service,
  own: Held,
  worlds: Worlds,
  snapshot: Snapshot,
): Promise<void> {
  const parts = await restoreWorld(service, own.listeners, snapshot.state)
  const others: [name: string, held: Held][] = []
  for (const [name, state] of Object.entries(snapshot.worlds ?? {})) {
    if (faultOfName(name) !== undefined || name === OWN) {
      throw invalidSnapshot(`"${name}" is no name of another world`)
    }
    const listeners = worlds.listenersOf(name)
    others.push([name, { parts: await restoreWorld(service, listeners, state), listeners }])
  }
  own.parts = parts
  worlds.replace(others)
}

/** Parts in a state that was kept, at once; where its records are refused, `drop` is told, and the first ones are taken. */
export function keptParts(
  service: Service,
  listeners: Listeners,
  state: WorldState,
  drop: (why: unknown) => void,
): Parts {
  const first = (why: unknown): Promise<Store> => {
    drop(why)
    return service.firstStore(service.settings.records).then(forkStore)
  }
  return restoreParts(service, listeners, state, restoreStore(service, state).catch(first))
}

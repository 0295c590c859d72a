import type { WorldState } from '../../engine/world-state.ts'
import type { RecordsSnapshot } from '../../resources/records.ts'
import { Clock } from '../../time/clock.ts'
import { setOwn } from '../../validation/objects.ts'
import { type Snapshot, takeSnapshot, type WorldSnapshot } from '../snapshot.ts'
import type { OpenedWorld } from './opened-world.ts'

/** A world was reset while its records were read. The task has to run again. */
export class OutdatedWorldError extends Error {
  override readonly name = 'OutdatedWorldError'
}

/**
 * A snapshot of a world, and of others beside it. As in memory, it has the given first records of a world, also when nothing has used
 * them yet. Rejects with an OutdatedWorldError when one of the worlds was reset meanwhile.
 */
export async function takeStoredSnapshot(
  own: OpenedWorld,
  others?: ReadonlyMap<string, OpenedWorld>,
): Promise<Snapshot> {
  const states =
    others && new Map([...others].map(([name, one]) => [name, withStoredClock(one)] as const))
  const snapshot = await takeSnapshot(withStoredClock(own), states)
  for (const { stored, loaded } of [own, ...(others?.values() ?? [])]) {
    const present = await stored.load()
    if (present?.epoch !== loaded.epoch) throw new OutdatedWorldError(stored.name)
  }
  const { state, worlds } = snapshot
  const complete: Record<string, WorldSnapshot> = {}
  for (const [name, one] of Object.entries(worlds ?? {})) {
    setOwn(complete, name, await withGiven(one, others?.get(name)))
  }

  return {
    ...snapshot,
    state: await withGiven(state, own),
    ...(worlds && { worlds: complete }),
  }
}

/** A snapshot with the given first records that nothing has used. */
async function withGiven(
  snapshot: WorldSnapshot,
  world: OpenedWorld | undefined,
): Promise<WorldSnapshot> {
  const unused: Record<string, RecordsSnapshot> = {}
  for (const one of world?.first.given ?? []) setOwn(unused, one.name, await one.snapshot())

  return { ...snapshot, records: { ...unused, ...snapshot.records } }
}

/** The state with its clock relative to that of the store, as a clock in memory is relative to that of the machine. */
function withStoredClock({ state, loaded }: OpenedWorld): WorldState {
  const clock = new Clock()
  clock.restore(loaded.clock)

  return { ...state, clock }
}

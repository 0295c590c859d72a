import type { WorldState } from '../../engine/world-state.ts'
import type { Records, RecordsSnapshot } from '../../resources/records.ts'
import { Clock } from '../../time/clock.ts'
import { setOwn } from '../../validation/own-property.ts'
import { type Snapshot, takeSnapshot, type WorldSnapshot } from '../snapshot.ts'
import type { OpenedWorld } from './host-opened.ts'

/** A world was reset while its records were read. The task has to run again. */
export class OutdatedWorldError extends Error {
  override readonly name = 'OutdatedWorldError'
}

/**
 * A snapshot of a world, and of others beside it. As in memory, it has the given first records of a world, also when nothing has used
 * them yet. Rejects with an OutdatedWorldError when one of the worlds was reset meanwhile.
 */
export async function takeStoredSnapshot(
  given: readonly Records[],
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
  const unused: Record<string, RecordsSnapshot> = {}
  for (const records of given) setOwn(unused, records.name, await records.snapshot())
  const complete = (one: WorldSnapshot): WorldSnapshot => {
    return { ...one, records: { ...unused, ...one.records } }
  }

  return {
    ...snapshot,
    state: complete(state),
    ...(worlds && {
      worlds: Object.fromEntries(
        Object.entries(worlds).map(([name, one]) => [name, complete(one)]),
      ),
    }),
  }
}

/** The state with its clock relative to that of the store, as a clock in memory is relative to that of the machine. */
function withStoredClock({ state, loaded }: OpenedWorld): WorldState {
  const clock = new Clock()
  clock.restore(loaded.clock)

  return { ...state, clock }
}

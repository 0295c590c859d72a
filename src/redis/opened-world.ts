import type { Keys } from '../access/keys.ts'
import type { Service } from '../engine/service.ts'
import type { WorldState } from '../engine/world-state.ts'
import { toFilter, withinLimit } from '../journal/exchange-query.ts'
import type { RecordedExchange } from '../journal/recorded-exchange.ts'
import type { Transaction } from '../records/transaction.ts'
import type { RecordsSnapshot } from '../resources/store/records.ts'
import { type Snapshot, takeSnapshot, type WorldSnapshot } from '../sandbox/snapshot.ts'
import type { JournalRange, OpenedJournal } from '../sandbox/world-host.ts'
import { Clock } from '../time/clock.ts'
import { setOwn } from '../validation/objects.ts'
import type { Configuration, WorldBeginning } from './configuration.ts'
import type { PreparedEpoch } from './epochs.ts'
import { type EventNotes, loadEvents } from './stored-events.ts'
import { toExchange } from './stored-exchange.ts'
import type { LoadedWorld, StoredJournal, StoredWorld, WorldStore } from './world-store.ts'

/** A world that was loaded from the store, with a state to be used for one task. */
export interface OpenedWorld {
  readonly stored: StoredWorld
  readonly loaded: LoadedWorld
  readonly state: WorldState
  readonly transaction: Transaction
  readonly first: WorldBeginning
  /** The configuration as it was loaded. */
  readonly configuration: Configuration
  /** Whether it is only read: then nothing is written. */
  readonly isRead: boolean
  /** The plans and keys that the store has for the world of an API key. Nobody uses them: the state has those of the default world. */
  readonly unusedKeys?: Keys
}

/** All worlds, as one of them needs them. */
export interface WorldsInStore {
  readonly service: Service
  readonly store: WorldStore
  /** What is told of events. */
  readonly events: EventNotes
  /** Whether each API key has a world of its own. */
  readonly isByKey: boolean
  /** The worlds that a snapshot has beside the default world. */
  others(): Promise<ReadonlyMap<string, OpenedWorld>>
  /** Replaces all worlds but the default world. */
  replace(worlds: readonly (PreparedEpoch & { readonly name: string })[]): Promise<void>
}

/** How many exchanges are read at once, so that other requests have turns. */
const BATCH = 200

/** A part of a world's journal that is read from the store. */
export async function openStoredJournal(
  journal: StoredJournal,
  loaded: LoadedWorld,
  service: Service,
  { after = 0, limit = Infinity }: JournalRange = {},
): Promise<OpenedJournal> {
  const { journal: size } = service.settings
  const start = Math.max(after, loaded.last - size)
  const found: RecordedExchange[] = []
  let position = start
  while (found.length < limit) {
    const most = Math.min(BATCH, limit - found.length)
    const batch = await journal.read(position, most)
    found.push(...batch.map((stored) => toExchange(stored, service)))
    position = batch.at(-1)?.id ?? position
    if (batch.length < most) break
  }
  const last = Math.max(loaded.last, found.at(-1)?.id ?? 0)
  const [first] = found
  // The full journal may have dropped more since the world was loaded.
  const isCut = first !== undefined && first.id > start + 1
  const dropped = Math.max(0, last - size, isCut ? first.id - 1 : 0)

  return openedJournal(
    found.filter(({ id }) => id > dropped),
    service,
    { last, dropped },
  )
}

function openedJournal(
  exchanges: readonly RecordedExchange[],
  { settings }: Service,
  { last, dropped }: Pick<OpenedJournal, 'last' | 'dropped'>,
): OpenedJournal {
  return {
    exchanges,
    last,
    dropped,
    find: (query = {}) => {
      const matches = toFilter(query, settings.contract.operations)
      return withinLimit(exchanges.filter(matches), query)
    },
  }
}

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
  for (const one of [own, ...(others?.values() ?? [])]) await loadEvents(one.state.events)
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

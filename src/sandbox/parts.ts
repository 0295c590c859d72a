import type { Gate } from '../access/admit.ts'
import { Bans } from '../access/bans.ts'
import type { Keys } from '../access/caller.ts'
import { Limits } from '../access/limits.ts'
import { Clock, type ClockSnapshot } from '../clock.ts'
import type { Operation } from '../contract/contract.ts'
import { Routes } from '../contract/match.ts'
import type { ExchangeListener } from '../exchange.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import * as fixtures from '../generated/fixtures.ts'
import { version } from '../generated/package.ts'
import { Journal } from '../journal.ts'
import { type Binding, bind, type Resource } from '../resources/bind.ts'
import type { Row } from '../resources/row-index.ts'
import { createStore, type RecordsSnapshot, RowRefused, type Store } from '../resources/store.ts'
import { UsageError } from '../usage-error.ts'
import type { Settings } from './options.ts'
import { Outcomes } from './outcomes.ts'

/** All that a sandbox is at a time. A reset makes these anew, so no part has a reset of its own to forget. */
export interface Parts {
  readonly clock: Clock
  readonly routes: Routes
  readonly binding: (operation: Operation) => Binding
  readonly resources: readonly Resource[]
  readonly keys: Keys
  readonly limits: Limits
  readonly gate: Gate
  readonly outcomes: Outcomes
  /** Resolves once the first records are in; rejects with a UsageError when they cannot be made. */
  readonly store: Promise<Store>
  /** The same once it has resolved: a page that is left cannot wait. */
  readonly opened: () => Store | undefined
  readonly journal: Journal
  /** Milliseconds by which each answer is held back. */
  readonly latency: number
}

/** All that changes while a sandbox is used, but for what it was told to force and the journal. */
export interface Snapshot {
  readonly clock: ClockSnapshot
  readonly limits: ReturnType<Limits['snapshot']>
  readonly bans: ReturnType<Bans['snapshot']>
  readonly records: Readonly<Record<string, RecordsSnapshot>>
}

export function takeSnapshot({ clock, limits, gate }: Parts, store: Store): Snapshot {
  const records = [...store].map(([name, one]) => [name, one.snapshot()] as const)

  return {
    clock: clock.snapshot(),
    limits: limits.snapshot(),
    bans: gate.bans.snapshot(),
    records: Object.fromEntries(records),
  }
}

/** A snapshot that was kept somewhere, and may be damaged. */
export interface Kept {
  readonly snapshot: Snapshot
  /** Called when its records are not what the contract asks for; the first records are made instead. */
  readonly drop: (why: unknown) => void
}

/** `listeners` are told of each exchange as it ends. What was kept stands in place of the first state. */
export function createParts(
  settings: Settings,
  listeners: Set<ExchangeListener>,
  kept?: Kept,
): Parts {
  const { contract } = settings
  const clock = new Clock()
  const bans = new Bans(settings.ban)
  const limits = new Limits(bans, settings.quota)
  if (kept) {
    clock.restore(kept.snapshot.clock)
    limits.restore(kept.snapshot.limits)
    bans.restore(kept.snapshot.bans)
  }
  const bindings = bind(contract)
  const resources = boundResources(bindings)
  const store = openStore(settings, resources, kept)
  // Whoever needs the store meets the error; a sandbox that nobody asks must not end the process.
  let opened: Store | undefined
  store.then(
    (one) => {
      opened = one
    },
    () => undefined,
  )

  return {
    clock,
    routes: new Routes(contract),
    binding: finder(bindings),
    resources,
    keys: settings.keys,
    limits,
    gate: { bans, auth: settings.auth, realm: contract.title },
    outcomes: new Outcomes(),
    store,
    opened: () => opened,
    journal: new Journal(settings.journal, listeners, { name: 'pet-sandbox', version }),
    latency: settings.latency,
  }
}

async function openStore(
  settings: Settings,
  resources: readonly Resource[],
  kept?: Kept,
): Promise<Store> {
  const { snapshot, drop } = kept ?? {}
  if (snapshot) {
    const records = new Map(Object.entries(snapshot.records))
    const restored = await createStore(resources, records, settings.seed).catch(drop)
    if (restored) return restored
  }
  const rows = shippedRows(settings, resources) ?? (await seeded(settings, resources))
  const first = new Map([...rows].map(([name, made]) => [name, { rows: made }]))
  try {
    return await createStore(resources, first, settings.seed)
  } catch (cause) {
    if (!(cause instanceof RowRefused)) throw cause
    throw new UsageError(
      'invalid_seed',
      `Cannot make the first records of ${settings.contract.title}: ${cause.message}. Give that property an x-faker hint.`,
      { cause },
    )
  }
}

/** The records that ship are what seed 1 makes of the shipped contract, so that the usual start needs no faker. */
function shippedRows(
  { contract, seed, records }: Settings,
  resources: readonly Resource[],
): ReadonlyMap<string, readonly Row[]> | undefined {
  const rows = resources.map(
    ({ name }) => [name, fixtures.records[name]?.slice(0, records)] as const,
  )
  const isShipped = contract === shippedContract && seed === 1
  const isEnough = rows.every(([, made]) => made?.length === records)

  return isShipped && isEnough ? new Map(rows.map(([name, made = []]) => [name, made])) : undefined
}

/** Faker is loaded only here, when records are to be made. */
async function seeded(
  { seed, records }: Settings,
  resources: readonly Resource[],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  if (records === 0) return new Map()
  const { seedRows } = await import('../resources/seed.ts')
  return seedRows(resources, records, seed)
}

function finder(bindings: readonly Binding[]): Parts['binding'] {
  const byOperation = new Map(bindings.map((binding) => [binding.operation, binding]))
  return (operation) => {
    const binding = byOperation.get(operation)
    if (binding) return binding
    throw new TypeError(`${operation.id} is not bound`)
  }
}

function boundResources(bindings: readonly Binding[]): readonly Resource[] {
  const bound = bindings.flatMap((one) => (one.deed === 'example' ? [] : [one.resource]))
  return [...new Set(bound)]
}

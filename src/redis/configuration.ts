import type { Keys, KeysSnapshot } from '../access/keys.ts'
import type { Contract } from '../contract/contract.ts'
import type { Service } from '../engine/service.ts'
import { keysOf, type WorldState } from '../engine/world-state.ts'
import type { RuleState, RulesSnapshot } from '../forcing/rules.ts'
import { StoreUnavailableError } from '../records/stored-records.ts'
import type { Records } from '../resources/store/records.ts'
import type { SharedRecords } from '../resources/store/transaction-collections.ts'
import { readSnapshot } from '../sandbox/check-snapshot.ts'
import { SNAPSHOT_VERSION } from '../sandbox/snapshot.ts'
import { storedResources } from '../sign-in/collection.ts'
import { epochOf } from '../time/clock.ts'
import type { KeyedLock } from './contention.ts'
import { type HeldReceiver, readReceivers } from './held-receivers.ts'
import { EVENT_RECORDS } from './stored-deliveries.ts'
import { type EventNotes, heldIn } from './stored-events.ts'
import type { StoredRule, WorldConfig, WorldStore } from './world-store.ts'

type SavedRule = RulesSnapshot['list'][number]

/** A rule as it was given, without what it has done. */
type GivenRule = Omit<SavedRule, keyof StoredRule>

/** The plans, the keys and the rules of a world, as the store keeps them. */
export interface Configuration {
  readonly keys: KeysSnapshot
  readonly rules: { readonly last: number; readonly list: readonly GivenRule[] }
  /** The scenario whose records the collections start with; absent when they are those of the settings. */
  readonly recordsOf?: string | undefined
  /** The receivers that are connected to servers. */
  readonly receivers: readonly HeldReceiver[]
}

/** The configuration of a state, in the form that the store keeps. */
export function configurationOf(
  { keys, rules, events }: Pick<WorldState, 'keys' | 'rules' | 'events'>,
  recordsOf: string | undefined,
): Configuration {
  return {
    recordsOf,
    keys: keys.snapshot(),
    rules: withoutCounts(rules.snapshot()),
    receivers: heldIn(events),
  }
}

/** The rules without what they have done. */
export function withoutCounts({ last, list }: RulesSnapshot): Configuration['rules'] {
  return { last, list: list.map(withoutCount) }
}

function withoutCount({
  matched: _matched,
  forced: _forced,
  random: _random,
  state: _state,
  ...given
}: SavedRule): GivenRule {
  return given
}

/** The configuration without the rules that were forced often enough: the store keeps the counts of the others only. */
export function withoutSpentRules(
  { rules, ...others }: Configuration,
  counted: ReadonlyMap<number, StoredRule>,
): Configuration {
  return { ...others, rules: { ...rules, list: rules.list.filter(({ id }) => counted.has(id)) } }
}

/** The text of a configuration: the same for equal ones. */
export function toText({ keys, rules, recordsOf, receivers }: Configuration): string {
  return JSON.stringify({ keys, rules, recordsOf, ...(receivers.length > 0 && { receivers }) })
}

/** Reads the text of a configuration. Throws a StoreUnavailableError for one that no server wrote. */
export function readConfiguration(text: string, contract: Contract): Configuration {
  const { title, version } = contract
  try {
    const { keys, rules, recordsOf, receivers: connected = [] } = JSON.parse(text)
    const receivers = readReceivers(connected)
    const isReadable = recordsOf === undefined || typeof recordsOf === 'string'
    if (!isReadable || !receivers) throw unreadableConfiguration()
    const list = rules.list.map((rule: object) => ({ ...rule, matched: 0, forced: 0, random: 0 }))
    const state = { ...UNUSED_STATE, keys, rules: { last: rules.last, list } }
    const given = { version: SNAPSHOT_VERSION, contract: { title, version }, state }
    const read = readSnapshot(given, contract).state
    return { keys: read.keys, rules: withoutCounts(read.rules), recordsOf, receivers }
  } catch (cause) {
    throw unreadableConfiguration(cause)
  }
}

/** The error for a configuration that no server wrote. */
function unreadableConfiguration(cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    'The configuration of a world in the store cannot be read. Reset the world.',
    { cause },
  )
}

/** What a snapshot has besides a configuration. */
const UNUSED_STATE = { clock: { offset: 0 }, limits: [], bans: [], random: 0, records: {} }

/** What the collections of a world start with: the same on every server. */
export interface WorldBeginning extends SharedRecords {
  /** The collections that start with given records. A snapshot has them also when nothing has used them yet. */
  readonly given: readonly Records[]
}

/** The first records of a scenario, or those of the settings. Rejects with a StoreUnavailableError for an unknown scenario. */
export async function firstRecordsOf(
  service: Service,
  scenario: string | undefined,
): Promise<WorldBeginning> {
  const { settings, scenarios, startScenario, startedAt } = service
  const own = scenario === undefined ? undefined : scenarios.get(scenario)
  if (scenario !== undefined && !own) throw unreadableConfiguration()
  // The settings' records are those of a start scenario that has none.
  const { clock = startedAt } =
    own ?? (startScenario?.records === undefined ? (startScenario ?? {}) : {})
  const store = await service.firstStore(own?.records ?? settings.records, epochOf(clock))

  return {
    first: store.startRecords,
    seed: settings.seed,
    resources: () => storedResources(service),
    // Deliveries are no part of the service, and a snapshot has them elsewhere.
    given: (await store.opened()).filter(({ name }) => name !== EVENT_RECORDS.name),
  }
}

/** What all worlds of a shared sandbox have in common. */
export interface SharedService {
  readonly service: Service
  readonly store: WorldStore
  /** What the collections of a new world start with. */
  readonly firstRecords: WorldBeginning
  /** Lets creations in the same collection, and tellings of events, wait for each other. */
  readonly locks: KeyedLock
  /** What sends events. */
  readonly events: EventNotes
  /** What the numbers of connections start after, so that those of two instances differ. */
  readonly connectionsAfter: number
}

/** A rule of a configuration. */
export interface PreparedRule extends Pick<RuleState, 'given'> {
  readonly id: number
  /** As a snapshot of rules has it. */
  readonly saved: GivenRule
}

/** The configuration of a world, ready for requests: it is read once for each version. */
export interface PreparedConfiguration {
  readonly epoch: string
  readonly version: number
  readonly keys: Keys
  /** What the collections of the world start with. */
  readonly first: WorldBeginning
  /** The rules that may still be forced. One that was forced often enough is removed when that is seen. */
  readonly rules: Map<number, PreparedRule>
  /** The receivers that are connected to servers. */
  readonly receivers: readonly HeldReceiver[]
}

export async function prepareConfiguration(
  { epoch, version, text }: WorldConfig,
  service: Service,
): Promise<PreparedConfiguration> {
  const { keys, rules, recordsOf, receivers } = readConfiguration(text, service.settings.contract)
  const prepared = rules.list.map((saved) => {
    const { id, ...given } = saved
    return [id, { id, saved, given }] as const
  })
  return {
    epoch,
    version,
    keys: keysOf(keys, service),
    first: await firstRecordsOf(service, recordsOf),
    rules: new Map(prepared),
    receivers,
  }
}

/** The configuration that an instance starts with: no world has it, so the store gives the present one. */
export function unknownConfiguration({
  service,
  firstRecords: first,
}: SharedService): PreparedConfiguration {
  const keys = keysOf(service.settings.keys, service)
  return { epoch: '', version: 0, keys, first, rules: new Map(), receivers: [] }
}

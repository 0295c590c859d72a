import { Bans } from '../access/ban.ts'
import type { Caller } from '../access/callers.ts'
import { Keys, type KeysSnapshot } from '../access/keys.ts'
import { Limits } from '../access/limits.ts'
import type { EventSink } from '../events/world-events.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import { Rules } from '../forcing/rules.ts'
import type { DescribedScenario } from '../forcing/scenario.ts'
import { Random } from '../generate/random.ts'
import { version } from '../generated/package.ts'
import type { SelectedHandlers } from '../handlers/select-handlers.ts'
import { type ExchangeFacts, FactsCache } from '../journal/exchange-facts.ts'
import type { HarCreator } from '../journal/har.ts'
import { Journal, type JournalEntry, type JournalListener } from '../journal/journal.ts'
import { RecordedExchange } from '../journal/recorded-exchange.ts'
import type { Store } from '../resources/store/store.ts'
import { Clock } from '../time/clock.ts'
import { milliseconds } from '../time/duration.ts'
import type { Service } from './service.ts'

/** The state of a world. A reset creates all of it again. No part has its own reset, which could forget something. */
export interface WorldState {
  readonly service: Service
  readonly clock: Clock
  readonly keys: Keys
  readonly limits: Limits
  readonly bans: Bans
  readonly rules: Rules
  /** The random numbers for latencies. */
  readonly random: Random
  /** The handlers that replace those of the settings, the last first. */
  readonly used: SelectedHandlers[]
  /** The caller of the only request that is answered in this state, where another world knows who it is. */
  readonly caller?: Caller
  /** What happened to records, and what is sent because of it. */
  readonly events: EventSink
  /** Called with what is to be done when the request is committed. Default: it is done when its changes are saved. */
  readonly onCommit?: (act: () => Promise<void> | void) => void
  /** Forces an outcome with the changes of the request. Returns a function that withdraws it. Default: by `rules`. */
  readonly force?: (rule: ForceRule) => () => void
  /** Resolves when the given records are stored. Rejects with a UsageError when they are invalid. */
  readonly openStore: () => Promise<Store>
  /** The store; `undefined` until the first records exist. A page that is being left cannot wait for a promise. */
  readonly openedStore: () => Store | undefined
  readonly journal: Journal<ExchangeFacts>
  /** Shares the facts of repeated exchanges, so that the journal keeps them once. */
  readonly facts: FactsCache
}

/** The listeners that are called with each exchange as it ends. */
export type Listeners = Set<JournalListener>

/** A world's place in the sandbox: a state that is replaced at a reset, and listeners that stay. */
export class WorldHandle {
  readonly listeners: Listeners
  #state: WorldState
  /** How many replacements were started. */
  #started = 0
  /** The replacement that the present state came with. */
  #present = 0

  constructor(state: WorldState, listeners: Listeners) {
    this.#state = state
    this.listeners = listeners
  }

  get state(): WorldState {
    return this.#state
  }

  /**
   * Starts to replace the state, and returns the function that replaces it. A replacement may take time, as a restore does. Of
   * several replacements under way, the one that started last wins: an earlier one that ends later changes nothing and
   * returns `false`.
   */
  startReplacement(): (state: WorldState) => boolean {
    this.#started += 1
    const own = this.#started
    return (state) => {
      if (own < this.#present) return false
      this.#present = own
      state.events.takeOver(this.#state.events)
      this.end()
      this.#state = state
      state.journal.isPast = false
      return true
    }
  }

  /** Goes on with the journal of the world that this one takes the place of, and returns this one. */
  following(before: WorldHandle | undefined): this {
    if (before) this.startReplacement()(withJournalOf(before.state, this.#state))
    return this
  }

  /** Ends the present state: requests that are still under way in it count as past. */
  end(): void {
    this.#state.journal.isPast = true
    this.#state.events.end()
  }
}

/** A world at its start, or at the start of a scenario. */
export function createWorldState(
  service: Service,
  listeners: Listeners,
  scenario: DescribedScenario | undefined = service.startScenario,
): WorldState {
  const { keys, records } = service.settings
  const start = new Clock()
  if (scenario?.clock !== undefined) start.moveTo(scenario.clock)
  const store = service
    .firstStore(scenario?.records ?? records, start.now())
    .then((first) => first.createWorldStore())
  const state = assembleWorldState(service, listeners, store, keys)
  if (scenario) applyScenario(state, scenario)

  return state
}

/** A state that replaces another one and goes on with its journal and handlers. What is still under way in that one counts as past. */
export function withJournalOf({ journal, facts, used }: WorldState, state: WorldState): WorldState {
  return { ...state, journal: journal.continued(), facts, used }
}

/** A state around a store and the configured keys, in which nothing is counted, banned or forced yet. */
export function assembleWorldState(
  service: Service,
  listeners: Listeners,
  store: Promise<Store>,
  keys: KeysSnapshot,
  random: Random = new Random(service.settings.seed),
): WorldState {
  const { settings } = service
  const bans = new Bans(settings.ban)
  const clock = new Clock()
  const openStore = (): Promise<Store> => store
  const rules = new Rules(settings.seed)
  const journal = new Journal(
    settings.journal,
    listeners,
    (entry: JournalEntry<ExchangeFacts>) => recordedExchange(entry, service),
    CREATOR,
    settings.contract.operations,
  )
  const onChange = (): void => {
    for (const save of service.changed) save()
  }
  const host = { service, clock, rules, lastExchange: () => journal.last, openStore, onChange }

  return {
    service,
    clock,
    keys: keysOf(keys, service),
    limits: new Limits(bans, settings.quota),
    bans,
    rules,
    random,
    used: [],
    events: service.createEvents(host),
    openStore,
    openedStore: resolvedValue(store),
    journal,
    facts: new FactsCache(),
  }
}

/** What HTTP archives name as their creator. */
export const CREATOR: HarCreator = { name: 'pet-sandbox', version }

/** Plans and keys, ready for requests. */
export function keysOf(keys: KeysSnapshot, { access, settings }: Service): Keys {
  return new Keys(keys, { accepts: access.rules.accepts, configured: settings.keys.keys })
}

/** An entry as the journal shows it. */
export function recordedExchange(
  entry: JournalEntry<ExchangeFacts>,
  { access, crossOrigin, clientOf }: Service,
): RecordedExchange {
  const headers = access.namesOf('header')
  return new RecordedExchange(entry, crossOrigin, headers, access.writeQuota, clientOf)
}

/**
 * Returns a function that returns the promise's value once it has resolved. A rejection is left to those who await the
 * promise: a sandbox without requests must not end the process.
 */
function resolvedValue<Value>(promise: Promise<Value>): () => Value | undefined {
  let value: Value | undefined
  promise.then(
    (resolved) => {
      value = resolved
    },
    () => undefined,
  )
  return () => value
}

/** Brings a new state to the start of a scenario. */
function applyScenario(
  { clock, keys, limits, bans, rules, service }: WorldState,
  scenario: DescribedScenario,
): void {
  // A frozen clock has the very time to which it is moved.
  if (scenario.frozen) clock.freeze()
  if (scenario.clock !== undefined) clock.moveTo(scenario.clock)
  const now = clock.now()
  for (const [name, windows] of Object.entries(scenario.plans ?? {})) keys.setPlan(name, windows)
  for (const [key, requests] of Object.entries(scenario.spent ?? {})) {
    limits.spend(keys.callerOf(key), now, requests)
  }
  for (const [key, duration] of Object.entries(scenario.banned ?? {})) {
    bans.ban(keys.callerOf(key), now + milliseconds(duration))
  }
  for (const rule of scenario.rules ?? []) rules.add(rule, service.settings.contract, keys)
}

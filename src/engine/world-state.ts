import type { Gate } from '../access/admit.ts'
import { Bans } from '../access/bans.ts'
import { Keys, type KeysSnapshot } from '../access/keys.ts'
import { Limits } from '../access/limits.ts'
import { Rules } from '../forcing/rules.ts'
import type { Scenario } from '../forcing/scenario.ts'
import { Random } from '../generate/random.ts'
import { version } from '../generated/package.ts'
import { Journal, type JournalListener } from '../journal/journal.ts'
import { forkStore, type Store } from '../resources/store.ts'
import { Clock } from '../time/clock.ts'
import { milliseconds } from '../time/duration.ts'
import { type ExchangeFacts, KnownFacts } from './exchange-facts.ts'
import { RecordedExchange } from './recorded-exchange.ts'
import type { Service } from './service.ts'

/** All that makes up a world. A reset makes the parts anew: none has a reset of its own, which could forget something. */
export interface WorldState {
  readonly service: Service
  readonly clock: Clock
  readonly keys: Keys
  readonly limits: Limits
  readonly gate: Gate
  readonly rules: Rules
  /** Draws latencies. */
  readonly random: Random
  /** Resolves once the first records are in; rejects with a UsageError when they cannot be made. */
  readonly store: Promise<Store>
  /** The store, once it is there: a page that is being left cannot wait for a promise. */
  readonly opened: () => Store | undefined
  readonly journal: Journal<ExchangeFacts>
  /** The facts of the latest exchanges, which the journal holds once however often they repeat. */
  readonly known: KnownFacts
}

/** Who is called with each exchange as it ends. */
export type Listeners = Set<JournalListener>

/** What the sandbox holds of a world: parts that are replaced at a reset, and listeners that stay. */
export class WorldHandle {
  readonly listeners: Listeners
  #parts: WorldState
  /** How many turns were taken. */
  #turns = 0
  /** The turn that the present parts came with. */
  #present = 0

  constructor(state: WorldState, listeners: Listeners) {
    this.#parts = state
    this.listeners = listeners
  }

  get parts(): WorldState {
    return this.#parts
  }

  /**
   * Takes a turn to replace the parts, and returns what replaces them. When several take a while, as restoring does, the
   * last to be asked for wins, not the last to be ready: one that was overtaken changes nothing and returns `false`.
   */
  turn(): (state: WorldState) => boolean {
    this.#turns += 1
    const turn = this.#turns
    return (state) => {
      if (turn < this.#present) return false
      this.#present = turn
      this.end()
      this.#parts = state
      state.journal.isPast = false
      return true
    }
  }

  /** Ends the present parts: what is still under way in them counts as past. */
  end(): void {
    this.#parts.journal.isPast = true
  }
}

/** A world as it starts, or as a scenario has it start. */
export function createWorldState(
  service: Service,
  listeners: Listeners,
  scenario: Scenario | undefined = service.start,
): WorldState {
  const { keys, records } = service.settings
  const start = new Clock()
  if (scenario?.clock !== undefined) start.moveTo(scenario.clock)
  const store = service.firstStore(scenario?.records ?? records, start.now()).then(forkStore)
  const state = assembleWorldState(service, listeners, store, keys)
  if (scenario) applyScenario(state, scenario)

  return state
}

/** Parts around a store and what is configured; nothing was counted, banned or forced yet. */
export function assembleWorldState(
  service: Service,
  listeners: Listeners,
  store: Promise<Store>,
  keys: KeysSnapshot,
  random: Random = new Random(service.settings.seed),
): WorldState {
  const { settings } = service
  const bans = new Bans(settings.ban)

  return {
    service,
    clock: new Clock(),
    keys: new Keys(keys),
    limits: new Limits(bans, settings.quota),
    gate: { bans, auth: settings.auth, realm: settings.contract.title },
    rules: new Rules(settings.seed),
    random,
    store,
    opened: resolvedValue(store),
    journal: new Journal(
      settings.journal,
      listeners,
      (row) => new RecordedExchange(row, service.crossOrigin),
      { name: 'pet-sandbox', version },
      settings.contract.operations,
    ),
    known: new KnownFacts(),
  }
}

/**
 * Returns what gives the promise's value once it has resolved. A rejection is left to those who await the promise: a sandbox
 * that nobody asks must not end the process.
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

/** Brings fresh parts to where a scenario starts. */
function applyScenario(
  { clock, keys, limits, gate, rules, service }: WorldState,
  scenario: Scenario,
): void {
  if (scenario.clock !== undefined) clock.moveTo(scenario.clock)
  if (scenario.frozen) clock.freeze()
  const now = clock.now()
  for (const [name, windows] of Object.entries(scenario.plans ?? {})) keys.setPlan(name, windows)
  for (const [key, requests] of Object.entries(scenario.spent ?? {})) {
    limits.spend(keys.known(key), now, requests)
  }
  for (const [key, duration] of Object.entries(scenario.banned ?? {})) {
    gate.bans.ban(keys.known(key), now + milliseconds(duration))
  }
  for (const { outcome, ...rule } of scenario.rules ?? []) {
    rules.add(outcome, rule, service.settings.contract, keys)
  }
}

import type { KeyInfo, Windows } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { ServiceTypes } from '../contract/contract.ts'
import type { RecordCollection } from '../resources/collection.ts'
import type { Outcome } from '../sandbox/outcomes.ts'
import type { ForcedOutcome, ForceRule } from '../sandbox/rules.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import type { ClientClock } from './clock.ts'
import type { ToldExchangeListener } from './follow.ts'
import type { ClientJournal } from './journal.ts'

/** How a sandbox is. */
export interface Health {
  readonly status: 'ready'
  /** Of the API. */
  readonly title: string
  /** Of the API. */
  readonly version: string
  /** The path of the API's base address. */
  readonly basePath: string
  /** The world that is steered. */
  readonly world: string
}

/**
 * A sandbox that runs elsewhere, steered as one in process is: what that has as a method has the same name here and gives a
 * promise, and what it has as a property is a method, too. What the sandbox refuses rejects with the UsageError that it would
 * throw; so does a sandbox that cannot be reached.
 */
export interface SandboxClient<Types extends ServiceTypes = ServiceTypes> {
  /** Of the world that is steered: `default` for the sandbox's own. */
  readonly name: string
  /** The time that windows, bans and deprecation go by. */
  readonly clock: ClientClock
  /** What was asked and answered. */
  readonly journal: ClientJournal
  /** Resolves once the first records are in. */
  ready(): Promise<void>
  /** Tells what is served, once the first records are in. */
  health(): Promise<Health>
  /** The plans there are, with what they allow. */
  plans(): Promise<readonly Plan[]>
  /** Changes what a plan allows, or adds one, which needs both windows. */
  setPlan(name: string, windows: Windows): Promise<void>
  /** The keys that are valid, with their plans. */
  keys(): Promise<readonly KeyInfo[]>
  /** Puts a key on a plan, or adds one. */
  setKey(key: string, plan: string): Promise<void>
  /** Makes a key invalid. */
  removeKey(key: string): Promise<void>
  /** Ends requests the given way from now on. */
  force(outcome: Outcome, rule?: ForceRule<Types['operation']>): Promise<ForcedOutcome>
  /** What is forced, in the order in which it was asked for. */
  forced(): Promise<readonly ForcedOutcome[]>
  /** Takes back what was forced: by its id, or all. */
  unforce(id?: number): Promise<void>
  /** The scenarios there are, and what each rehearses. */
  scenarios(): Promise<readonly { readonly name: string; readonly rehearses: string }[]>
  /** Starts anew as a scenario says. */
  play(scenario: string): Promise<void>
  /** The records of a collection, by the last word of its path. That there is no such one is told by what is done to it. */
  collection<Name extends keyof Types['collections'] & string>(
    name: Name,
  ): RecordCollection<Types['collections'][Name]>
  /** The names of the collections. */
  collections(): Promise<readonly string[]>
  /**
   * Calls `listener` with each exchange as it ends, until what this resolves with is called. A connection that breaks is
   * made anew, and what was missed is told then.
   */
  onExchange(listener: ToldExchangeListener): Promise<() => void>
  /** All that changes while it is used, but for the journal: plain JSON. */
  snapshot(): Promise<Snapshot>
  /** Goes back to a snapshot. */
  restore(snapshot: unknown): Promise<void>
  /** Puts everything back to how it started: records, counts, bans, rules, keys, clock and journal. */
  reset(): Promise<void>
  /** Steers the world of that name, made on first use, from the first records or in the present state of `from`. */
  world(name: string, options?: { readonly from?: string }): Promise<SandboxClient<Types>>
  /** The worlds of the sandbox. */
  readonly worlds: {
    /** The sandbox's own first, then from the one used least recently to the latest. */
    list(): Promise<readonly WorldInfo[]>
    /** Ends a world, with all that is in it; whether there was one. */
    delete(name: string): Promise<boolean>
  }
}

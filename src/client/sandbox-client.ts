import type { KeyInfo, QuotaWindows } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { NameOf, ServiceTypes } from '../contract/contract.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import type { ForcedOutcome } from '../forcing/rules.ts'
import type { ScenarioInfo } from '../forcing/scenario.ts'
import type { Report } from '../report/report.ts'
import type { RecordCollection } from '../resources/record-collection.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import type { WorldReportOptions } from '../sandbox/world.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import type { ClientClock } from './clock.ts'
import type { ExchangeSummaryListener } from './follow.ts'
import type { ClientJournal } from './journal.ts'

/** What a sandbox serves, once it is ready. */
export interface Health {
  readonly status: 'ready'
  /** The API's title. */
  readonly title: string
  /** The API's version. */
  readonly version: string
  /** The path of the API's base address. */
  readonly basePath: string
  /** The world that is steered. */
  readonly world: string
}

/**
 * A sandbox that runs elsewhere, steered like one in process: its methods have the same names here and return promises, and
 * its properties are methods, too. What the sandbox refuses rejects with the UsageError that it would throw there; a sandbox
 * that cannot be reached rejects with one, too.
 */
export interface SandboxClient<Types extends ServiceTypes = ServiceTypes> {
  /** The name of the world that is steered; `default` for the sandbox's own. */
  readonly name: string
  /** The time that windows, bans and deprecation go by. */
  readonly clock: ClientClock<Types>
  /** What was asked and answered. */
  readonly journal: ClientJournal
  /** Resolves once the first records are in. */
  ready(): Promise<void>
  /** Tells what is served, once the first records are in. */
  health(): Promise<Health>
  /** The plans there are, with what they allow. */
  plans(): Promise<readonly Plan[]>
  /** Changes what a plan allows, or adds one, which needs both windows. */
  setPlan(name: NameOf<Types, 'plan'>, windows: QuotaWindows): Promise<void>
  /** The keys that are valid, with their plans. */
  keys(): Promise<readonly KeyInfo[]>
  /** Puts a key on a plan, or adds one. */
  setKey(key: NameOf<Types, 'key'>, plan: NameOf<Types, 'plan'>): Promise<void>
  /** Makes a key invalid, and forgets its requests and bans. */
  removeKey(key: NameOf<Types, 'key'>): Promise<void>
  /** Forces an outcome on requests from now on. */
  force(
    outcome: Outcome,
    rule?: ForceRule<Types['operation'], NameOf<Types, 'key'>>,
  ): Promise<ForcedOutcome>
  /** The rules in force, in the order in which they apply. */
  forced(): Promise<readonly ForcedOutcome[]>
  /** Takes back a rule by its id, or all of them. */
  unforce(id?: number): Promise<void>
  /** The scenarios, with what each is for. */
  scenarios(): Promise<readonly ScenarioInfo[]>
  /** Starts anew as a scenario says. Resolves once its records are in. */
  play(scenario: NameOf<Types, 'scenario'>): Promise<void>
  /** The records of a collection, by the last word of its path. For an unknown one, its methods reject with a UsageError. */
  collection<Name extends keyof Types['collections'] & string>(
    name: Name,
  ): RecordCollection<Types['collections'][Name]>
  /** The names of the collections. */
  collections(): Promise<readonly string[]>
  /**
   * Calls `listener` with each exchange as it ends, and resolves with what stops that. A connection that breaks is made
   * anew, and what was missed comes then.
   */
  onExchange(listener: ExchangeSummaryListener): Promise<() => void>
  /**
   * How the client of the API behaved, as far as the journal goes: what it did wrong and by which clause, how much of the
   * contract it used and, with `plans: true`, which plan its traffic needs.
   */
  report(options?: WorldReportOptions): Promise<Report>
  /** All that changes while it is used, but for the journal, as plain JSON. */
  snapshot(): Promise<Snapshot>
  /** Goes back to a snapshot. Rejects with a UsageError for what is no snapshot of this contract. */
  restore(snapshot: unknown): Promise<void>
  /** Puts everything back to how it started: records, counts, bans, rules, keys, clock and journal. */
  reset(): Promise<void>
  /**
   * A client of the world of that name, which is made on first use, from the first records or in the present state of
   * `from`.
   */
  world(name: string, options?: { readonly from?: string }): Promise<SandboxClient<Types>>
  /** The worlds of the sandbox. */
  readonly worlds: {
    /** The sandbox's own first, then from the one used least recently to the latest. */
    list(): Promise<readonly WorldInfo[]>
    /** The names of the last hundred worlds that were dropped for newer ones. */
    dropped(): Promise<readonly string[]>
    /** Deletes a world with all that is in it, and tells whether there was one. */
    delete(name: string): Promise<boolean>
  }
}

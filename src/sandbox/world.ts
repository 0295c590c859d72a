import type { KeyInfo, QuotaWindows } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract } from '../contract/contract.ts'
import type { NameOf, ScenarioOf, ServiceTypes } from '../contract/service-types.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import type { ForcedOutcome } from '../forcing/rules.ts'
import type { ScenarioInfo } from '../forcing/scenario.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { ExchangeListener } from '../journal/exchange.ts'
import type { Report, ReportOptions } from '../report/report.ts'
import type { RecordCollection } from '../resources/record-collection.ts'
import type { Snapshot } from './snapshot.ts'
import type { WorldClock } from './world-clock.ts'
import type { WorldJournal } from './world-journal.ts'

/**
 * The service with a state of its own, and everything that a test needs to control it: records, usage, bans, rules, clock and
 * journal. `Types` are the contract's names and records, as far as the compiler knows them.
 * `NewScenario` are the names of the scenarios that the options add.
 */
export interface World<
  Types extends ServiceTypes = ServiceTypes,
  NewScenario extends string = never,
> {
  /** The name of the world; `default` for the sandbox's own. */
  readonly name: string
  /** The contract of the service that it stands in for. */
  readonly contract: Contract<Types>
  /** Resolves when the first records exist. Rejects with a UsageError when they cannot be generated. */
  readonly ready: Promise<void>
  /** The time for quota windows, bans and deprecation. */
  readonly clock: WorldClock<Types>
  /** The requests and their responses. */
  readonly journal: WorldJournal
  /**
   * Answers a web request: a Fetch handler for any runtime. A URL outside the contract's base path gets a 404. Rejects with the
   * reason of the request's signal as soon as that is aborted. A request that is already aborted changes nothing and is not in
   * the journal. A request that is aborted before its body is read changes no record, and the journal has it with status 0.
   * For a request that is aborted later, the journal has the response that it would have received.
   */
  fetch(request: Request): Promise<Response>
  /** Answers a request of the core, on which `fetch` is built: for transports without web requests. */
  answer(request: CoreRequest): Promise<CoreResponse>
  /** The plans, with the requests that they allow. */
  readonly plans: readonly Plan[]
  /**
   * Changes what a plan allows, or adds a plan; usage is kept. Throws a UsageError for a new plan without both windows, and for
   * windows that are not integers ≥ 1.
   */
  setPlan(name: NameOf<Types, 'plan'>, windows: QuotaWindows): void
  /** The valid keys, with their plans. */
  readonly keys: readonly KeyInfo[]
  /** Assigns a key to a plan, or adds a key. Throws a UsageError for an unknown plan, and for a text that cannot be a key. */
  setKey(key: NameOf<Types, 'key'>, plan: NameOf<Types, 'plan'>): void
  /** Makes a key invalid, and clears its usage and bans. Throws a UsageError for an unknown key. */
  removeKey(key: NameOf<Types, 'key'>): void
  /**
   * Forces an outcome on requests from now on: on all requests, or on those that match the rule. Throws a UsageError for an
   * unknown outcome, and for an invalid rule.
   */
  force(outcome: Outcome, rule?: ForceRule<Types['operation'], NameOf<Types, 'key'>>): ForcedOutcome
  /** The rules in force, in the order in which they apply. A rule is removed after it was forced `times` times. */
  forced(): readonly ForcedOutcome[]
  /** Removes the rule with this id, or all rules. Throws a UsageError for an unknown id. */
  unforce(id?: number): void
  /** The scenarios, with what each is for. */
  readonly scenarios: readonly ScenarioInfo[]
  /**
   * Resets the world to the start of a scenario, at once; requests wait for its records. Resolves when those exist. Rejects
   * with a UsageError for an unknown scenario, and for invalid records: then the world is not changed.
   */
  play(scenario: ScenarioOf<Types> | NewScenario): Promise<void>
  /**
   * The records of the collection at a path, such as `/orgs/acme/repos`. A collection below records has no other name. Throws a
   * UsageError for an unknown collection.
   */
  collection(path: `/${string}`): RecordCollection
  /** The records of a collection. Its name is the last segment of its path. Throws a UsageError for an unknown collection. */
  collection<Name extends keyof Types['collections'] & string>(
    name: Name,
  ): RecordCollection<Types['collections'][Name]>
  /** The names of the collections. Of those below records, their paths with the names of the parameters: `orgs/{org}/repos`. */
  readonly collections: readonly string[]
  /**
   * Calls `listener` with each exchange when it ends, also after the world was dropped and created again, but not with an
   * exchange that was under way at a reset. Returns a function that removes the listener.
   */
  onExchange(listener: ExchangeListener): () => void
  /**
   * Reports how the client behaved, by the exchanges in the journal: its violations with the clauses that they violate, the
   * part of the contract that it used and, with `plans: true`, the plan that its traffic needs. Rejects with a UsageError for
   * invalid options.
   */
  report(options?: WorldReportOptions): Promise<Report>
  /** The state of the world without the journal, as plain JSON. */
  snapshot(): Promise<Snapshot>
  /**
   * Restores a snapshot, unless the world is reset before this resolves. The journal stays. Rejects with a UsageError for
   * anything but a snapshot of this contract: then nothing is changed.
   */
  restore(snapshot: unknown): Promise<void>
  /** Restores the start: records, usage, bans, rules, keys, clock and journal. */
  reset(): void
}

/** What a world's report checks, and what makes it fail. */
export interface WorldReportOptions extends Omit<ReportOptions, 'plans' | 'ban'> {
  /** Whether the traffic is replayed on each of the world's plans. By default, `false`. */
  readonly plans?: boolean
}

import type { KeyInfo, QuotaWindows } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract, NameOf, ServiceTypes } from '../contract/contract.ts'
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
 * The service with a state of its own, and everything a test needs to steer it: records, counts, bans, rules, clock and
 * journal. `Types` are the contract's names and records, as far as the compiler knows them.
 */
export interface World<Types extends ServiceTypes = ServiceTypes> {
  /** Its name; `default` for the sandbox's own world. */
  readonly name: string
  /** The service it stands in for. */
  readonly contract: Contract<Types>
  /** Resolves once the first records are in; rejects with a UsageError when the contract's hints make none. */
  readonly ready: Promise<void>
  /** The time that windows, bans and deprecation go by. */
  readonly clock: WorldClock<Types>
  /** What was asked and answered. */
  readonly journal: WorldJournal
  /**
   * Answers a web request: a Fetch handler for any runtime. Addresses outside the contract's base path get a 404. Rejects with
   * the reason of the request's signal as soon as that is aborted. A request that was aborted before does nothing, and the
   * journal does not have it. One that is aborted before its body was read changes no record; the journal has it with status
   * 0, as of a client that left. Later, the journal has it with the answer that it would have got.
   */
  fetch(request: Request): Promise<Response>
  /** The core below `fetch`, for transports that have no web requests. */
  answer(request: CoreRequest): Promise<CoreResponse>
  /** The plans there are, with what they allow. */
  readonly plans: readonly Plan[]
  /**
   * Changes what a plan allows, or adds one; what was counted stays. Throws a UsageError for a new plan without both
   * windows, and for windows that are no whole numbers from 1 up.
   */
  setPlan(name: NameOf<Types, 'plan'>, windows: QuotaWindows): void
  /** The keys that are valid, with their plans. */
  readonly keys: readonly KeyInfo[]
  /** Puts a key on a plan, or adds one. Throws a UsageError for an unknown plan, and for a text that can be no key. */
  setKey(key: NameOf<Types, 'key'>, plan: NameOf<Types, 'plan'>): void
  /** Makes a key invalid, and forgets its requests and bans. Throws a UsageError for one that is not valid. */
  removeKey(key: NameOf<Types, 'key'>): void
  /**
   * Forces an outcome on requests from now on. Throws a UsageError for an unknown outcome, and for a rule that is not
   * valid.
   */
  force(outcome: Outcome, rule?: ForceRule<Types['operation'], NameOf<Types, 'key'>>): ForcedOutcome
  /** The rules in force, in the order in which they apply. One that was forced its `times` is gone. */
  forced(): readonly ForcedOutcome[]
  /** Takes back a rule by its id, or all of them. Throws a UsageError for an unknown id. */
  unforce(id?: number): void
  /** The scenarios, with what each is for. */
  readonly scenarios: readonly ScenarioInfo[]
  /**
   * Starts anew as a scenario says: at once, though requests wait for its records. Resolves once those are in. Rejects with
   * a UsageError for an unknown scenario, and for records that the contract refuses: then the world is as it was before.
   */
  play(scenario: NameOf<Types, 'scenario'>): Promise<void>
  /** The records of a collection, by the last word of its path. Throws a UsageError for an unknown one. */
  collection<Name extends keyof Types['collections'] & string>(
    name: Name,
  ): RecordCollection<Types['collections'][Name]>
  /** The names of the collections. */
  readonly collections: readonly string[]
  /**
   * Calls `listener` with each exchange as it ends, also after the world was dropped and made anew; not with one that was
   * under way at a reset. Returns what stops that.
   */
  onExchange(listener: ExchangeListener): () => void
  /**
   * How the client behaved, as far as the journal goes: what it did wrong and by which clause, how much of the contract it
   * used and, with `plans: true`, which plan its traffic needs. Rejects with a UsageError for options that are wrong.
   */
  report(options?: WorldReportOptions): Promise<Report>
  /** All that changes while it is used, but for the journal, as plain JSON. */
  snapshot(): Promise<Snapshot>
  /**
   * Goes back to a snapshot, unless the world is reset before this resolves. Rejects with a UsageError for what is no
   * snapshot of this contract: then nothing has changed.
   */
  restore(snapshot: unknown): Promise<void>
  /** Puts everything back to how it started: records, counts, bans, rules, keys, clock and journal. */
  reset(): void
}

/** What a world's report looks for, and what makes it fail. */
export interface WorldReportOptions extends Omit<ReportOptions, 'plans' | 'ban'> {
  /** Whether the traffic is replayed on each of the world's plans. */
  readonly plans?: boolean
}

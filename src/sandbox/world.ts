import type { KeyInfo, Windows } from '../access/keys.ts'
import type { Plan } from '../access/plan.ts'
import type { Contract, ServiceTypes } from '../contract/contract.ts'
import type { ExchangeListener } from '../exchange.ts'
import type { Ask, Reply } from '../message.ts'
import type { Problem } from '../problem.ts'
import type { Report, ReportOptions } from '../report/report.ts'
import type { RecordCollection } from '../resources/collection.ts'
import type { Outcome } from './outcomes.ts'
import type { ForcedOutcome, ForceRule } from './rules.ts'
import type { Snapshot } from './snapshot.ts'
import type { WorldClock } from './world-clock.ts'
import type { WorldJournal } from './world-journal.ts'

/**
 * The service in one state, with everything a test needs to steer it: records, counts, bans, rules, clock and journal of its
 * own. `Types` are the names and records that the compiler knows; any, where it knows none.
 */
export interface World<Types extends ServiceTypes = ServiceTypes> {
  /** `default` for the sandbox's own. */
  readonly name: string
  /** The service it stands in for. */
  readonly contract: Contract<Types>
  /** Resolves once the first records are in; rejects with a UsageError when the contract's hints make none. */
  readonly ready: Promise<void>
  /** The time that windows, bans and deprecation go by. */
  readonly clock: WorldClock
  /** What was asked and answered. */
  readonly journal: WorldJournal
  /** Answers a web request: a Fetch handler for any runtime. Addresses outside the contract's base path get a 404. */
  fetch(request: Request): Promise<Response>
  /** The core below `fetch`, for transports that have no web requests. */
  answer(ask: Ask): Promise<Reply>
  /** Where a path leads, for transports; `undefined` for one outside the base path. */
  at(pathname: string): Place | undefined
  /** What a transport answers to an address outside the base path: a 404 that tells where the API is. */
  elsewhere(origin: string, pathname: string): Reply
  /** What a transport answers when it could not read a request, or failed at it: the problem, with the usual headers. */
  refuseUnread(problem: Problem): Reply
  /** The plans there are, with what they allow. */
  readonly plans: readonly Plan[]
  /** Changes what a plan allows, or adds one, which needs both windows. What was counted stays. Throws a UsageError. */
  setPlan(name: string, windows: Windows): void
  /** The keys that are valid, with their plans. */
  readonly keys: readonly KeyInfo[]
  /** Puts a key on a plan, or adds one. Throws a UsageError for an unknown plan, and for what can be no key. */
  setKey(key: string, plan: string): void
  /** Makes a key invalid, and forgets its requests and bans. Throws a UsageError when it is not valid anyway. */
  removeKey(key: string): void
  /** Ends requests the given way from now on. Throws a UsageError for what the contract or the rule cannot be. */
  force(outcome: Outcome, rule?: ForceRule<Types['operation']>): ForcedOutcome
  /** What is forced, in the order in which it was asked for; what was forced as often as it was to be is gone. */
  forced(): readonly ForcedOutcome[]
  /** Takes back what was forced: by its id, or all. Throws a UsageError for an unknown id. */
  unforce(id?: number): void
  /** The scenarios there are, and what each rehearses. */
  readonly scenarios: readonly { readonly name: string; readonly rehearses: string }[]
  /**
   * Starts anew as a scenario says, at once: requests wait for its records. Resolves once those are in. Rejects with a
   * UsageError for an unknown scenario, and for records that the contract refuses; the world then is as it was before.
   */
  play(scenario: string): Promise<void>
  /** The records of a collection, by the last word of its path. Throws a UsageError for one there is not. */
  collection<Name extends keyof Types['collections'] & string>(
    name: Name,
  ): RecordCollection<Types['collections'][Name]>
  /** The names of the collections. */
  readonly collections: readonly string[]
  /**
   * Calls `listener` with each exchange as it ends, also when the world is dropped meanwhile and made anew; returns what stops
   * that. What is still under way at a reset is not told any more.
   */
  onExchange(listener: ExchangeListener): () => void
  /**
   * How the client behaved, as far as the journal goes: what it did wrong by which clause, what of the contract it met, and
   * with `plans: true` which plan its traffic needs. Rejects with a UsageError for options that are wrong.
   */
  report(options?: WorldReportOptions): Promise<Report>
  /** All that changes while it is used, but for the journal: plain JSON. */
  snapshot(): Promise<Snapshot>
  /**
   * Goes back to a snapshot, once it resolves; where the world was reset meanwhile, that holds. Rejects with a UsageError for
   * what is none, and changes nothing then.
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

/** Where a path leads. */
export interface Place {
  /** The part of the path that is the base address's, as `/v1` or `/worlds/one/v1`. */
  readonly basePath: string
  /** The rest, still percent-encoded, as `/books/7`. */
  readonly path: string
  /** Answers there. */
  answer(ask: Ask): Promise<Reply>
}

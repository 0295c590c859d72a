import type { Plan } from '../access/callers.ts'
import type { GivenKey, KeyInfo, QuotaWindows } from '../access/keys.ts'
import type { Contract, NameOf, ScenarioOf, ServiceTypes } from '../contract/contract.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { Delivery } from '../events/delivery.ts'
import { withDeliveries } from '../events/delivery-har.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import type { ForcedOutcome } from '../forcing/rules.ts'
import type { ScenarioInfo } from '../forcing/scenario.ts'
import type { Handlers } from '../handlers/define-handlers.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Exchange, ExchangeListener } from '../journal/exchange.ts'
import { type ExchangeQuery, isEverything } from '../journal/exchange-query.ts'
import type { Har } from '../journal/har.ts'
import type { Journal } from '../journal/journal.ts'
import type { Report, ReportOptions } from '../report/report.ts'
import type { RecordCollection } from '../resources/behaviour/record-collection.ts'
import type { SandboxSignIn } from '../sign-in/steer.ts'
import type { Clock, Instant } from '../time/clock.ts'
import type { Duration } from '../time/duration.ts'
import { isObject } from '../validation/objects.ts'
import { suggest, UsageError } from '../validation/usage-error.ts'
import type { SandboxEvents } from './events.ts'
import type { Snapshot } from './snapshot.ts'

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
  /**
   * Assigns a key to a plan and, with `{ plan, user }`, to the record that is its user; or adds a key. Throws a UsageError for an unknown
   * plan, and for a text that cannot be a key.
   */
  setKey(key: NameOf<Types, 'key'>, given: GivenKey<NameOf<Types, 'plan'>>): void
  /** Makes a key invalid, and clears its usage and bans. Throws a UsageError for an unknown key. */
  removeKey(key: NameOf<Types, 'key'>): void
  /**
   * Forces an outcome, or any answer such as `{ operation: 'createBook', status: 409 }`, on requests from now on: on all requests, or
   * on those that match the rule. Throws a UsageError for an unknown outcome, and for an invalid rule. What the document says otherwise
   * is in the `warnings` of the result.
   */
  force(
    answer: Outcome | ForceRule<Types['operation'], NameOf<Types, 'key'>>,
    rule?: ForceRule<Types['operation'], NameOf<Types, 'key'>>,
  ): ForcedOutcome
  /** The rules in force, in the order in which they apply. A rule is removed after it was forced `times` times. */
  forced(): readonly ForcedOutcome[]
  /** Removes the rule with this id, or all rules. Throws a UsageError for an unknown id. */
  unforce(id?: number): void
  /** What happened, as webhooks and callbacks tell it, and who got it. */
  readonly events: SandboxEvents
  /** Users and their tokens, where the document has OAuth 2, OpenID Connect or login operations. */
  readonly signIn: SandboxSignIn
  /**
   * Puts handlers in front of those of the sandbox, until the returned function is called or the world is reset. Throws a UsageError for
   * an operation that the document does not have.
   */
  use(handlers: Handlers): () => void
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

/** The latest exchanges of a world, up to the journal's size. A reset clears it, a restored snapshot does not. */
export class WorldJournal {
  readonly #journal: () => Omit<Journal<unknown>, 'add' | 'continued'>
  readonly #deliveries: () => readonly Delivery[]

  constructor(
    journal: () => Omit<Journal<unknown>, 'add' | 'continued'>,
    deliveries: () => readonly Delivery[],
  ) {
    this.#journal = journal
    this.#deliveries = deliveries
  }

  /** Oldest first. */
  get exchanges(): readonly Exchange[] {
    return this.#journal().exchanges
  }

  /** The id of the latest exchange; 0 before the first. */
  get last(): number {
    return this.#journal().last
  }

  /** How many exchanges were dropped for later ones: all with an id up to this number. */
  get dropped(): number {
    return this.#journal().dropped
  }

  /**
   * The matching exchanges, oldest first, without dropped ones. Throws a UsageError for an unknown field, an unknown operation
   * and an invalid value.
   *
   * @example
   * sandbox.journal.find({ operation: 'createBook', status: '4xx' })
   */
  find(query?: ExchangeQuery): readonly Exchange[] {
    return this.#journal().find(query)
  }

  /**
   * The first matching exchange, an existing or a future one. The wait continues after a reset, and ignores exchanges that were
   * under way at that time. Rejects after `timeout`, by default 5 seconds of real time, with an error that lists the latest
   * exchanges.
   *
   * @example
   * await sandbox.journal.waitFor({ operation: 'createBook', after: sandbox.journal.last })
   */
  waitFor(
    query?: Omit<ExchangeQuery, 'limit' | 'from'>,
    options?: { readonly timeout?: Duration },
  ): Promise<Exchange> {
    return this.#journal().waitFor(query, options)
  }

  /**
   * The matching exchanges as an HTTP archive (HAR 1.2) for a browser's developer tools. Rejects with a UsageError for a query
   * that `find` rejects. It also has what was sent to receivers of events; by default, not with a query.
   */
  async toHar(query: ExchangeQuery & { readonly deliveries?: boolean } = {}): Promise<Har> {
    // It rejects what is no query.
    if (!isObject(query)) return this.#journal().toHar(query)
    const { deliveries = isEverything(query), ...exchanges } = query
    const har = await this.#journal().toHar(exchanges)
    const sent = deliveries ? this.#deliveries() : []
    if (sent.length === 0) return har
    return withDeliveries(har, sent)
  }
}

/**
 * The time of a world, which is used for quota windows, bans, `Retry-After`, deprecation, the journal and the `Date` header. Until
 * it is moved or frozen, it runs with the machine's clock, fake timers included. When it is moved back, quota windows start anew:
 * the usage of a window is lost when a request comes in another one. A ban ends at its time, wherever the clock was meanwhile.
 */
export class WorldClock<Types extends ServiceTypes = ServiceTypes> {
  readonly #stateOf: () => WorldState

  constructor(stateOf: () => WorldState) {
    this.#stateOf = stateOf
  }

  /** Whether the time is frozen. */
  get isFrozen(): boolean {
    return this.#clock.isFrozen
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.#clock.now()
  }

  /**
   * Moves the time forward, or back when the duration is negative. Throws a UsageError for an invalid duration, and for one that
   * leaves the years 1970 to 9999.
   */
  advance(duration: Duration): void {
    this.#clock.advance(duration)
    this.#moved()
  }

  /**
   * Moves the time to `instant`, forward or back, and freezes it, so that no seconds pass during a test. Throws a UsageError for
   * an invalid instant, and for one that is not between 1970 and 9999.
   */
  set(instant: Instant): void {
    this.#clock.set(instant)
    this.#moved()
  }

  /** Freezes the time. */
  freeze(): void {
    this.#clock.freeze()
    this.#moved()
  }

  /** Lets the time run from where it is. */
  resume(): void {
    this.#clock.resume()
    this.#moved()
  }

  /**
   * Moves the time to the end of the quota window, as the key's `X-RateLimit-Reset` says. Throws a UsageError for an unknown
   * key, and in a sandbox without plans.
   */
  advanceToReset(key: NameOf<Types, 'key'>): void {
    const { keys, limits } = this.#stateOf()
    const quota = limits.count(keys.callerOf(key), this.now(), 0)
    if (!quota) {
      throw new UsageError({
        code: 'no_quota',
        task: `move the clock to the end of the quota windows of "${key}"`,
        reason: 'the sandbox has no plans, so there is no quota',
        help: 'Add a plan, such as free=60/1000.',
      })
    }
    this.#clock.moveTo(quota.reset)
    this.#moved()
  }

  /** Moves the time to the end of the key's ban. Throws a UsageError for an unknown key, and for a key that is not banned. */
  advanceToBanEnd(key: NameOf<Types, 'key'>): void {
    const { keys, bans } = this.#stateOf()
    const until = bans.until(keys.callerOf(key), this.now())
    if (until === undefined) {
      throw new UsageError({
        code: 'not_banned',
        task: `move the clock to the end of the ban of "${key}"`,
        reason: 'this API key is not banned',
        help: 'A key is banned after repeated requests that do not wait for Retry-After.',
      })
    }
    this.#clock.moveTo(until)
    this.#moved()
  }

  /** Moves the time to the removal of a deprecated operation. Throws a UsageError for an operation that is never removed. */
  advanceToRemoval(operation: Types['operation']): void {
    const { operations } = this.#stateOf().service.settings.contract
    const sunset = operations.find(({ id }) => id === operation)?.deprecation?.sunset
    if (sunset === undefined) {
      const ending = operations.filter(({ deprecation }) => deprecation?.sunset !== undefined)
      const suggestion = suggest(
        operation,
        ending.map(({ id }) => id),
      )
      throw new UsageError({
        code: 'no_removal',
        task: `move the clock to the removal of "${operation}"`,
        reason: 'no operation of this name has a Sunset date',
        ...suggestion,
      })
    }
    this.#clock.moveTo(Math.max(sunset, this.now()))
    this.#moved()
  }

  /** What has become due is sent. */
  #moved(): void {
    this.#stateOf().events.start()
  }

  get #clock(): Clock {
    return this.#stateOf().clock
  }
}

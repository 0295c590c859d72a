import type { Plan } from '../access/callers.ts'
import type { GivenKey, KeyInfo, QuotaWindows } from '../access/keys.ts'
import type { NameOf, ServiceTypes } from '../contract/contract.ts'
import type {
  CollectionCount,
  CollectionDetails,
  CollectionName,
  Health,
  ShownDelivery,
  ShownSubscription,
  ShownUser,
} from '../control/outputs.ts'
import type { DeliveryState, SentEvent, Settled } from '../events/delivery.ts'
import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import type { ForcedOutcome } from '../forcing/rules.ts'
import type { ScenarioInfo } from '../forcing/scenario.ts'
import type { InputError } from '../http/problem.ts'
import type { Exchange } from '../journal/exchange.ts'
import type { ExchangeQuery } from '../journal/exchange-query.ts'
import type { Har } from '../journal/har.ts'
import type { Report } from '../report/report.ts'
import type { RecordCollection } from '../resources/behaviour/record-collection.ts'
import type { Account, RemainingRequests } from '../sandbox/accounts.ts'
import type { CheckedRequest } from '../sandbox/check-request.ts'
import type { ResendOptions } from '../sandbox/events.ts'
import type {
  ListedOperation,
  NamedOperation,
  OperationDetails,
} from '../sandbox/operation-details.ts'
import type { OperationRequest } from '../sandbox/sample-request.ts'
import type { Snapshot } from '../sandbox/snapshot.ts'
import type { WorldReportOptions } from '../sandbox/world.ts'
import type { WorldInfo } from '../sandbox/worlds.ts'
import type { TokenResponse } from '../sign-in/issue-tokens.ts'
import type { SignInInfo, TokenInfo, TokenRequestOptions } from '../sign-in/steer.ts'
import type { Instant } from '../time/clock.ts'
import type { Duration } from '../time/duration.ts'
import type { ExchangeSummaryListener } from './follow.ts'
import type { Deliver, Receiving } from './receive.ts'

/**
 * The clock of a world in another process, like `WorldClock`. A clock that moves back starts new windows, because the count of
 * a window is dropped when requests come in another one. A ban ends at its fixed time, even when the clock moves meanwhile.
 * Every method rejects with a UsageError when it fails.
 */
export interface ClientClock<Types extends ServiceTypes = ServiceTypes> {
  /** Whether the clock is stopped. */
  isFrozen(): Promise<boolean>
  /** The time in epoch milliseconds. */
  now(): Promise<number>
  /** Moves the clock forward, or back when the duration is negative. */
  advance(duration: Duration): Promise<void>
  /** Moves the clock to `instant`, forward or back, and stops it there. */
  set(instant: Instant): Promise<void>
  /** Stops the clock at the current time. */
  freeze(): Promise<void>
  /** Starts the clock again at its current time. */
  resume(): Promise<void>
  /** Moves the clock to the end of the window that the key's `X-RateLimit-Reset` names. */
  advanceToReset(key: NameOf<Types, 'key'>): Promise<void>
  /** Moves the clock to the end of the key's ban. */
  advanceToBanEnd(key: NameOf<Types, 'key'>): Promise<void>
  /** Moves the clock to the removal of a deprecated operation. */
  advanceToRemoval(operation: Types['operation']): Promise<void>
}

/** The sign-in of a world, as in the sandbox. */
export interface ClientSignIn {
  /** The endpoints, the scopes and the known clients. */
  info(): Promise<SignInInfo>
  /** Those who can sign in, at most ten. */
  users(): Promise<readonly ShownUser[]>
  /** The tokens that were issued, the latest first, without their texts. */
  tokens(query?: {
    readonly user?: string
    readonly state?: TokenInfo['state']
  }): Promise<readonly TokenInfo[]>
  /** Issues tokens for a user, by its id, e-mail address, user name or name; by default for the first one. */
  as(user?: string, options?: Omit<TokenRequestOptions, 'issuer'>): Promise<TokenResponse>
  /** Revokes what a user allowed a client, by the `grant` of `tokens()`. Resolves with whether there was one. */
  revoke(grant: string): Promise<boolean>
}

/** The events of a world, as in the sandbox. `events.onEvent` and the secret are in the process of the sandbox only. */
export interface ClientEvents {
  /** All deliveries that are pending, and the latest 1,000 others, in the order of their causes. */
  deliveries(query?: {
    readonly type?: string
    readonly state?: DeliveryState
  }): Promise<readonly ShownDelivery[]>
  /** Sends an event to those who ask for it. Rejects with a UsageError for a name that no event has. */
  emit(type: string, data?: unknown): Promise<SentEvent>
  /** Sends an event about a record that is made for it: as an action leaves it that the name tells, such as `order.cancelled`. */
  trigger(type: string): Promise<SentEvent>
  /**
   * Receives every event, without a subscription: `deliver` sends each to the receiver at `url`, by default with `fetch`, and the sandbox learns
   * what that has answered. It goes on after a reset and a broken connection, until `stop` is called.
   *
   * @example
   * const { secret, stop } = await client.events.receive('http://127.0.0.1:3000/hooks')
   */
  receive(url: string, deliver?: Deliver): Promise<Receiving>
  /** The next event with this name that happens after the request has arrived. Rejects after `timeout`, by default 5 seconds. */
  next(type?: string, options?: { readonly timeout?: Duration }): Promise<SentEvent>
  /** Resolves when everything was sent that is due on the sandbox's clock, at the latest after 30 seconds. */
  settled(): Promise<Settled>
  /** Sends a delivery once more, as a new one, as it was or with a fault. */
  resend(id: number, options?: ResendOptions): Promise<ShownDelivery>
  /** The subscriptions, with what each asks for. */
  subscriptions(): Promise<readonly ShownSubscription[]>
}

/** The journal of a world in another process, like `WorldJournal`. */
export interface ClientJournal {
  /** All recorded exchanges, oldest first. */
  exchanges(): Promise<readonly Exchange[]>
  /** The id of the latest exchange; 0 before the first. */
  last(): Promise<number>
  /** The number of dropped exchanges. It is also the id of the last dropped exchange. */
  dropped(): Promise<number>
  /** The exchange with this id; `undefined` when it is not in the journal. */
  get(id: number): Promise<Exchange | undefined>
  /** The exchanges that match, oldest first. Rejects with a UsageError for an invalid query. */
  find(query?: ExchangeQuery): Promise<readonly Exchange[]>
  /**
   * Resolves with the first recorded exchange that matches the query, or waits for the next one. Rejects after `timeout`
   * (default: 5 seconds of real time) with an error that lists the latest exchanges.
   *
   * @example
   * await client.journal.waitFor({ operation: 'createBook', after: await client.journal.last() })
   */
  waitFor(
    query?: Omit<ExchangeQuery, 'limit' | 'from'>,
    options?: { readonly timeout?: Duration },
  ): Promise<Exchange>
  /**
   * The exchanges that match, as an HTTP archive (HAR 1.2) for the developer tools of browsers, with what was sent to receivers of events; by
   * default, not with a query.
   */
  toHar(query?: ExchangeQuery & { readonly deliveries?: boolean }): Promise<Har>
}

/**
 * A sandbox in another process, with the methods of a sandbox in process. All methods return promises, and properties are
 * methods, too. A method rejects with the UsageError that the sandbox throws in process, and with a UsageError when the sandbox
 * cannot be reached.
 */
export interface SandboxClient<Types extends ServiceTypes = ServiceTypes> {
  /** The name of the world that the client controls; `default` for the default world. */
  readonly name: string
  /** The clock for windows, bans and deprecations. */
  readonly clock: ClientClock<Types>
  /** The recorded exchanges. */
  readonly journal: ClientJournal
  /** What happened, as webhooks and callbacks tell it, and who got it. */
  readonly events: ClientEvents
  /** Users and their tokens, where the document has OAuth 2, OpenID Connect or login operations. */
  readonly signIn: ClientSignIn
  /** Resolves when the initial records are loaded. */
  ready(): Promise<void>
  /** Resolves with the served API when the initial records are loaded. */
  health(): Promise<Health>
  /** The operations without how they are answered and why, which is found out for seconds in a large document. */
  operations(options: { readonly behaviours: false }): Promise<readonly NamedOperation[]>
  /** How each operation of the API is answered and why; with `diagnostics: true`, with the number of the document's mistakes. */
  operations(options?: {
    readonly diagnostics?: boolean
    readonly behaviours?: true
  }): Promise<readonly ListedOperation[]>
  /**
   * One operation, with its parameters, body, responses and the mistakes of the document in them, unless `diagnostics` is `false`; with
   * `texts: true`, with its descriptions as parts of CommonMark, too. Rejects with a UsageError for an unknown one.
   */
  operation(
    id: Types['operation'],
    options?: { readonly diagnostics?: boolean; readonly texts?: boolean },
  ): Promise<OperationDetails>
  /** A valid request for an operation, with the key given or the first one. */
  sampleRequest(
    id: Types['operation'],
    options?: { readonly key?: NameOf<Types, 'key'> },
  ): Promise<OperationRequest>
  /** What is wrong with a request for an operation, which is not sent. An empty list: it is valid. */
  checkRequest(id: Types['operation'], request: CheckedRequest): Promise<readonly InputError[]>
  /** The plans with their limits. */
  plans(): Promise<readonly Plan[]>
  /** Changes the limits of a plan, or adds a plan. A new plan needs both windows. */
  setPlan(name: NameOf<Types, 'plan'>, windows: QuotaWindows): Promise<void>
  /** The valid keys with their plans. */
  keys(): Promise<readonly KeyInfo[]>
  /** Assigns a plan to a key. Adds an unknown key. */
  setKey(key: NameOf<Types, 'key'>, given: GivenKey<NameOf<Types, 'plan'>>): Promise<void>
  /** Removes a key with its counts and bans. */
  removeKey(key: NameOf<Types, 'key'>): Promise<void>
  /** What requests are counted on, with quotas and bans: the keys, and the other callers that have sent requests. */
  accounts(): Promise<readonly Account[]>
  /** Sets how many requests an account may still send in the present minute and day. 0 spends a quota. */
  setRemaining(account: NameOf<Types, 'key'>, remaining: RemainingRequests): Promise<Account>
  /** Ends the ban of an account, if it has one. */
  liftBan(account: NameOf<Types, 'key'>): Promise<void>
  /** Forces an outcome, or any answer such as `{ operation: 'createBook', status: 409 }`, on later requests. */
  force(
    answer: Outcome | ForceRule<Types['operation'], NameOf<Types, 'key'>>,
    rule?: ForceRule<Types['operation'], NameOf<Types, 'key'>>,
  ): Promise<ForcedOutcome>
  /** The active rules, in the order in which they apply. */
  forced(): Promise<readonly ForcedOutcome[]>
  /** Removes a rule by its id, or all rules. */
  unforce(id?: number): Promise<void>
  /** The scenarios with their descriptions. */
  scenarios(): Promise<readonly ScenarioInfo[]>
  /** Resets the world to the state of a scenario. Resolves when its records are loaded. */
  play(scenario: NameOf<Types, 'scenario'>): Promise<void>
  /** The collection at a path, such as `/orgs/acme/repos`. A collection below records has no other name. */
  collection(path: `/${string}`): RecordCollection
  /** The collection with this name, the last segment of its path. Its methods reject with a UsageError for an unknown name. */
  collection<Name extends keyof Types['collections'] & string>(
    name: Name,
  ): RecordCollection<Types['collections'][Name]>
  /** The names of the collections. Of those below records, their paths with the names of the parameters: `orgs/{org}/repos`. */
  collections(): Promise<readonly string[]>
  /** The paths of the collections on the way to one, and its own: `zoos` and `zoos/{zooId}/animals` for `zoos/7/animals`. */
  collectionsTo(name: string): Promise<readonly string[]>
  /**
   * The collections that are found in so many milliseconds. Those without `count` were not counted in this time. Which collections a large
   * document has is found out for seconds.
   */
  collectionCounts(options: {
    readonly wait: number
  }): Promise<readonly (CollectionCount | CollectionName)[]>
  /** The collections with the number of their records. Those below records are grouped: `opened` has those that were used. */
  collectionCounts(): Promise<readonly CollectionCount[]>
  /**
   * What the records of a collection consist of, by its name or path, such as `/orgs/acme/repos`. With `links: true`, also which properties of
   * other collections contain ids of these records.
   */
  describeCollection(
    name: string,
    options?: { readonly links?: boolean },
  ): Promise<CollectionDetails>
  /**
   * Calls `listener` with each exchange when it ends. Resolves with a function that stops it. A broken connection is opened
   * again, and missed exchanges follow. With `after`, the recorded exchanges after this id come first; 0 for all of them.
   */
  onExchange(
    listener: ExchangeSummaryListener,
    options?: { readonly after?: number },
  ): Promise<() => void>
  /**
   * Reports how the client of the API behaved, from the exchanges in the journal: its violations with their clauses, its coverage
   * of the contract and, with `plans: true`, the plan that its traffic needs.
   */
  report(options?: WorldReportOptions): Promise<Report>
  /** The same report as a text: a page, or JUnit XML. */
  reportAs(format: 'html' | 'junit', options?: WorldReportOptions): Promise<string>
  /** The complete state except the journal, as plain JSON. */
  snapshot(): Promise<Snapshot>
  /** Restores a snapshot. Rejects with a UsageError for an invalid snapshot or one of another contract. */
  restore(snapshot: unknown): Promise<void>
  /** Restores the initial state: records, counts, bans, rules, keys, clock and journal. */
  reset(): Promise<void>
  /**
   * Resolves with a client of the world with this name. The world is created on first use, from the initial records or from
   * the current state of the world `from`.
   */
  world(name: string, options?: { readonly from?: string }): Promise<SandboxClient<Types>>
  /** The worlds of the sandbox. */
  readonly worlds: {
    /** The default world first, then the others from the least to the most recently used. */
    list(): Promise<readonly WorldInfo[]>
    /** The names of the last 100 worlds that were dropped for newer worlds. */
    dropped(): Promise<readonly string[]>
    /** Deletes a world with its state. Resolves with `false` when it is unknown. */
    delete(name: string): Promise<boolean>
  }
}

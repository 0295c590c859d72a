import { Bans } from '../access/ban.ts'
import { type Caller, identify, isMetered } from '../access/callers.ts'
import type { Keys } from '../access/keys.ts'
import { Limits } from '../access/limits.ts'
import { endpointOperation, type Match } from '../contract/router.ts'
import { answer } from '../engine/answer.ts'
import { isAdmittedTo } from '../engine/caller.ts'
import { isImplicitOptions } from '../engine/preflight.ts'
import type { Service } from '../engine/service.ts'
import type { WorldState } from '../engine/world-state.ts'
import type { Follower } from '../events/world-events.ts'
import { answersOf, type ForceRule, leavesAnswer } from '../forcing/force-rule.ts'
import { type ForcibleRequest, mayMatch, Rules } from '../forcing/rules.ts'
import { Random } from '../generate/random.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import { Problem } from '../http/problem.ts'
import { type ExchangeFacts, FactsCache } from '../journal/exchange-facts.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Store } from '../resources/store/store.ts'
import { Clock } from '../time/clock.ts'
import { spanOf } from '../time/duration.ts'
import { areEqual, once } from '../validation/objects.ts'
import type { PreparedConfiguration, PreparedRule } from './configuration.ts'
import type { HeldReceiver } from './held-receivers.ts'
import { countsOf } from './state-changes.ts'
import { type EventTurns, StoredEvents, streamChangesOf } from './stored-events.ts'
import { CapturedJournal, toExchangeText } from './stored-exchange.ts'
import type { Arrived, Commit, StoredAccount, StoredArrival } from './world-store.ts'

/** A request, and what it is decided on. */
export interface DecidableRequest {
  readonly request: CoreRequest
  readonly plan: RequestPlan
  readonly keys: Keys
  readonly arrived: Arrived
  /** Called when the request was admitted, and its input was read. */
  readonly openStore: () => Promise<Store>
  /** Who is told that the world has something to send. */
  readonly events: EventTurns
  /** The receivers that are connected to servers. */
  readonly receivers: readonly HeldReceiver[]
  /** Begins to tell a stream of the events from the arrival on. Returns a function that ends this. */
  readonly follow: (follower: Follower, arrived: Arrived) => () => void
  /** Whether the caller was found in another world, which issued its token. */
  readonly isCallerOfOtherWorld?: boolean
}

/** What was decided on a request, to be committed. */
export interface Decision {
  readonly response: CoreResponse
  /** How long the response is delayed after the commit, in milliseconds. */
  readonly latency: number
  /** What is to be done after the commit. */
  readonly acts: readonly CommitAct[]
  /** The exchange; its id is a guess until the commit. */
  readonly entry: JournalEntry<ExchangeFacts>
  /** The outcomes that the request forces on later ones, in the order of their ids. */
  readonly forced: readonly ForceRule[]
  /** What changes, besides the records. */
  readonly changes: Omit<Commit, 'epoch'>
}

/** Answers a request on what was loaded when it arrived, with the same code as in memory. */
export async function decide(
  { request, keys, plan, arrived, openStore, isCallerOfOtherWorld, ...world }: DecidableRequest,
  service: Service,
): Promise<Decision> {
  const own = createRequestState(service, keys, plan, arrived, { openStore, ...world })
  const state = isCallerOfOtherWorld ? { ...own, caller: plan.caller } : own
  let latency = 0
  const response = await answer(request, state, (milliseconds) => {
    latency = milliseconds
  })
  const { entry } = state.journal
  if (!entry) throw new TypeError('The exchange was not recorded')
  const delayed = withLatency(entry, latency)

  return {
    response,
    latency,
    acts: state.acts,
    forced: state.forced,
    entry: delayed,
    changes: {
      ...requestChanges(state, plan, arrived),
      ...streamChangesOf(state.events),
      exchange: { text: toExchangeText(delayed), size: service.settings.journal },
    },
  }
}

/** The place of an exchange's duration among its numbers. */
const DURATION = 3

/** The exchange is committed before the response is delayed, but its duration includes the delay. */
function withLatency(
  { numbers, facts }: JournalEntry<ExchangeFacts>,
  latency: number,
): JournalEntry<ExchangeFacts> {
  if (latency === 0) return { numbers, facts }
  return {
    numbers: numbers.map((number, at) => (at === DURATION ? number + latency : number)),
    facts,
  }
}

/** What is known about a request before anything of its world is loaded. */
export interface RequestPlan {
  readonly caller: Caller
  /** Absent when no operation matches, and for a preflight. */
  readonly match?: Match | undefined
  /** The rules that match, in the order of their ids. */
  readonly rules: readonly PreparedRule[]
  /** Whether the request may create its world, and counts as a use of it. */
  readonly mayCreate: boolean
  /** Whether it is admitted when it is counted; else when it is committed, as something may refuse it before. */
  readonly isAdmittedAtOnce: boolean
  readonly cost: 0 | 1
}

/** Plans a request by a configuration. `caller` may be that of another world. */
export function planRequest(
  request: CoreRequest,
  configuration: PreparedConfiguration,
  service: Service,
  caller: Caller = identify(request, configuration.keys.callers, service.access.rules.schemes),
): RequestPlan {
  const { access, router } = service
  // Who wants a token has none yet, and nothing of sign-in is counted.
  if (request.endpoint) return planEndpoint(request, configuration)
  const mayCreate = isAdmittedTo(undefined, request, caller, access.rules)
  const unmatched = { caller, rules: [], mayCreate, isAdmittedAtOnce: false }
  if (isImplicitOptions(request, router)) return { ...unmatched, cost: 0 }
  const match = router.find(request)
  if (match instanceof Problem) return { ...unmatched, cost: 1 }
  const { operation } = match
  const { path, query } = request
  const forRequest = rulesFor({ path, query, operation, account: caller.account }, configuration)
  const rules = [...forRequest, ...deliveryRules(configuration)].sort(
    (one, other) => one.id - other.id,
  )
  const isAdmitted = isAdmittedTo(operation, request, caller, access.rules)
  const mayBeRefused =
    request.header('prefer') !== undefined ||
    operation.deprecation?.sunset !== undefined ||
    rules.some(({ given }) => !leavesAnswer(given))

  return {
    caller,
    match,
    rules,
    mayCreate: isAdmitted,
    isAdmittedAtOnce: isAdmitted && !mayBeRefused,
    cost: 1,
  }
}

function planEndpoint(request: CoreRequest, configuration: PreparedConfiguration): RequestPlan {
  const { plan: _, ...caller } = configuration.keys.callers.everyone
  const { path, query } = request
  const operation = endpointOperation(request)
  const rules = rulesFor({ path, query, operation, account: caller.account }, configuration)

  return { caller, rules, mayCreate: true, isAdmittedAtOnce: false, cost: 0 }
}

/** The rules that may match a request, and the others of their flows, whose state they may change. */
function rulesFor(
  request: ForcibleRequest,
  { rules }: Pick<PreparedConfiguration, 'rules'>,
): readonly PreparedRule[] {
  const all = [...rules.values()]
  const matching = all.filter((rule) => mayMatch(rule, request))
  const flows = new Set(matching.flatMap(({ given: { flow } }) => flow ?? []))
  if (flows.size === 0) return matching

  return all.filter((rule) => matching.includes(rule) || flows.has(rule.given.flow ?? ''))
}

/** The rules for deliveries, which the events of a request may meet. */
function deliveryRules({ rules }: Pick<PreparedConfiguration, 'rules'>): readonly PreparedRule[] {
  return [...rules.values()].filter(({ given }) => given.delivery !== undefined)
}

/** Plans what has no request, or one that could not be read: it has no key. */
export function planWithoutKey({ callers }: Keys, cost: 0 | 1): RequestPlan {
  const { plan: quota, ...free } = callers.by(undefined)
  // Without a plan, nothing is counted: the account of callers without a key begins with their first request.
  const caller = cost === 0 || !quota ? free : { ...free, plan: quota }

  return {
    caller,
    rules: [],
    mayCreate: true,
    isAdmittedAtOnce: false,
    cost,
  }
}

/** A planned request as it arrives at the store. */
export function toArrival(
  { caller, rules, isAdmittedAtOnce, cost }: RequestPlan,
  { epoch, version }: PreparedConfiguration,
  { settings }: Service,
): StoredArrival {
  const { account, always, isUnlisted = false } = caller
  const count = isMetered(caller) && {
    account,
    plan: { minute: caller.plan.minute, day: caller.plan.day },
    ...(always && { always }),
    cost,
    isEnforced: settings.quota,
    isUnlisted,
    ...(settings.ban && { ban: settings.ban }),
    isAdmitted: isAdmittedAtOnce,
  }
  return { epoch, version, account, rules: rules.map(({ id }) => id), ...(count && { count }) }
}

/** The state of a world for one request: only what the request depends on. */
interface RequestState extends WorldState {
  readonly journal: CapturedJournal
  /** What is to be done when the request is committed. */
  readonly acts: readonly CommitAct[]
  /** The outcomes that the request forces on later ones. */
  readonly forced: readonly ForceRule[]
}

/** What is done after a commit. The response waits for it. */
type CommitAct = () => Promise<void> | void

/** The facts of repeated exchanges with the worlds of a service. */
const factsOf = once((_service: Service) => new FactsCache())

/** The state that a request is answered on. The account is as it was before the request was counted. */
export function createRequestState(
  service: Service,
  keys: Keys,
  { caller, rules: planned }: RequestPlan,
  arrived: Arrived,
  {
    openStore,
    events: turns,
    receivers,
    follow,
  }: Pick<DecidableRequest, 'openStore' | 'events' | 'receivers' | 'follow'>,
): RequestState {
  const { settings } = service
  const { usage, history } = arrived.before
  const clock = new Clock()
  clock.restore({ offset: 0, frozenAt: arrived.now })
  const bans = new Bans(settings.ban)
  bans.put(caller.account, history)
  const limits = new Limits(bans, settings.quota)
  limits.put(caller.account, usage)
  const rules = new Rules(settings.seed)
  const list = planned.flatMap(({ saved }, at) => {
    const count = arrived.rules[at]
    return count ? { ...saved, ...count } : []
  })
  const acts: CommitAct[] = []
  const forced: ForceRule[] = []
  if (list.length > 0) rules.restore({ last: 0, list })
  const note = async (): Promise<void> => {
    acts.push(turns.wake)
    await turns.note()
  }
  const held = { receivers, storeTime: arrived.storeTime }
  const lastExchange = (): number => arrived.last
  const streams = {
    isFollowed: arrived.isFollowed,
    follow: (follower: Follower) => follow(follower, arrived),
  }
  const host = { service, clock, rules, lastExchange, openStore, note, held, streams }

  return {
    service,
    clock,
    keys,
    limits,
    bans,
    rules,
    random: new Random(arrived.random),
    used: [],
    events: new StoredEvents(host),
    onCommit: (act) => acts.push(act),
    force: (rule) => {
      forced.push(rule)
      return () => void forced.splice(forced.indexOf(rule), 1)
    },
    acts,
    forced,
    openStore,
    openedStore: () => undefined,
    journal: new CapturedJournal(arrived.last, service),
    facts: factsOf(service),
  }
}

/** What the answer to a request has changed, besides the records and the journal. */
function requestChanges(
  state: RequestState,
  { caller: { account }, rules: planned }: RequestPlan,
  arrived: Arrived,
): Pick<Commit, 'random' | 'accounts' | 'rules' | 'ruleCounts'> {
  const { limits, bans, random } = state
  const after = accountOf(limits.read().get(account), bans.read().get(account))
  const isAsCounted = areEqual(after, accountOf(arrived.after.usage, arrived.after.history))
  const counts = countsOf(state)
  const changed = planned.flatMap(({ id, given }, at) => {
    const before = arrived.rules[at]
    const now = counts.get(id)
    return before && !areEqual(before, now) ? [{ id, given, before, after: now }] : []
  })
  const decided = changed.filter(({ given }) => isDecidedByCounts(given))
  const counted = changed.filter(({ given }) => !isDecidedByCounts(given))

  return {
    ...(random.state !== arrived.random && { random: random.state }),
    ...(!isAsCounted && { accounts: [{ key: account, before: arrived.after, after }] }),
    ...(decided.length > 0 && {
      rules: decided.map((rule) => ({ key: rule.id, before: rule.before, after: rule.after })),
    }),
    ...(counted.length > 0 && {
      ruleCounts: counted.map((rule) => ({
        rule: rule.id,
        matched: (rule.after?.matched ?? 0) - rule.before.matched,
        forced: (rule.after?.forced ?? 0) - rule.before.forced,
      })),
    }),
  }
}

/** Whether what a rule does depends on how often it matched, on its random numbers, or on the state of its flow. */
function isDecidedByCounts(rule: ForceRule): boolean {
  const { times, skip = 0, probability = 1, series, flow } = rule
  if (times !== undefined || skip > 0 || probability < 1 || series || flow !== undefined)
    return true

  return answersOf(rule).some(({ latency }) => {
    if (latency === undefined) return false
    const { from, to } = spanOf(latency)
    return from !== to
  })
}

function accountOf(
  usage: StoredAccount['usage'],
  history: StoredAccount['history'],
): StoredAccount {
  return { ...(usage && { usage }), ...(history && { history }) }
}

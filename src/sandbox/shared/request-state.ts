import { Bans } from '../../access/bans.ts'
import type { Keys } from '../../access/keys.ts'
import { Limits } from '../../access/limits.ts'
import type { Service } from '../../engine/service.ts'
import type { WorldState } from '../../engine/world-state.ts'
import type { ForceRule } from '../../forcing/force-rule.ts'
import { Rules } from '../../forcing/rules.ts'
import { Random } from '../../generate/random.ts'
import { FactsCache } from '../../journal/exchange-facts.ts'
import type { Store } from '../../resources/store.ts'
import type { Arrived } from '../../state/stored-arrival.ts'
import type { Commit } from '../../state/stored-commit.ts'
import type { StoredAccount } from '../../state/stored-state.ts'
import { Clock } from '../../time/clock.ts'
import { spanOf } from '../../time/duration.ts'
import { CapturedJournal } from './captured-journal.ts'
import type { RequestPlan } from './request-plan.ts'
import { areEqual, countsOf } from './state-changes.ts'

/** The state of a world for one request: only what the request depends on. */
export interface RequestState extends WorldState {
  readonly journal: CapturedJournal
}

/** The state that a request is answered on. The account is as it was before the request was counted. */
export function createRequestState(
  service: Service,
  keys: Keys,
  { caller, rules: planned }: RequestPlan,
  arrived: Arrived,
  store: Store,
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
  if (list.length > 0) rules.restore({ last: 0, list })

  return {
    service,
    clock,
    keys,
    limits,
    bans,
    rules,
    random: new Random(arrived.random),
    store: Promise.resolve(store),
    openedStore: () => store,
    journal: new CapturedJournal(arrived.last, service),
    facts: new FactsCache(),
  }
}

/** What the answer to a request has changed, besides the records and the journal. */
export function requestChanges(
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

/** Whether what a rule does depends on how often it matched, or on its random numbers. */
function isDecidedByCounts({ times, skip = 0, probability = 1, latency }: ForceRule): boolean {
  if (times !== undefined || skip > 0 || probability < 1) return true
  if (latency === undefined) return false
  const { from, to } = spanOf(latency)

  return from !== to
}

function accountOf(
  usage: StoredAccount['usage'],
  history: StoredAccount['history'],
): StoredAccount {
  return { ...(usage && { usage }), ...(history && { history }) }
}

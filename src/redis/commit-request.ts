import { Rules } from '../forcing/rules.ts'
import { beginReads, type ReadRecords, type SharedReads } from '../records/read-cache.ts'
import { MissingCollectionError, type StoredRecords } from '../records/stored-records.ts'
import { Transaction } from '../records/transaction.ts'
import type { Store } from '../resources/store/store.ts'
import {
  createSharedStore,
  type SharedRecords,
} from '../resources/store/transaction-collections.ts'
import {
  readConfiguration,
  type SharedService,
  toText,
  withoutCounts,
  withoutSpentRules,
} from './configuration.ts'
import { untilKept } from './contention.ts'
import { type DecidableRequest, type Decision, decide, type RequestPlan } from './decide-request.ts'
import { countsOf } from './state-changes.ts'
import type {
  Arrived,
  Commit,
  CommitResult,
  LoadedWorld,
  StoredAccount,
  StoredWorld,
} from './world-store.ts'

/** A request that has arrived at the store. */
export interface ArrivedRequest extends Omit<DecidableRequest, 'openStore'> {
  readonly epoch: string
  /** The records of the epoch. */
  readonly records: StoredRecords
  /** What requests that only read share. */
  readonly reads: SharedReads
  /** What the collections start with. */
  readonly first: SharedRecords
}

/** What was decided on a request, and the id of the exchange. */
export interface CommittedRequest extends Decision {
  readonly exchange?: number | undefined
}

/** For how many milliseconds a request is decided again when others change what it depends on. */
const PATIENCE = 20_000

/**
 * Decides a request, and commits what it changes. After a conflict, it is decided again on what is there by then. Resolves with
 * `undefined` when the epoch has ended: then the request has to arrive again.
 */
export async function commitRequest(
  given: ArrivedRequest,
  stored: StoredWorld,
  { service, locks }: SharedService,
): Promise<CommittedRequest | undefined> {
  const { epoch, plan, request, first } = given
  const { match } = plan
  const isCreation = match && service.binding(match.operation).action === 'create'
  let { arrived } = given
  /** The account at the latest conflict, if it may be the reason. */
  let account: StoredAccount | undefined
  let hasConflict = false
  let begin = (): ReadRecords => readsAtArrival(given)
  let release: (() => void) | undefined
  let releaseEvents: (() => void) | undefined
  // Deliveries are numbered, so that those who add some at the same time would have to decide again.
  const events = {
    ...given.events,
    note: async () => {
      releaseEvents ??= await locks.acquire(`${stored.name} ${epoch} events`)
      await given.events.note()
    },
  }

  const attempt = async (): Promise<CommittedRequest | 'past' | undefined> => {
    const { records: unwritten, cache } = begin()
    begin = () => beginReads(given.records)
    const transaction = new Transaction(unwritten, !hasConflict, cache)
    const openStore = async (): Promise<Store> => {
      // Creations in a collection change the state of its ids.
      if (isCreation) release ??= await locks.acquire(`${stored.name} ${epoch} ${request.path}`)
      return createSharedStore(transaction, first)
    }
    const present = { ...given, events, arrived: withHistory(arrived, account), openStore }
    const decision = await decide(present, service).catch(unlessMissing)
    if (!decision) {
      hasConflict = true
      return (await stored.commit({ epoch })).kind === 'past' ? 'past' : undefined
    }
    const writes = transaction.writes()
    if (await unwritten.openWritten(writes)) return undefined
    const { accounts, rules } = decision.changes
    const changes = await commitOf(decision, account, given, { stored, service })
    const result = await commitIn(stored, changes && { ...changes, ...writes })
    if (result.kind === 'past') return 'past'
    if (result.kind === 'done') return { ...decision, exchange: result.exchange }
    const isFollowed = result.isFollowed ?? arrived.isFollowed
    arrived = { ...withRules(arrived, plan, rules, result.rules), isFollowed }
    if (accounts) account = result.accounts?.[0]
    hasConflict = true
    return undefined
  }
  try {
    const committed = await untilKept(stored.name, attempt, PATIENCE)
    if (committed === 'past') return undefined
    await Promise.all(committed.acts.map((act) => act()))
    return committed
  } finally {
    release?.()
    releaseEvents?.()
  }
}

/** What a request reads at first: whoever writes reads what is there now, because others may have written since the arrival. */
function readsAtArrival({ request, records, reads, arrived }: ArrivedRequest): ReadRecords {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead ? reads.at(arrived.records) : beginReads(records)
}

/** Commits what an epoch has not ended for. */
async function commitIn(stored: StoredWorld, commit: Commit | undefined): Promise<CommitResult> {
  return commit ? stored.commit(commit) : { kind: 'past' }
}

/** What was decided on a request, as a commit: with the outcomes that handlers force. `undefined` when the epoch has ended. */
async function commitOf(
  { changes, forced }: Decision,
  account: StoredAccount | undefined,
  { epoch, keys }: Pick<ArrivedRequest, 'epoch' | 'keys'>,
  { stored, service }: { readonly stored: StoredWorld } & Pick<SharedService, 'service'>,
): Promise<Commit | undefined> {
  const accounts = changes.accounts?.map((one) => replacing(one, account)) ?? []
  const own = { epoch, ...changes, accounts }
  if (forced.length === 0) return own
  const loaded = await stored.load()
  if (loaded?.epoch !== epoch) return undefined
  const added = configurationWith(forced, loaded, keys, service)

  return { ...own, ...added, rules: [...(changes.rules ?? []), ...added.rules] }
}

/** The configuration of a world with further rules. When others have changed it meanwhile, nothing of the commit is written. */
function configurationWith(
  forced: Decision['forced'],
  loaded: LoadedWorld,
  keys: ArrivedRequest['keys'],
  { settings: { contract, seed } }: SharedService['service'],
): Required<Pick<Commit, 'version' | 'text' | 'rules'>> {
  const present = withoutSpentRules(readConfiguration(loaded.text, contract), loaded.rules)
  const rules = new Rules(seed)
  const list = present.rules.list.flatMap((rule) => {
    const count = loaded.rules.get(rule.id)
    return count ? { ...rule, ...count } : []
  })
  rules.restore({ last: present.rules.last, list })
  const added = forced.map((rule) => rules.add(rule, contract, keys).id)
  const counts = countsOf({ rules })

  return {
    version: loaded.version,
    text: toText({ ...present, rules: withoutCounts(rules.snapshot()) }),
    rules: added.map((key) => ({ key, before: undefined, after: counts.get(key) })),
  }
}

/** Resolves with `undefined` for a collection that is missing. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof MissingCollectionError)) throw error
}

/** What arrived, with the present refusals and bans of the account. The usage stays as it was counted. */
function withHistory(arrived: Arrived, account: StoredAccount | undefined): Arrived {
  if (!account) return arrived
  const { before, after } = arrived
  return {
    ...arrived,
    before: withHistoryOf(before, account),
    after: withHistoryOf(after, account),
  }
}

/** The replacement of an account that has changed: what others have counted meanwhile stays. */
function replacing(
  { key, before, after }: NonNullable<Commit['accounts']>[number],
  account: StoredAccount | undefined,
): NonNullable<Commit['accounts']>[number] {
  if (!account) return { key, before, after }
  return { key, before: account, after: withHistoryOf(account, after) }
}

function withHistoryOf({ usage }: StoredAccount, { history }: StoredAccount = {}): StoredAccount {
  return { ...(usage && { usage }), ...(history && { history }) }
}

/** What arrived, with the present states of the rules that conflicted. */
function withRules(
  arrived: Arrived,
  { rules }: RequestPlan,
  replaced: Commit['rules'] = [],
  present: Arrived['rules'] = [],
): Arrived {
  const states = new Map(replaced.map(({ key }, at) => [key, present[at]]))
  const latest = rules.map(({ id }, at) => (states.has(id) ? states.get(id) : arrived.rules[at]))

  return { ...arrived, rules: latest }
}

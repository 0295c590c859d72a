import { UnwrittenRecords } from '../records/read-cache.ts'
import { MissingCollectionError, type StoredRecords } from '../records/stored-records.ts'
import { Transaction } from '../records/transaction.ts'
import type { Store } from '../resources/store.ts'
import { createSharedStore, type SharedRecords } from '../resources/transaction-collections.ts'
import type { SharedService } from './configuration.ts'
import { untilKept } from './contention.ts'
import { type DecidableRequest, type Decision, decide, type RequestPlan } from './decide-request.ts'
import type { Arrived, Commit, StoredAccount, StoredWorld } from './world-store.ts'

/** A request that has arrived at the store. */
export interface ArrivedRequest extends Omit<DecidableRequest, 'openStore'> {
  readonly epoch: string
  /** The records of the epoch. */
  readonly records: StoredRecords
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
  { service, turns }: SharedService,
): Promise<CommittedRequest | undefined> {
  const { epoch, plan, request, records, first } = given
  const { match } = plan
  const isCreation = match && service.binding(match.operation).action === 'create'
  let { arrived } = given
  /** The account at the latest conflict, if it may be the reason. */
  let account: StoredAccount | undefined
  let hasConflict = false
  let endTurn: (() => void) | undefined
  let endEventTurn: (() => void) | undefined
  // Deliveries are numbered, so that those who add some at the same time would have to decide again.
  const events = {
    ...given.events,
    note: async () => {
      endEventTurn ??= await turns.take(`${stored.name} ${epoch} events`)
      await given.events.note()
    },
  }

  const attempt = async (): Promise<CommittedRequest | 'past' | undefined> => {
    // There may be any number of collections below records. Such a one is opened in the store when the request changes it.
    const unwritten = new UnwrittenRecords(records, ({ isNested = false }) => isNested)
    const transaction = new Transaction(unwritten, !hasConflict)
    const openStore = async (): Promise<Store> => {
      // Creations in a collection change the state of its ids.
      if (isCreation) endTurn ??= await turns.take(`${stored.name} ${epoch} ${request.path}`)
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
    const { accounts, ...changes } = decision.changes
    const replaced = accounts?.map((one) => replacing(one, account)) ?? []
    const result = await stored.commit({ epoch, ...changes, accounts: replaced, ...writes })
    if (result.kind === 'past') return 'past'
    if (result.kind === 'done') return { ...decision, exchange: result.exchange }
    const isFollowed = result.isFollowed ?? arrived.isFollowed
    arrived = { ...withRules(arrived, plan, changes.rules, result.rules), isFollowed }
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
    endTurn?.()
    endEventTurn?.()
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

import {
  MissingCollectionError,
  type RecordChanges,
  StoreUnavailableError,
} from '../records/stored-records.ts'
import type { SharedService } from './configuration.ts'
import { type CreationTurn, takeTurns } from './creation-turns.ts'
import { type DecidableRequest, type Decision, decide, type RequestPlan } from './decide-request.ts'
import type { RequestStore } from './request-store.ts'
import type { Arrived, Commit, StoredAccount, StoredWorld } from './world-store.ts'

/** A request that has arrived at the store. */
export interface ArrivedRequest extends DecidableRequest {
  readonly epoch: string
  readonly records: RequestStore
}

/** What was decided on a request, and the id of the exchange. */
export interface CommittedRequest extends Decision {
  readonly exchange?: number | undefined
}

/** How often a request is decided at least, and for how many milliseconds, when others change what it depends on. */
const MIN_ATTEMPTS = 50
const PATIENCE = 20_000

/** The longest pause before another attempt is that of this attempt: one who has waited long must not wait longer than others. */
const MAX_PAUSE = 10

/**
 * Decides a request, and commits what it changes. After a conflict, it is decided again on what is there by then. Resolves with
 * `undefined` when the epoch has ended: then the request has to arrive again.
 */
export async function commitRequest(
  given: ArrivedRequest,
  stored: StoredWorld,
  shared: SharedService,
): Promise<CommittedRequest | undefined> {
  const attempts = new Attempts(given, stored, shared)
  const start = performance.now()
  try {
    for (
      let attempt = 1;
      attempt <= MIN_ATTEMPTS || performance.now() - start < PATIENCE;
      attempt += 1
    ) {
      const committed = await attempts.next()
      if (committed === 'past') return undefined
      if (committed) return committed
      // What a creation conflicts with is known for a moment only, and few create in the same collection: one of each instance.
      if (attempt > 2 && !attempts.hasTurn) await pause(Math.min(attempt, MAX_PAUSE))
    }
  } finally {
    attempts.end()
  }
  throw new StoreUnavailableError('Too many requests change the same at the same time.')
}

/** The attempts to commit a request. */
class Attempts {
  readonly #given: ArrivedRequest
  readonly #stored: StoredWorld
  readonly #shared: SharedService
  #arrived: Arrived
  /** The account at the latest conflict, if it may be the reason. */
  #account: StoredAccount | undefined
  /** The turns of the collections in which the request creates records. */
  #turns: readonly CreationTurn[] = []
  /** The states of the ids that the request has left. */
  #left: readonly number[] = []

  constructor(given: ArrivedRequest, stored: StoredWorld, shared: SharedService) {
    this.#given = given
    this.#stored = stored
    this.#shared = shared
    this.#arrived = given.arrived
  }

  /** Whether no other request of this instance creates records in the same collections. */
  get hasTurn(): boolean {
    return this.#turns.length > 0
  }

  /** Decides and commits. Resolves with `undefined` when the request has to be decided again, and with `past` as a commit does. */
  async next(): Promise<CommittedRequest | 'past' | undefined> {
    const { epoch, plan, records } = this.#given
    const arrived = withHistory(this.#arrived, this.#account)
    const decision = await decide({ ...this.#given, arrived }, this.#shared.service).catch(
      unlessMissing,
    )
    if (!decision) return this.#restart()
    const writes = records.writes()
    const { ids = [] } = writes
    if (await records.openWritten(writes)) {
      records.restart(new Map(), false)
      return undefined
    }
    if (await this.#hasWaited(ids)) return undefined
    const { accounts, ...changes } = decision.changes
    const replaced = accounts?.map((one) => replacing(one, this.#account)) ?? []
    const result = await this.#stored.commit({ epoch, ...changes, accounts: replaced, ...writes })
    if (result.kind === 'past') return 'past'
    if (result.kind === 'expired')
      throw new StoreUnavailableError('The store took too long to answer.')
    if (result.kind === 'done') {
      this.#left = ids.map(({ to }) => to)
      return { ...decision, exchange: result.exchange }
    }
    this.#arrived = withRules(this.#arrived, plan, changes.rules, result.rules)
    if (accounts) this.#account = result.accounts?.[0]
    records.restart(idsOf(ids, result.ids ?? []), true)
    return undefined
  }

  /** Begins again, unless the epoch has ended. */
  async #restart(): Promise<'past' | undefined> {
    const { epoch, records } = this.#given
    const { kind } = await this.#stored.commit({ epoch })
    if (kind === 'past') return kind
    records.restart(new Map(), true)
    return undefined
  }

  /** Ends the turns. */
  end(): void {
    for (const [at, turn] of this.#turns.entries()) turn.end(this.#left[at])
  }

  /** Waits for the turns of creations, and begins again when others have created records meanwhile. */
  async #hasWaited(ids: NonNullable<RecordChanges['ids']>): Promise<boolean> {
    if (ids.length === 0 || this.#turns.length > 0) return false
    const { epoch, records } = this.#given
    const world = `${this.#stored.name} ${epoch}`
    this.#turns = await takeTurns(ids, world, records.since, this.#shared.turns)
    const states = this.#turns.map((turn) => turn.ids)
    const hasWaited = states.some((state) => state !== undefined)
    if (hasWaited) records.restart(idsOf(ids, states), false)

    return hasWaited
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

/** The states of the ids that are known; of the others, none. */
function idsOf(
  ids: NonNullable<RecordChanges['ids']>,
  states: readonly (number | undefined)[],
): ReadonlyMap<string, number> {
  const known = ids.flatMap(({ collection }, at) => {
    const state = states[at]
    return state === undefined ? [] : [[collection, state] as const]
  })
  return new Map(known)
}

/** The longest pause before another attempt, in milliseconds, for each attempt before. */
const PAUSE_MS = 1

/** The original timer. Fake timers of a test must not stop a response. */
const { setTimeout: startTimer } = globalThis

/** Waits for a random time before another attempt, so that those who hinder each other do not go on at the same time. */
export function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => startTimer(resolve, Math.random() * PAUSE_MS * attempt))
}

import { type SharedRecords, SharedStore } from '../../resources/shared-store.ts'
import type { Store } from '../../resources/store.ts'
import type { Commit } from '../../state/stored-commit.ts'
import type { StoredRecords } from '../../state/stored-records.ts'
import { Transaction } from '../../state/transaction.ts'
import type { CreationTurns } from './creation-turns.ts'
import { RequestRecords } from './request-records.ts'

/** The records of a world as one request reads and writes them. */
export class RequestStore {
  readonly #first: SharedRecords
  readonly #turns: CreationTurns
  readonly #records: RequestRecords
  #transaction: Transaction
  #store: SharedStore
  #since: number

  /** `first` has what this instance has seen of the world, `opening` the collections that it opens at the moment. */
  constructor(
    records: StoredRecords,
    first: SharedRecords,
    turns: CreationTurns,
    opening: Map<string, Promise<void>>,
  ) {
    this.#first = first
    this.#turns = turns
    this.#records = new RequestRecords(records, opening)
    this.#transaction = new Transaction(this.#records)
    this.#store = new SharedStore(this.#transaction, first)
    this.#since = turns.sequence
  }

  /** The store that the request is answered from. */
  get store(): Store {
    return this.#store
  }

  /** How many creations this instance had committed when the request began to read. */
  get since(): number {
    return this.#since
  }

  /** A store whose reads are under way for the request. Nothing of what it writes is kept. */
  early(): Store {
    return this.#store.early()
  }

  /** What the answer to the request has written. */
  writes(): Pick<Commit, 'records' | 'ids'> {
    return this.#transaction.writes()
  }

  /** Opens the collections that the answer has written in the store, unless they are there. Resolves with whether there were any. */
  openWritten({ records = [], ids = [] }: Pick<Commit, 'records' | 'ids'>): Promise<boolean> {
    return this.#records.openUnwritten([...records, ...ids].map(({ collection }) => collection))
  }

  /** Begins again, with the states of ids that are known by now. After a conflict, no id counts as free without asking. */
  restart(ids: ReadonlyMap<string, number>, isConflict: boolean): void {
    this.#since = this.#turns.sequence
    this.#records.forget()
    for (const [collection, state] of ids) this.#records.setIds(collection, state)
    this.#transaction = new Transaction(this.#records)
    if (isConflict) this.#transaction.forget()
    this.#store = new SharedStore(this.#transaction, this.#first)
  }
}

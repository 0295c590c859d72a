import { StoreUnavailableError } from '../store-unavailable-error.ts'
import type { StoredRecords } from '../stored-records.ts'
import type { RedisConnection } from './redis-connection.ts'

/** The records of an epoch in Redis. Part B replaces this file. */
export class RedisRecords implements StoredRecords {
  readonly #epoch: string
  constructor(_connection: RedisConnection, _world: string, epoch: string) {
    this.#epoch = epoch
  }
  opened = (): Promise<never> => this.#refuse()
  state = (): Promise<never> => this.#refuse()
  open = (): Promise<never> => this.#refuse()
  get = (): Promise<never> => this.#refuse()
  page = (): Promise<never> => this.#refuse()
  count = (): Promise<never> => this.#refuse()
  removed = (): Promise<never> => this.#refuse()
  #refuse(): Promise<never> {
    return Promise.reject(new StoreUnavailableError(`No records at ${this.#epoch}.`))
  }
}

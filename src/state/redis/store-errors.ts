import { StoreUnavailableError } from '../store-unavailable-error.ts'
import { refusalIn, type StoreRefusal } from './store-refusal.ts'

/** The store has refused a command, or did not answer it. */
export class RedisUnavailableError extends StoreUnavailableError {
  readonly refusal: StoreRefusal

  /** The error of the client library is not the cause: it has the arguments of the command, which may be a password. */
  constructor(refusal: StoreRefusal) {
    const { reason, help } = refusal
    super(`The store cannot be used: ${reason}.${help && ` ${help}`}`)
    this.refusal = refusal
  }
}

/** The error of a command as one for the caller. */
export function storeError(error: unknown): StoreUnavailableError {
  return error instanceof StoreUnavailableError
    ? error
    : new RedisUnavailableError(refusalIn(error))
}

/** A value in the store is not what pet-sandbox writes. */
export function corruptValue(key: string): StoreUnavailableError {
  return storeError(new Error(`CORRUPT ${key}`))
}

/** The request came too late to the store, which has written nothing. */
export function expired(): StoreUnavailableError {
  return storeError(new Error('Command timed out'))
}

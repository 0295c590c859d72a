import { StoreUnavailableError } from './store-unavailable-error.ts'

/**
 * A collection that a task reads is not there: its epoch has ended, or another server opens it at the moment. The task has to run
 * again.
 */
export class MissingCollectionError extends StoreUnavailableError {
  constructor() {
    super('The world was reset while it was read.')
  }
}

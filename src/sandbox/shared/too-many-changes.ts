import { StoreUnavailableError } from '../../state/store-unavailable-error.ts'

/** The error of what others prevent from being decided, because they change the same all the time. */
export function tooManyChanges(world: string): StoreUnavailableError {
  return new StoreUnavailableError(`Too many changes of the world "${world}" at the same time.`)
}

import type { Awaitable } from '../records/awaitable.ts'
import type { PathValues } from './collection-name.ts'
import type { Records } from './records.ts'
import type { Resource } from './resource.ts'

/**
 * The records of each collection of a world, which are created when they are first needed. A resource has one collection; a
 * resource with parents has one for each combination of them, such as `orgs/acme/repos`.
 */
export interface Store {
  /** The collections that were needed until now. */
  opened(): Awaitable<readonly Records[]>
  /**
   * The records of a resource without parents, by its name, when they are known without waiting; `undefined` when they were not
   * needed until now.
   */
  get(name: string): Records | undefined
  /** The records of a collection; `undefined` when they were not needed until now. */
  find(resource: Resource, parameters?: PathValues): Awaitable<Records | undefined>
  /** The records of a collection. Creates them when they are needed for the first time; below a removed record there are none. */
  open(resource: Resource, parameters?: PathValues): Promise<Records>
  /** Whether a collection is below a removed record, and has no record that was created there since. */
  isBelowRemoved(resource: Resource, parameters?: PathValues): Awaitable<boolean>
  /** A store with the same records. Changing one store does not change the other. */
  fork(): Store
}

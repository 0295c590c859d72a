import { RecentCollections } from '../../resources/recent-collections.ts'
import { SeenGenerations } from '../../resources/shared-places.ts'
import type { FirstState } from '../../state/stored-records.ts'

/** What an instance has seen of an epoch, and the collections that it opens. */
export function seenEpoch(epoch: string): {
  readonly epoch: string
  readonly seen: SeenGenerations
  readonly recent: RecentCollections<FirstState>
  readonly opening: Map<string, Promise<void>>
} {
  return {
    epoch,
    seen: new SeenGenerations(),
    recent: new RecentCollections(),
    opening: new Map(),
  }
}

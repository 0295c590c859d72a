import { SeenGenerations } from '../../resources/shared-places.ts'

/** What an instance has seen of an epoch, and the collections that it opens. */
export function seenEpoch(epoch: string): {
  readonly epoch: string
  readonly seen: SeenGenerations
  readonly opening: Map<string, Promise<void>>
} {
  return { epoch, seen: new SeenGenerations(), opening: new Map() }
}

import type { WorldRegistry } from '../../state/world-store.ts'
import { KEY_WORLD } from './key-worlds.ts'
import type { KnownWorlds } from './known-worlds.ts'

/** The longest time between two searches for unused worlds, in milliseconds, and the shortest. */
const MAX_INTERVAL = 60_000
const MIN_INTERVAL = 100

/** Drops the worlds of API keys that were not used for so many milliseconds. Returns a function that ends this. */
export function dropUnused(
  worlds: Pick<KnownWorlds, 'end'>,
  registry: Pick<WorldRegistry, 'dropUnused'>,
  worldTtl: number,
): () => void {
  const interval = Math.max(MIN_INTERVAL, Math.min(worldTtl / 4, MAX_INTERVAL))
  const timer = setInterval(() => {
    const dropped = registry.dropUnused(KEY_WORLD, worldTtl)
    // While the store is away, there is nothing to drop.
    dropped.then((names) => worlds.end(names)).catch(() => undefined)
  }, interval)

  return () => clearInterval(timer)
}

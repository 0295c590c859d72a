import type { WorldStore } from '../../state/world-store.ts'
import { KEY_WORLD } from './key-worlds.ts'
import type { KnownWorlds } from './known-worlds.ts'

/** The longest time between two searches for unused worlds, in milliseconds, and the shortest. */
const MAX_INTERVAL = 60_000
const MIN_INTERVAL = 100

/** Drops the worlds of API keys that were not used for so many milliseconds. Returns a function that ends this. */
export function dropUnused(worlds: KnownWorlds, store: WorldStore, worldTtl: number): () => void {
  const interval = Math.max(MIN_INTERVAL, Math.min(worldTtl / 4, MAX_INTERVAL))
  const timer = setInterval(() => {
    // While the store is away, there is nothing to drop.
    drop(worlds, store, worldTtl).catch(() => undefined)
  }, interval)

  return () => clearInterval(timer)
}

async function drop(worlds: KnownWorlds, store: WorldStore, worldTtl: number): Promise<void> {
  for (const name of await store.registry.unused(KEY_WORLD, worldTtl)) await worlds.drop(name)
}

import type { Id } from './record-table.ts'
import type { Chunk, SortedMap, Visit } from './sorted-map.ts'

/** Which entries of a map are visited. */
export interface Range {
  /** The key before the first entry, in the direction of the visit; default: from the end of the map. The map may lack it. */
  readonly after?: Id | undefined
  /** Whether the last entry comes first. Default: no. */
  readonly isBackward?: boolean
  /** How many entries are left out. Chunks of them cost as much as one. */
  readonly skip?: number
}

/** Calls `visit` with each entry of a range until it returns `false`. */
export function walkMap<V extends object>(
  map: SortedMap<V>,
  { after, isBackward = false, skip = 0 }: Range,
  visit: Visit<V>,
): void {
  const { chunks } = map
  const step = isBackward ? -1 : 1
  const begin = startOf(map, after, isBackward)
  let toSkip = skip
  let at = begin.chunkIndex
  for (let chunk = chunks[at]; chunk; chunk = chunks[at]) {
    const { length } = chunk.keys
    const first = isBackward ? length - 1 : 0
    const start = at === begin.chunkIndex ? begin.index : first
    const skipped = Math.min(toSkip, isBackward ? start + 1 : length - start)
    toSkip -= skipped
    if (!visitChunk(chunk, start + skipped * step, step, visit)) return
    at += step
  }
}

/** The first entry of a range. Its index may be one outside of the chunk, on the side where the range begins. */
function startOf<V extends object>(
  map: SortedMap<V>,
  after: Id | undefined,
  isBackward: boolean,
): { readonly chunkIndex: number; readonly index: number } {
  if (after !== undefined) {
    const { chunk, chunkIndex, index } = map.find(after)
    if (isBackward) return { chunkIndex, index: index - 1 }
    return { chunkIndex, index: chunk?.keys[index] === after ? index + 1 : index }
  }
  if (!isBackward) return { chunkIndex: 0, index: 0 }
  const chunkIndex = map.chunks.length - 1
  return { chunkIndex, index: (map.chunks[chunkIndex]?.keys.length ?? 0) - 1 }
}

/** Visits the entries of a chunk from an index on. Returns whether the visit goes on. */
function visitChunk<V>(
  { keys, values }: Chunk<V>,
  start: number,
  step: 1 | -1,
  visit: Visit<V>,
): boolean {
  for (let at = start; at >= 0 && at < keys.length; at += step) {
    const key = keys[at]
    const value = values[at]
    if (key !== undefined && value !== undefined && !visit(value, key)) return false
  }
  return true
}

import type { Mistake } from './mistake.ts'
import type { Path } from './node.ts'

/** How many levels of maps and lists a file may have. What reads documents runs out of stack at about twice as many. */
export const DEEPEST = 400

/** The mistake of a file that is nested too deeply. */
export function tooDeep(place: string): Mistake {
  const why = `it is nested too deeply: more than ${DEEPEST} levels`
  return { why, place, advice: 'Flatten it.' }
}

/** Where a value is nested deeper than the limit; `undefined` where it is not. */
export function deepPlace(
  value: unknown,
  depth = 0,
  seen: Map<unknown, number> = new Map(),
): Path | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= DEEPEST) return []
  // Aliases stand for the same value, which need not be gone through again unless it is deeper now.
  if ((seen.get(value) ?? -1) >= depth) return undefined
  seen.set(value, depth)
  for (const [name, member] of Object.entries(value)) {
    const place = deepPlace(member, depth + 1, seen)
    if (place) return [name, ...place]
  }
  return undefined
}

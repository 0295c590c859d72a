import type { Pointer } from '../json-pointer.ts'
import type { Mistake } from '../mistake.ts'

/** The greatest depth of objects and lists in a file. The parsers run out of stack at about twice this depth. */
export const MAX_DEPTH = 400

/** The mistake of a file that is nested too deeply. */
export function tooDeep(location: string): Mistake {
  const reason = `the file is nested more than ${MAX_DEPTH} levels deep`
  return { reason, location, help: 'Flatten the structure.' }
}

/** The pointer to the first value below the depth limit; `undefined` when there is none. */
export function findTooDeep(
  value: unknown,
  depth = 0,
  visited: Map<unknown, number> = new Map(),
): Pointer | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return []
  // A YAML alias is the same object again. It needs a second visit only if it is deeper than before.
  if ((visited.get(value) ?? -1) >= depth) return undefined
  visited.set(value, depth)
  for (const [key, child] of Object.entries(value)) {
    const pointer = findTooDeep(child, depth + 1, visited)
    if (pointer) return [key, ...pointer]
  }
  return undefined
}

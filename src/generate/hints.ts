import type { Schema } from '../contract/contract.ts'

const cache = new WeakMap<Schema, readonly string[]>()

/**
 * The methods that the `x-faker` hints of a schema name, such as `number.int`. The schema may contain itself. It is searched
 * once.
 */
export function hintsIn(schema: Schema): readonly string[] {
  const known = cache.get(schema)
  if (known) return known
  const hints: string[] = []
  const visited = new Set<unknown>()
  const open: unknown[] = [schema]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null || visited.has(value)) continue
    visited.add(value)
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'x-faker') hints.push(...methodsOf(inner))
      else if (typeof inner === 'object') open.push(inner)
    }
  }
  cache.set(schema, hints)

  return hints
}

/** A hint that names no method counts as one with an unknown name, so that its mistake is reported. */
function methodsOf(hint: unknown): readonly string[] {
  const methods = typeof hint === 'string' ? [hint] : Object.keys(Object(hint))
  return methods.length > 0 ? methods : ['']
}

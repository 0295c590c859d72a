import type { Schema } from '../contract/contract.ts'
import { once } from './memo.ts'

/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples'])

/** Keywords that hold schemas by name. A name may be that of a keyword. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas'])

/**
 * The methods that the `x-faker` hints of a schema name, such as `number.int`. The schema may contain itself. It is searched
 * once.
 */
export const hintsIn: (schema: Schema) => readonly string[] = once((schema) => {
  const hints: string[] = []
  const visited = new Set<unknown>()
  const open: unknown[] = [schema]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null || visited.has(value)) continue
    visited.add(value)
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'x-faker') hints.push(...methodsOf(inner))
      else if (MAPS.has(key)) open.push(...Object.values(Object(inner)))
      else if (!VALUES.has(key)) open.push(inner)
    }
  }
  return hints
})

/** A hint that names no method counts as one with an unknown name, so that its mistake is reported. */
function methodsOf(hint: unknown): readonly string[] {
  const methods = typeof hint === 'string' ? [hint] : Object.keys(Object(hint))
  return methods.length > 0 ? methods : ['']
}

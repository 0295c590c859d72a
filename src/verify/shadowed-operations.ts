import type { Contract, Operation } from '../contract/contract.ts'
import { parseTemplate } from '../contract/path-pattern.ts'

/** Operations that no request can reach, because an earlier one has the same method, and the same path but for names. */
export function shadowedOperations({ operations }: Contract): readonly Operation[] {
  const known = new Set<string>()
  return operations.filter((operation) => {
    const key = routeOf(operation)
    const isShadowed = known.has(key)
    known.add(key)
    return isShadowed
  })
}

function routeOf({ method, path, basePaths, conditions }: Operation): string {
  const { literals } = parseTemplate(path)
  return JSON.stringify([method, literals, basePaths ?? [], conditions ?? []])
}

import type { Contract } from './contract.ts'

/** The base paths of a contract, the main one first. */
export function basePathsOf({ basePath, basePaths = [] }: Contract): readonly string[] {
  // The copy of a contract may have another base path.
  return basePaths.includes(basePath) ? basePaths : [basePath]
}

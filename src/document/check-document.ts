import type { Document } from './document.ts'
import { validateServiceHints } from './hints.ts'
import { findInfiniteRecursion } from './infinite-recursion.ts'
import { type Mistake, Mistakes } from './mistake.ts'
import { validateOperations } from './validate-operations.ts'
import { validateSchemas } from './validate-schemas.ts'
import { validateStructure } from './validate-structure.ts'

/** Finds all mistakes of a document: by OpenAPI's own schema, and those that it does not detect. Takes seconds for large documents. */
export async function checkDocument(document: Document): Promise<readonly Mistake[]> {
  const structure = await validateStructure(document).catch((error: unknown) => {
    if (error instanceof Mistakes) return error.list
    throw error
  })
  // Where the structure is wrong, the other checks mostly find its consequences.
  if (structure.length > 0) return structure

  return [
    ...validateServiceHints(document),
    ...validateOperations(document),
    ...validateSchemas(document),
    ...findInfiniteRecursion(document),
  ]
}

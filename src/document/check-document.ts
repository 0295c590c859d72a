import type { Document } from './document.ts'
import { validateServiceHints } from './hints.ts'
import { findInfiniteRecursion } from './infinite-recursion.ts'
import { type Mistake, Mistakes } from './mistake.ts'
import { validateOperations } from './validate-operations.ts'
import { validateSchemas } from './validate-schemas.ts'
import { validateSecurity } from './validate-security.ts'
import { validateStructure } from './validate-structure.ts'

/** Finds all mistakes of a document: by OpenAPI's own schema, and those that it does not detect. Takes seconds for large documents. */
export async function checkDocument(document: Document): Promise<readonly Mistake[]> {
  const structure = await validateStructure(document).catch((error: unknown) => {
    if (error instanceof Mistakes) return error.list
    if (error instanceof RangeError) return [tooLong(document)]
    throw error
  })
  // Where the structure is wrong, the other checks mostly find its consequences.
  if (structure.length > 0) return structure

  return CHECKS.flatMap((validate) => inStack(document, () => validate(document)))
}

const CHECKS: readonly ((document: Document) => readonly Mistake[])[] = [
  validateServiceHints,
  validateSecurity,
  validateOperations,
  validateSchemas,
  findInfiniteRecursion,
]

/** The checks follow chains of `$ref`s recursively. A document may contain longer ones than the stack. */
function inStack(document: Document, validate: () => readonly Mistake[]): readonly Mistake[] {
  try {
    return validate()
  } catch (error) {
    if (error instanceof RangeError) return [tooLong(document)]
    throw error
  }
}

function tooLong({ sources }: Document): Mistake {
  return {
    reason: 'its $refs form chains that are too long to be checked',
    location: sources[0]?.name ?? '',
    assumed: 'they are correct',
    help: 'Refer to the last schema of a chain.',
  }
}

import type { Document } from '../document.ts'
import type { Mistake } from '../mistake.ts'
import { createSchemaGraph } from '../schemas/schema-graph.ts'
import type { SchemaMistake } from '../schemas/schema-mistake.ts'
import { validateExamples } from './validate-examples.ts'
import { validateReferences } from './validate-references.ts'
import { findInfiniteRecursion, validateSchemas, walkSchemas } from './validate-schemas.ts'
import { validateStructure } from './validate-structure.ts'

/**
 * Finds the mistakes of a document that loading does not find: by OpenAPI's own schema, in all schemas and in examples. Takes
 * seconds for large documents. What would take longer is not checked, and the list says so.
 */
export async function checkDocument(
  document: Document,
): Promise<readonly (Mistake | SchemaMistake)[]> {
  const structure = await validateStructure(document).catch((error: unknown) => {
    if (error instanceof RangeError) return [tooLong(document)]
    throw error
  })

  return [
    ...structure,
    ...CHECKS.flatMap((validate) => inStack(document, () => validate(document))),
  ]
}

type Check = (document: Document) => readonly (Mistake | SchemaMistake)[]

const CHECKS: readonly Check[] = [
  validateReferences,
  validateSchemas,
  findInfiniteRecursion,
  validateUse,
]

/** Finds the keywords of schemas that cannot be used, and the examples that do not match their schemas. */
function validateUse(document: Document): readonly (Mistake | SchemaMistake)[] {
  const unusable: SchemaMistake[] = []
  const graph = createSchemaGraph(document, (mistake) => unusable.push(mistake))
  for (const { schema, isRoot } of walkSchemas(document)) {
    if (!isRoot) continue
    graph.schemaOf(schema, 'request')
    graph.schemaOf(schema, 'response')
  }
  const examples = validateExamples(document, graph)

  // Loops were found with the $ref that closes each of them.
  return [...unusable.filter(({ isLoop }) => !isLoop), ...examples]
}

/** The checks follow chains of `$ref`s recursively. A document may contain longer ones than the stack. */
function inStack(document: Document, validate: () => ReturnType<Check>): ReturnType<Check> {
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

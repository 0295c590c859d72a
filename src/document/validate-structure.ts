import Parser from '@apidevtools/swagger-parser'
import type { ErrorObject } from 'ajv'
import type { OpenAPI } from 'openapi-types'
import { type Document, refTarget } from './document.ts'
import type { JsonObject } from './json-value.ts'
import { type Mistake, Mistakes, throwMistakes } from './mistake.ts'
import { withoutRefCycles } from './ref-cycles.ts'
import { toMistakes } from './schema-errors.ts'
import type { Source } from './source.ts'

/** Validates a document against OpenAPI's own schema, with all `$ref`s resolved. There is none for OpenAPI 3.2 yet. */
export async function validateStructure(document: Document): Promise<readonly Mistake[]> {
  if (/^3\.[2-9]/.test(String(document.root.openapi))) return []
  // The parser replaces each $ref in the object that it is given, so it gets a copy. All files are in the copy, so the
  // parser reads none.
  const copy = { paths: {}, ...withoutRefCycles(document) }
  throwMistakes(sizeMistakes(copy, document.sources))
  const options = { resolve: { external: false } }

  try {
    await Parser.validate(copy as unknown as OpenAPI.Document, options)
    return []
  } catch (error) {
    const { details, message } = error as { details?: ErrorObject[]; message: string }
    if (details) return toMistakes(details.filter(isJustified), document)
    const [reason = 'the document is not valid'] = message.split('\n')
    const location = document.sources[0]?.name ?? ''
    throw new Mistakes([{ reason, location, help: 'Correct the document.' }], { cause: error })
  }
}

/**
 * The parser's edition of the 3.1 schema misspells the `description` of a server variable, and therefore rejects it
 * (OAI/OpenAPI-Specification#2793).
 */
function isJustified({ instancePath, params }: ErrorObject): boolean {
  const isVariable = /^\/(.*\/)?servers\/\d+\/variables\/[^/]+$/.test(instancePath)

  return !(isVariable && params.unevaluatedProperty === 'description')
}

/** Far above the largest public documents. Validating more values would take minutes and gigabytes. */
const MAX_VALUES = 10_000_000

/** Rejects a few lines of `$ref`s that expand to billions of values. The document must have no `$ref` cycles. */
function sizeMistakes(root: JsonObject, sources: readonly Source[]): Mistake[] {
  const counts = new Map<unknown, number>()

  function count(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 1
    const known = counts.get(value)
    if (known !== undefined) return known
    const target = refTarget({ root }, value)
    const total = Object.values(value).reduce(
      (sum: number, child) => sum + count(child),
      1 + count(target?.value),
    )
    counts.set(value, total)

    return total
  }

  if (count(root) <= MAX_VALUES) return []
  const reason = `its $refs expand to more than ${MAX_VALUES.toLocaleString('en')} values`

  return [{ reason, location: sources[0]?.name ?? '', help: 'Reduce the nesting of the schemas.' }]
}

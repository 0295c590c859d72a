import { isObject } from '../../validation/objects.ts'
import { type Document, locationOf } from '../document.ts'
import { validateHints } from '../hints.ts'
import type { Pointer } from '../json-pointer.ts'
import { asObject } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { createAjv } from '../schemas/create-ajv.ts'
import { CheckMeter, unchecked } from './check-budget.ts'
import { toMistakes } from './schema-errors.ts'
import { walkSchemas } from './walk-schemas.ts'

/** The time that the schemas of a document may take, in milliseconds. */
const TIME_LIMIT = 1500

/** Finds mistakes in the schemas of a document that OpenAPI's own schema does not detect. */
export function validateSchemas(document: Document): Mistake[] {
  const mistakes: Mistake[] = []
  const ajv = createAjv()
  const meter = new CheckMeter({ time: TIME_LIMIT })
  // OpenAPI 3.0 has a schema dialect of its own. swagger-parser has validated it already.
  const hasOwnDialect = String(document.root.openapi).startsWith('3.0')

  for (const { schema, pointer, isRoot } of walkSchemas(document)) {
    if (!meter.take()) return [...mistakes, unchecked('some of the schemas', document)]
    if (isRoot && !hasOwnDialect) mistakes.push(...byMetaSchema(schema, pointer, document, ajv))
    if (!isObject(schema)) continue
    mistakes.push(
      ...validateDialect(schema.$schema, [...pointer, '$schema'], document),
      ...validateHints('schema', schema, pointer, document),
    )
  }

  return mistakes
}

const DIALECTS = [
  'https://json-schema.org/draft/2020-12/schema',
  'https://spec.openapis.org/oas/3.1/dialect/base',
]

function validateDialect(dialect: unknown, pointer: Pointer, document: Document): Mistake[] {
  if (dialect === undefined || DIALECTS.includes(String(dialect).replace(/#$/, ''))) return []

  return [
    {
      reason: `the "$schema" dialect ${JSON.stringify(dialect)} is not supported`,
      location: locationOf(document, pointer),
      assumed: 'it is read as JSON Schema 2020-12, with older keywords translated',
      help: `Remove "$schema", or set it to ${DIALECTS[0]}.`,
    },
  ]
}

/** Validates a schema against the meta-schema of JSON Schema 2020-12, whatever dialect it names. */
function byMetaSchema(
  schema: unknown,
  pointer: Pointer,
  document: Document,
  ajv: ReturnType<typeof createAjv>,
): Mistake[] {
  // Real documents write `null` for a schema that accepts anything.
  if (schema === null) return []
  const { $schema: _, ...rest } = asObject(schema)
  const isValid = ajv.validateSchema(isObject(schema) ? rest : (schema as boolean))

  return isValid ? [] : toMistakes(ajv.errors ?? [], document, pointer)
}

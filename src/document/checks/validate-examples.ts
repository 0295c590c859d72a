import type { SchemaValidator } from '../../contract/contract.ts'
import { parsePointer } from '../../contract/parse-pointer.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { type Document, locationOf } from '../document.ts'
import type { Mistake } from '../mistake.ts'
import { createSchemaCompiler } from '../schemas/schema-compiler.ts'
import type { SchemaGraph } from '../schemas/schema-graph.ts'
import { CheckMeter, unchecked } from './check-budget.ts'
import { type DocumentExample, examplesOf } from './document-examples.ts'

/** How many examples are checked, and how long it may take in milliseconds. */
const BUDGET = { count: 2000, time: 2000 }

/** Finds examples and defaults that do not match their schema. */
export function validateExamples(document: Document, graph: SchemaGraph): readonly Mistake[] {
  const compile = createSchemaCompiler(undefined, graph.isShared)
  const meter = new CheckMeter(BUDGET)
  const mistakes: Mistake[] = []
  for (const example of examplesOf(document)) {
    if (!meter.take()) return [...mistakes, unchecked('some of the examples', document)]
    const schemas = example.directions.map((direction) => graph.schemaOf(example.schema, direction))
    const failed = failedValidator(schemas.map(compile), example.value)
    if (failed) mistakes.push(toMistake(example, failed, document))
  }
  return mistakes
}

/** The first of several validators, if none of them accepts the value. */
function failedValidator(
  validators: readonly SchemaValidator[],
  value: unknown,
): SchemaValidator | undefined {
  const isValid = validators.some((validate) => validate(value))
  const [first] = validators
  if (isValid || !first) return undefined
  first(value)

  return first
}

function toMistake(
  example: DocumentExample,
  { errors }: SchemaValidator,
  document: Document,
): Mistake {
  const { owner, keyword, name, pointer, directions } = example
  const [error] = errors ?? []
  const named = name === undefined ? `the ${keyword}` : `the ${keyword} "${name}"`
  const isSent = directions.length === 1 && directions[0] === 'response'
  const unused = keyword === 'default' ? 'it is not set' : 'it is not used'

  return {
    reason: `${named} of ${owner} does not match its schema: ${describeErrors(keyword, errors ?? [])}`,
    location: locationOf(document, [...pointer, ...parsePointer(error?.instancePath ?? '')]),
    assumed: isSent ? 'it is not sent' : unused,
    help: `Correct the ${keyword} or the schema.`,
  }
}

import type { SchemaValidator } from '../../contract/contract.ts'
import { isJson } from '../../contract/json.ts'
import { parsePointer } from '../../contract/schema.ts'
import { describeErrors } from '../../contract/validation-errors.ts'
import { isObject } from '../../validation/objects.ts'
import { type Document, locationOf, resolveRef } from '../document.ts'
import { asArray, asObject, type JsonObject, type Pointer, refOf } from '../json-value.ts'
import type { Mistake } from '../mistake.ts'
import { mediaTypeOf, type OperationEntry, operationsOf } from '../operations.ts'
import type { Direction } from '../schemas/direction.ts'
import { createSchemaCompiler } from '../schemas/schema-compiler.ts'
import type { SchemaGraph } from '../schemas/schema-graph.ts'
import { CheckMeter, unchecked } from './check-budget.ts'
import { walkSchemas } from './validate-schemas.ts'

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

/** An example or a default, and the schema that it must match. */
interface DocumentExample {
  /** What it is an example of, such as `the response 200 of GET /books`. */
  readonly owner: string
  readonly keyword: 'example' | 'default'
  /** Its name among several. */
  readonly name?: string
  readonly value: unknown
  readonly pointer: Pointer
  readonly schema: unknown
  /** An example of a schema must match it in one of several directions. */
  readonly directions: readonly Direction[]
}

/** The examples of parameters, bodies, responses and schemas that can be checked, and the defaults of schemas, each once. */
function* examplesOf(document: Document): Generator<DocumentExample, void> {
  const visited = new Set<unknown>()
  for (const entry of operationsOf(document)) {
    for (const one of ownersOf(entry, document)) {
      const { schema } = resolveRef(document, one.object)
      // Many operations may share a media type or a parameter.
      if (schema === undefined || visited.has(schema)) continue
      visited.add(schema)
      yield* ownExamples(one, schema, document)
    }
  }
  for (const { schema, pointer } of walkSchemas(document)) {
    if (!isObject(schema) || (isVersion30(document) && refOf(schema) !== undefined)) continue
    yield* schemaExamples(schema, pointer)
  }
}

function isVersion30({ root }: Document): boolean {
  return String(root.openapi).startsWith('3.0')
}

/** A media type or a parameter. */
interface ExampleOwner {
  readonly owner: string
  /** As it is written: it may be a `$ref`. */
  readonly object: unknown
  readonly pointer: Pointer
  readonly direction: Direction
}

function* ownersOf(entry: OperationEntry, document: Document): Generator<ExampleOwner, void> {
  const { method, template, operation, parameters, pointer } = entry
  const request = `${method} ${template}`
  for (const { parameter, pointer: at } of parameters) {
    const owner = `the ${String(parameter.in)} parameter "${String(parameter.name)}" of ${request}`
    const own = { owner, object: parameter, pointer: at, direction: 'request' } as const
    yield own
    yield* contentOwners(own, parameter.content, document)
  }
  yield* contentOwners(
    {
      owner: `the request body of ${request}`,
      pointer: [...pointer, 'requestBody'],
      direction: 'request',
    },
    resolveRef(document, operation.requestBody).content,
    document,
  )
  for (const [status, response] of Object.entries(resolveRef(document, operation.responses))) {
    yield* contentOwners(
      {
        owner: `the response ${status} of ${request}`,
        pointer: [...pointer, 'responses', status],
        direction: 'response',
      },
      resolveRef(document, response).content,
      document,
    )
  }
}

/** The media types of JSON, because an example of another type is a text. */
function* contentOwners(
  { owner, pointer, direction }: Omit<ExampleOwner, 'object'>,
  content: unknown,
  document: Document,
): Generator<ExampleOwner, void> {
  for (const [key, object] of Object.entries(resolveRef(document, content))) {
    if (!isJson(mediaTypeOf(key))) continue
    yield { owner, object, pointer: [...pointer, 'content', key], direction }
  }
}

function* ownExamples(
  { owner, object, pointer, direction }: ExampleOwner,
  schema: unknown,
  document: Document,
): Generator<DocumentExample, void> {
  const { example, examples } = resolveRef(document, object)
  const shared = { owner, keyword: 'example', schema, directions: [direction] } as const
  if (example !== undefined) yield { ...shared, value: example, pointer: [...pointer, 'example'] }
  for (const [name, one] of Object.entries(asObject(examples))) {
    const resolved: JsonObject = resolveRef(document, one)
    const key = resolved.value === undefined ? 'dataValue' : 'value'
    if (resolved[key] === undefined) continue
    yield { ...shared, name, value: resolved[key], pointer: [...pointer, 'examples', name, key] }
  }
}

function* schemaExamples(schema: JsonObject, pointer: Pointer): Generator<DocumentExample, void> {
  const owner = `the schema "${pointer.at(-1)}"`
  const { example, examples, default: preset } = schema
  const shared = { owner, keyword: 'example', schema, directions: ['response', 'request'] } as const
  if (example !== undefined) yield { ...shared, value: example, pointer: [...pointer, 'example'] }
  for (const [index, value] of asArray(examples).entries()) {
    yield { ...shared, value, pointer: [...pointer, 'examples', String(index)] }
  }
  if (preset !== undefined) {
    yield { ...shared, keyword: 'default', value: preset, pointer: [...pointer, 'default'] }
  }
}

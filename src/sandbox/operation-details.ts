import type { Operation, RequestBody, Schema } from '../contract/contract.ts'
import { plainSchema } from '../contract/schema.ts'
import type { Diagnostic } from '../document/diagnostic.ts'
import { type ExplainedOperation, explainOperations } from '../resources/explain-operations.ts'
import type { World } from './world.ts'

/** An operation in the list of all. */
export interface ListedOperation extends ExplainedOperation {
  /** How many mistakes of the document concern the operation; absent when the list was not asked for them. */
  readonly diagnosticCount?: number
}

/** An operation with what a form for its requests needs. */
export interface OperationDetails extends ExplainedOperation {
  readonly summary?: string
  /** Whether the document requires credentials. */
  readonly secured: boolean
  readonly parameters: readonly ParameterDetails[]
  readonly body?: BodyDetails
  /** The documented statuses, which `Prefer: code=…` can choose, with the names of their examples. */
  readonly responses: readonly ResponseDetails[]
  /** When a deprecated operation is removed on the sandbox's clock, in ISO 8601. */
  readonly removal?: string
  /** The mistakes of the document that concern the operation, also those in schemas and other parts that it refers to. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The body of a request. */
export interface BodyDetails {
  readonly required: boolean
  /** The accepted media types, JSON first. */
  readonly contentTypes: readonly string[]
  /** The JSON Schema of the first media type. */
  readonly schema: Schema
}

/** A parameter of an operation. */
export interface ParameterDetails {
  readonly name: string
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  readonly required: boolean
  /** The JSON Schema of the value. A part that contains itself, and parts of a very large schema, are `{}`. */
  readonly schema: Schema
  readonly example?: unknown
}

/** A documented response of an operation. */
export interface ResponseDetails {
  readonly status: number
  /** The names of the examples, which `Prefer: example=…` can choose. */
  readonly examples: readonly string[]
}

/** The operation with this id; `undefined` for an unknown one. */
export function operationDetails(
  { contract }: Pick<World, 'contract'>,
  id: string,
  diagnostics: readonly Diagnostic[],
): OperationDetails | undefined {
  const operation = contract.operations.find((one) => one.id === id)
  const explained = explainOperations(contract).find((one) => one.operation === id)
  if (!(operation && explained)) return undefined
  const { summary, secured, parameters, body, deprecation } = operation
  const sunset = deprecation?.sunset

  return {
    ...explained,
    ...(summary !== undefined && { summary }),
    secured,
    parameters: parameters.map(({ name, in: location, required, schema, example }) => ({
      name,
      in: location,
      required,
      schema: plainSchema(schema),
      ...(example !== undefined && { example }),
    })),
    ...(body && { body: describeBody(body) }),
    responses: operation.responses.map(describeResponse),
    ...(sunset !== undefined && { removal: new Date(sunset).toISOString() }),
    diagnostics,
  }
}

function describeBody({ required, mediaTypes, schema }: RequestBody): BodyDetails {
  return { required, contentTypes: mediaTypes, schema: plainSchema(schema) }
}

function describeResponse({
  status,
  content = [],
}: Operation['responses'][number]): ResponseDetails {
  const names = content
    .flatMap(({ examples = [] }) => examples.map(({ name }) => name))
    .filter((name) => name !== undefined)

  return { status, examples: [...new Set(names)] }
}

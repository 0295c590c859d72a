import type {
  Contract,
  Operation,
  Parameter,
  ParameterSerialization,
  RequestBody,
  Schema,
} from '../contract/contract.ts'
import type { OperationDocumentation } from '../contract/documentation.ts'
import { plainSchema } from '../contract/schema.ts'
import type { Diagnostic } from '../document/diagnostic.ts'
import type { WorldState } from '../engine/world-state.ts'
import { hintText, type Judgement, judge } from '../resources/behaviour/doubts.ts'
import {
  type ExplainedCase,
  type ExplainedOperation,
  explain,
  explainCases,
} from '../resources/behaviour/explain-operations.ts'
import { type Binding, bind, bindingOf } from '../resources/bind.ts'
import type { World } from './world.ts'

/** What answers an operation. */
interface Answered extends Pick<Judgement, 'certainty'> {
  /** How many functions of the developer answer it before the sandbox does; absent without any. */
  readonly handlers?: number
}

/** An operation in a list without behaviours, which is known at once. */
export interface NamedOperation
  extends Pick<ExplainedOperation, 'operation' | 'method' | 'path' | 'deprecated'>,
    Pick<Answered, 'handlers'> {
  /** The summary and the tags of the document; absent when there are none. */
  readonly summary?: string
  readonly tags?: readonly string[]
}

/** An operation in the list of all. */
export interface ListedOperation extends NamedOperation, ExplainedOperation, Answered {
  /** How many mistakes of the document concern the operation; absent when the list was not asked for them. */
  readonly diagnosticCount?: number
}

/** What a list of operations is made of, besides their contract. */
interface Listed {
  /** The document, with its overlays. */
  readonly document: unknown
  readonly handlers: HandlerCounts
  /** Counts the mistakes of the document in an operation. */
  readonly countOf?: ((id: string) => number) | undefined
}

/** The operations of a contract as a list of all has them. */
export function listOperations(
  contract: Contract,
  { document, handlers, countOf }: Listed,
): readonly ListedOperation[] {
  return bind(contract).map((binding) => ({
    ...explain(binding),
    certainty: judge(binding, contract, document).certainty,
    ...nameOperation(binding.operation, handlers),
    ...(countOf && { diagnosticCount: countOf(binding.operation.id) }),
  }))
}

/** The operations of a contract as a list without behaviours has them. No schema is read. */
export function nameOperations(
  { operations }: Contract,
  handlers: HandlerCounts,
): readonly NamedOperation[] {
  return operations.map((operation) => nameOperation(operation, handlers))
}

function nameOperation(
  { id, method, path, deprecation, summary, tags }: Operation,
  handlers: HandlerCounts,
): NamedOperation {
  return {
    operation: id,
    method,
    path,
    deprecated: !!deprecation,
    ...handledBy(id, handlers),
    ...(summary !== undefined && { summary }),
    ...(tags !== undefined && { tags }),
  }
}

/** How many handlers operations have, by the id. */
type HandlerCounts = ReadonlyMap<string, number>

/** How many handlers each operation of a world has. Hooks, which are for many operations, are not counted. */
export function countHandlers({
  service,
  used,
}: Pick<WorldState, 'service' | 'used'>): HandlerCounts {
  const { handlers } = service.settings
  const all = [...(handlers ? [handlers.selected] : []), ...used].flatMap(({ own }) => own)
  const counts = new Map<string, number>()
  for (const { operation } of all) counts.set(operation.id, (counts.get(operation.id) ?? 0) + 1)

  return counts
}

function handledBy(id: string, counts: HandlerCounts): { readonly handlers?: number } {
  const handlers = counts.get(id)
  return handlers === undefined ? {} : { handlers }
}

/** An operation with what a form for its requests needs. */
export interface OperationDetails extends ExplainedOperation, Judgement, Answered {
  readonly summary?: string
  readonly tags?: readonly string[]
  /** The hint that states what is bound, to be corrected. */
  readonly hint: string
  /** What the operation does instead for some requests, by its hints; absent when it does the same for all. */
  readonly cases?: readonly Pick<ExplainedCase, 'when' | 'behaviour' | 'resource' | 'reason'>[]
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
  /** What the document says about it; absent when the sandbox has only the contract. */
  readonly documentation?: OperationDocumentation
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
export interface ParameterDetails extends ParameterSerialization {
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

/** What is known of the document of a contract. */
interface Documented {
  readonly diagnostics: readonly Diagnostic[]
  readonly documentation: OperationDocumentation | undefined
  /** The document, with its overlays. */
  readonly document: unknown
  readonly handlers: HandlerCounts
}

/** The operation with this id; `undefined` for an unknown one. */
export function operationDetails(
  { contract }: Pick<World, 'contract'>,
  id: string,
  { diagnostics, documentation, document, handlers }: Documented,
): OperationDetails | undefined {
  const operation = contract.operations.find((one) => one.id === id)
  if (!operation) return undefined
  // Binding all of them takes seconds for a large document.
  const binding = bindingOf(contract, operation)
  const { summary, tags, secured, parameters, body, deprecation } = operation
  const sunset = deprecation?.sunset
  const cases = explainCases(contract, operation).map(({ when, behaviour, resource, reason }) => ({
    ...{ when, behaviour, reason },
    ...(resource !== undefined && { resource }),
  }))

  return {
    ...explain(binding),
    ...judge(binding, contract, document),
    ...handledBy(id, handlers),
    hint: statedHint(binding),
    ...(cases.length > 0 && { cases }),
    ...(summary !== undefined && { summary }),
    ...(tags !== undefined && { tags }),
    secured,
    parameters: parameters.map(describeParameter),
    ...(body && { body: describeBody(body) }),
    responses: operation.responses.map(describeResponse),
    ...(sunset !== undefined && { removal: new Date(sunset).toISOString() }),
    diagnostics,
    ...(documentation && { documentation }),
  }
}

/** What is bound, as it is written in a document. */
function statedHint(binding: Binding): string {
  const { action } = binding
  return hintText(
    action === 'stateless' ? { resource: false } : { resource: binding.resource.name, action },
  )
}

function describeParameter(parameter: Parameter): ParameterDetails {
  const { name, in: location, required, schema, example } = parameter
  const { style, explode, mediaType, allowEmptyValue } = parameter

  return {
    name,
    in: location,
    required,
    schema: plainSchema(schema),
    ...(example !== undefined && { example }),
    ...(style !== undefined && { style }),
    ...(explode !== undefined && { explode }),
    ...(mediaType !== undefined && { mediaType }),
    ...(allowEmptyValue && { allowEmptyValue }),
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

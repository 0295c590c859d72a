import type {
  OperationResponse,
  ResponseHeader,
  Schema,
  SchemaValidator,
} from '../contract/contract.ts'
import type { Direction } from './direction.ts'
import { type Document, resolveRef } from './document.ts'
import { isForced } from './hints.ts'
import { asArray, asObject, type JsonObject } from './json-value.ts'
import { jsonContent, type OperationEntry } from './operations.ts'

/** What compiling an operation needs. */
export interface CompileContext {
  readonly document: Document
  readonly schemaOf: (schema: unknown, direction: Direction) => Schema
  readonly compileSchema: (schema: Schema) => SchemaValidator
}

/** Compiles the responses of an operation, without `default`, status ranges and forced responses. */
export function compileResponses(responses: unknown, context: CompileContext): OperationResponse[] {
  return Object.entries(resolveRef(context.document, responses))
    .filter(([status]) => /^[1-5]\d\d$/.test(status))
    .map(([status, value]) => [Number(status), resolveRef(context.document, value)] as const)
    .filter(([, response]) => !isForced(response))
    .map(([status, response]) => compileResponse(status, response, context))
    .sort((one, other) => one.status - other.status)
}

function compileResponse(
  status: number,
  response: JsonObject,
  context: CompileContext,
): OperationResponse {
  const { document, schemaOf, compileSchema } = context
  const media = jsonContent(resolveRef(document, response.content), document)?.media
  const headers = compileHeaders(response.headers, context)
  const base = { status, ...(headers.length > 0 && { headers }), ...decisionOf(response) }
  if (!media) return base
  const example = exampleOf(media, document)
  const schema = media.schema === undefined ? undefined : schemaOf(media.schema, 'response')

  return {
    ...base,
    ...(schema && { schema, validate: compileSchema(schema) }),
    ...(example !== undefined && { example }),
    ...(media['x-decision'] !== undefined && { bodyDecision: true }),
  }
}

function compileHeaders(
  headers: unknown,
  { document, schemaOf, compileSchema }: CompileContext,
): ResponseHeader[] {
  return Object.entries(resolveRef(document, headers)).map(([name, value]) => {
    const header = resolveRef(document, value)
    const schema = schemaOf(header.schema ?? {}, 'response')

    return {
      name,
      required: header.required === true,
      schema,
      validate: compileSchema(schema),
      ...decisionOf(header),
    }
  })
}

/** `x-decision` marks what the author of the document decided because the service's specification does not say it. */
function decisionOf(object: JsonObject): { readonly decision?: true } {
  return object['x-decision'] === undefined ? {} : { decision: true }
}

/** The first example of a media type or parameter, or of its schema. */
export function exampleOf(media: JsonObject, document: Document): unknown {
  if (media.example !== undefined) return media.example
  const [first] = Object.values(asObject(media.examples))
  const named = resolveRef(document, first).value
  if (named !== undefined) return named
  const schema = resolveRef(document, media.schema)

  return schema.example ?? asArray(schema.examples)[0] ?? schema.default
}

/** The characters of a header name (RFC 9110, section 5.1). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/** The names of the headers that any response declares, including ranges and `default`. Names are case-insensitive. */
export function responseHeadersOf(
  entries: readonly OperationEntry[],
  document: Document,
): readonly string[] {
  const responses = entries.flatMap(({ operation }) =>
    Object.values(resolveRef(document, operation.responses)),
  )
  const names = responses
    .flatMap((response) =>
      Object.keys(resolveRef(document, resolveRef(document, response).headers)),
    )
    .filter((name) => HEADER_NAME.test(name))

  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()]
}

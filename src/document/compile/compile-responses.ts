import type { OperationResponse, OtherResponse, ResponseHeader } from '../../contract/contract.ts'
import { isJson } from '../../contract/is-json.ts'
import { isHeaderName } from '../../http/headers.ts'
import { type Document, resolveRef } from '../document.ts'
import { isForced } from '../hints.ts'
import type { JsonObject } from '../json-value.ts'
import { jsonContent, type OperationEntry } from '../operations.ts'
import { compileContent, exampleOf } from './compile-content.ts'
import type { CompileContext } from './compile-context.ts'

/** Compiles the responses of an operation, without `default`, status ranges and forced responses. */
export function compileResponses(responses: unknown, context: CompileContext): OperationResponse[] {
  return Object.entries(resolveRef(context.document, responses))
    .filter(([status]) => /^[1-5]\d\d$/.test(status))
    .map(([status, value]) => [Number(status), resolveRef(context.document, value)] as const)
    .filter(([, response]) => !isForced(response))
    .map(([status, response]) => ({ status, ...compileResponse(response, context) }))
    .sort((one, other) => one.status - other.status)
}

const RANGES = ['1XX', '2XX', '3XX', '4XX', '5XX', 'default'] as const

/** Compiles the responses for ranges of statuses and for all others. `default` comes last. */
export function compileOtherResponses(
  responses: unknown,
  context: CompileContext,
): OtherResponse[] {
  const entries = Object.entries(resolveRef(context.document, responses))
  return RANGES.flatMap((range) => {
    const [, value] = entries.find(([key]) => key.toUpperCase() === range.toUpperCase()) ?? []
    const response = resolveRef(context.document, value)
    return value === undefined || isForced(response)
      ? []
      : [{ range, ...compileResponse(response, context) }]
  })
}

function compileResponse(
  response: JsonObject,
  context: CompileContext,
): Omit<OperationResponse, 'status'> {
  const { document } = context
  const content = compileContent(response.content, 'response', context)
  const headers = compileHeaders(response.headers, context)
  const base = {
    ...(content.length > 0 && { content }),
    ...(headers.length > 0 && { headers }),
    ...decisionOf(response),
  }
  const [json] = content
  if (!json || !isJson(json.mediaType)) return base
  const media = jsonContent(response.content, document)?.media ?? {}
  const example = exampleOf(media, document)

  return {
    ...base,
    ...(json.schema && json.validate && { schema: json.schema, validate: json.validate }),
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
    const example = exampleOf(header, document)

    return {
      name,
      required: header.required === true,
      schema,
      validate: compileSchema(schema),
      ...(example !== undefined && { example }),
      ...decisionOf(header),
    }
  })
}

/** `x-decision` marks what the author of the document decided because the service's specification does not say it. */
function decisionOf(object: JsonObject): { readonly decision?: true } {
  return object['x-decision'] === undefined ? {} : { decision: true }
}

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
    .filter(isHeaderName)

  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()]
}

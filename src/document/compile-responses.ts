import type { OperationResponse, OtherResponse, ResponseHeader } from '../contract/contract.ts'
import {
  type QuotaHeader,
  quotaFigureOf,
  type RateLimitFigure,
  type ServiceHints,
} from '../contract/hints.ts'
import { isJson } from '../contract/json.ts'
import { isDocumentableHeader, isHeaderName } from '../http/headers.ts'
import { type CompileContext, compileContent, exampleOf } from './compile-content.ts'
import { type Document, resolveRef } from './document.ts'
import { isForced } from './hints/read-hints.ts'
import type { JsonObject } from './json-value.ts'
import { jsonContent, type OperationEntry } from './operations.ts'

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
    ...flagOf(response),
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

/** A description that says which flag of the query a request has: "Only when `envelope=true`". */
const FLAG =
  /\b(?:when|if|only with)\b[^.=]{0,40}?[`'"]?\b(\w{1,40})[`'"]?\s*(?:==?|is(?: set to)?|:)\s*[`'"]?(?:true|1)\b/i

function flagOf({ description }: JsonObject): { readonly flag?: string } {
  const [, flag] = (typeof description === 'string' && FLAG.exec(description)) || []
  return flag === undefined ? {} : { flag }
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

/** The headers that the hints of the document name; `undefined` when they name none. */
export function givenQuotaHeaders({
  rateLimitHeaders,
}: ServiceHints = {}): readonly QuotaHeader[] | undefined {
  if (!rateLimitHeaders) return undefined
  return Object.entries(rateLimitHeaders).map(([name, figure]) => ({ name, ...FIGURES[figure] }))
}

const FIGURES: Readonly<Record<RateLimitFigure, Omit<QuotaHeader, 'name'>>> = {
  limit: { figure: 'limit' },
  remaining: { figure: 'remaining' },
  used: { figure: 'used' },
  resetSeconds: { figure: 'reset', unit: 'seconds' },
  resetEpochSeconds: { figure: 'reset', unit: 'epoch-seconds' },
  resetEpochMilliseconds: { figure: 'reset', unit: 'epoch-milliseconds' },
  resetDateTime: { figure: 'reset', unit: 'date-time' },
}

/** The usual headers, which need not be described. */
const USUAL = /^x-ratelimit-(limit|remaining|reset)$/i

/**
 * The headers that the document has for quotas, each once, by the first response that declares it; `undefined` when it has none
 * but the usual ones.
 */
export function quotaHeadersOf(
  entries: readonly OperationEntry[],
  document: Document,
): readonly QuotaHeader[] | undefined {
  const found = new Map<string, QuotaHeader>()
  for (const { operation } of entries) {
    for (const response of Object.values(resolveRef(document, operation.responses))) {
      const headers = resolveRef(document, resolveRef(document, response).headers)
      for (const [name, header] of Object.entries(headers)) {
        const figure = quotaFigureOf(name)
        if (!figure || !isDocumentableHeader(name) || found.has(name.toLowerCase())) continue
        const unit = figure === 'reset' && unitOf(name, resolveRef(document, header), document)
        found.set(name.toLowerCase(), { name, figure, ...(unit && { unit }) })
      }
    }
  }
  const headers = [...found.values()]
  const isUsual = headers.every(
    ({ name, unit = 'epoch-seconds' }) => USUAL.test(name) && unit === 'epoch-seconds',
  )

  return isUsual ? undefined : headers
}

/** Only the example, the schema and the description tell what a reset is. By custom, it is a Unix time in `X-` headers only. */
function unitOf(
  name: string,
  header: JsonObject,
  document: Document,
): NonNullable<QuotaHeader['unit']> {
  const schema = resolveRef(document, header.schema)
  const example = Number(header.example ?? schema.example)
  const text = `${name} ${header.description ?? ''} ${schema.description ?? ''}`
  if (schema.format === 'date-time') return 'date-time'
  if (example > 1e12) return 'epoch-milliseconds'
  if (example > 1e9) return 'epoch-seconds'
  if (/milliseconds since|epoch.*milliseconds|milliseconds.*epoch/i.test(text))
    return 'epoch-milliseconds'
  if (/epoch|unix|timestamp|1970/i.test(text)) return 'epoch-seconds'
  if (example > 0 || /seconds|reset-after/i.test(text)) return 'seconds'

  return /^x-/i.test(name) ? 'epoch-seconds' : 'seconds'
}

import type { SecurityScheme } from '../access/security-scheme.ts'
import type { ContractReports } from './contract-reports.ts'
import type { ContractResource } from './contract-resource.ts'
import type { Deprecation } from './deprecation-dates.ts'
import type { DocumentedExample } from './documented-example.ts'
import type { QueryCondition } from './query-condition.ts'
import type { QuotaHeader } from './quota-header.ts'
import type { OperationHints } from './resource-hints.ts'
import type { Schema, SchemaValidator } from './schema.ts'
import type { ParameterSerialization, PropertyEncoding } from './serialization.ts'
import type { ServiceHints } from './service-hints.ts'
import type { ServiceTypes } from './service-types.ts'

export type { Schema, SchemaValidator, ValidationError, ValidationTime } from './schema.ts'

/** The promises of a service, compiled from its OpenAPI document: plain data that is ready to serve. */
export interface Contract<Types extends ServiceTypes = ServiceTypes> extends ContractReports {
  /** The format of the module that `pet-sandbox compile` wrote; absent in other contracts. */
  readonly format?: number
  /** The document's `info.title`. */
  readonly title: string
  /** The document's `info.version`. */
  readonly version: string
  /** The path of the main base address, such as `/v1`; empty when the API is at the root. */
  readonly basePath: string
  /** The paths of all servers of the document, the main one first; default: only `basePath`. */
  readonly basePaths?: readonly string[]
  /** The operations in document order. */
  readonly operations: readonly Operation[]
  /** The collections of records by their names; default: none. A name without hints has no records. */
  readonly resources?: Readonly<Record<string, ContractResource | undefined>>
  /** The paths of `resources`, by name, where they are known before the schemas of the records are read; default: those in `resources`. */
  readonly resourcePaths?: Readonly<Record<string, string>>
  /** The names of all response headers that the document declares, each once; default: none. */
  readonly responseHeaders?: readonly string[]
  /** The headers that the document has for quotas, where they are not the usual `X-RateLimit-*`. */
  readonly quotaHeaders?: readonly QuotaHeader[] | undefined
  /** How clients can send credentials; default: a bearer token. */
  readonly securitySchemes?: readonly SecurityScheme[]
  /** What the document's `x-sandbox` says about the whole service. */
  readonly sandbox?: ServiceHints
  /** The types of the service, for the compiler. Never present at run time. */
  readonly types?: Types
}

/** An operation: one method on one path. */
export interface Operation {
  /** The `operationId`; without one, method and path, such as `GET /books`. */
  readonly id: string
  /** The method as requests spell it, such as `GET`. */
  readonly method: string
  /** The path template below the base address, such as `/books/{bookId}`. */
  readonly path: string
  readonly summary?: string
  /** Whether the document requires credentials. */
  readonly secured: boolean
  /** The accepted credentials: alternatives, each with the security schemes that it needs together. By default, any one scheme. */
  readonly security?: readonly (readonly string[])[]
  /** What a request must have for this operation, when the document has others with the same method and path. */
  readonly conditions?: readonly QueryCondition[]
  /** The paths of the operation's own servers, which replace those of the contract. */
  readonly basePaths?: readonly string[]
  /** The parameters of all locations. */
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  /** Whether texts of the parameters have one meaning only, and the body is JSON, so that reading them needs little code. */
  readonly hasSimpleInput?: boolean
  /** The documented responses, by ascending status, without `default`, status ranges and responses that are only forced. */
  readonly responses: readonly OperationResponse[]
  /** The documented responses for ranges of statuses and for all others; default: none. */
  readonly otherResponses?: readonly OtherResponse[]
  /** What the operation does to records; without it, the operation is stateless. */
  readonly hints?: OperationHints
  /** Present when the operation is deprecated. */
  readonly deprecation?: Deprecation
}

/** A parameter of an operation. */
export interface Parameter extends ParameterSerialization {
  readonly name: string
  /** `querystring` is the whole query as one value (OpenAPI 3.2). */
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie'
  readonly required: boolean
  readonly schema: Schema
  /** The first example, if there is one. The shipped contract omits examples of parameters and bodies. */
  readonly example?: unknown
  /** Validates a value that was parsed from its text. */
  readonly validate: SchemaValidator
}

/** The request body of an operation. */
export interface RequestBody {
  readonly required: boolean
  /** The accepted media types, JSON first, in lower case and without parameters. A range such as `text/*` is possible. */
  readonly mediaTypes: readonly string[]
  /** The schema of a request, without read-only properties: that of the first media type. */
  readonly schema: Schema
  readonly validate: SchemaValidator
  /** The first example, if there is one. */
  readonly example?: unknown
  /** The content of each media type, in the order of `mediaTypes`; absent when all of them are JSON with this schema. */
  readonly content?: readonly MediaType[]
}

/** The content of a request or response in one media type. */
export interface MediaType {
  /** In lower case and without parameters, such as `application/json`; or a range such as `image/*`. */
  readonly mediaType: string
  /** The media type as a response states it: with its parameters and in the document's spelling. Default: `mediaType`. */
  readonly contentType?: string
  /** The schema of the content, or of one item of a sequence (`itemSchema`, OpenAPI 3.2); absent when any value is allowed. */
  readonly schema?: Schema
  /** Validates a value; absent when `schema` is. */
  readonly validate?: SchemaValidator
  /** Whether `schema` describes one item of a sequence, such as a line of `application/jsonl`. */
  readonly isSequence?: true
  /** The examples in document order, with those of the schema last; default: none. They may be invalid. */
  readonly examples?: readonly DocumentedExample[]
  /** How the properties of a form are written. */
  readonly encoding?: Readonly<Record<string, PropertyEncoding>>
}

/** A documented response of an operation. */
export interface OperationResponse {
  readonly status: number
  /** The schema of the JSON content; absent when the response has no JSON content. */
  readonly schema?: Schema
  /** Validates a body; absent when `schema` is. */
  readonly validate?: SchemaValidator
  /** The first example of the JSON content, if there is one. */
  readonly example?: unknown
  /** The content in each media type, JSON first; absent when there is only JSON, and in the shipped contract. */
  readonly content?: readonly MediaType[]
  /** The documented headers. The shipped contract omits them, because serving does not need them. */
  readonly headers?: readonly ResponseHeader[]
  /** Whether the body is a decision of the document's author, as in {@link OperationResponse.decision}. */
  readonly bodyDecision?: true
  /** Whether the document's author decided on this response (`x-decision`) because the specification does not mention it. */
  readonly decision?: true
}

/** A documented response for statuses that have none of their own. */
export interface OtherResponse extends Omit<OperationResponse, 'status'> {
  /** The range of statuses, or `default` for all. */
  readonly range: '1XX' | '2XX' | '3XX' | '4XX' | '5XX' | 'default'
}

/** A documented header of a response. */
export interface ResponseHeader {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
  readonly validate: SchemaValidator
  /** The first example, if there is one. */
  readonly example?: unknown
  /** Whether the header is a decision of the document's author, as in {@link OperationResponse.decision}. */
  readonly decision?: true
}

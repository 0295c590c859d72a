import type { SecurityScheme } from '../access/security-scheme.ts'
import type { ContractResource, OperationHints, QuotaHeader, ServiceHints } from './hints.ts'
import type { Schema, SchemaValidator } from './schema.ts'
import type { SignInDescription, SignInEndpoint, SignInRole } from './sign-in.ts'

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
  /** Operations of the document that a compiled part does not have, such as `GET,POST /books`; default: none. */
  readonly leftOut?: readonly string[]
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
  /** How clients get tokens; absent in a document without OAuth 2, OpenID Connect and login operations. */
  readonly signIn?: SignInDescription
  /** The requests that the service sends when something happens (OpenAPI 3.1, `webhooks`); default: none. */
  readonly webhooks?: readonly SentRequest[]
  /** The names of the resources whose records are subscriptions to events; default: none. */
  readonly subscriptions?: readonly string[]
  /** Whether removed records can be in a trash; default: none can. */
  readonly hasTrash?: boolean
  /** Whether operations stream what happens to records, as server-sent events; default: none does. */
  readonly streamsChanges?: boolean
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
  /** The tags of the document; absent when there are none. */
  readonly tags?: readonly string[]
  /** Whether the document requires credentials. */
  readonly secured: boolean
  /** The accepted credentials: alternatives, each with the security schemes that it needs together. By default, any one scheme. */
  readonly security?: readonly (readonly string[])[]
  /** The scopes that each alternative of `security` needs, in the same order; absent when none needs any. */
  readonly scopes?: readonly (readonly string[])[]
  /** What the operation has to do with sign-in, by its path; absent for nearly all. */
  readonly signIn?: SignInRole | SignInEndpoint
  /** Whether it is an endpoint of sign-in that is no operation of the document. Never in a contract. */
  readonly isBesideApi?: true
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
  /** The requests that the service sends because of this operation (`callbacks`); default: none. */
  readonly callbacks?: readonly Callback[]
  /** Present when the operation is deprecated. */
  readonly deprecation?: Deprecation
}

/** A request that the service sends: what happened. */
export interface SentRequest {
  /** The key in the document's `webhooks` or in the `callbacks` of an operation. */
  readonly name: string
  /** The method as requests spell it, such as `POST`. */
  readonly method: string
  /** The content of the body in each media type, JSON first; absent when the document describes none. */
  readonly content?: readonly MediaType[]
}

/** A request that the service sends because of an operation. */
export interface Callback extends SentRequest {
  /** The address: a text with runtime expressions, such as `{$request.body#/callbackUrl}` (OpenAPI, "Callback Object"). */
  readonly url: string
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
  /** The flag of the query without which a request gets another response, such as `envelope`; absent when any request may get it. */
  readonly flag?: string
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

/** The newest format of compiled modules that this version reads. A later format can add parts, such as bindings. */
export const CONTRACT_FORMAT: number = 1

/** What a contract is told that shows only when it is served. */
export interface ContractReports {
  /** Called when first records of a collection cannot be generated. */
  readonly onRecordsMissing?: (missing: MissingRecords) => void
  /** Called once for each response whose body cannot be made. */
  readonly onResponseMissing?: (missing: MissingResponse) => void
}

/** First records that cannot be generated. */
export interface MissingRecords {
  /** The path of the collection, such as `/books`. */
  readonly path: string
  /** The names that lead from a record to the value that is the reason. */
  readonly property: readonly string[]
  /** Why: a clause without a full stop. */
  readonly reason: string
  /** How many records there are instead. */
  readonly count: number
}

/** A response whose body cannot be made, because no value matches its schema. */
export interface MissingResponse {
  /** Method and path of the operation, such as `GET /books`. */
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly mediaType: string
  /** Why: a clause without a full stop. */
  readonly reason: string
}

/** An example in the document. */
export interface DocumentedExample {
  /** The name in `examples`; absent for `example`. */
  readonly name?: string
  /** The value. A text may be the value as it is sent, such as JSON or XML. */
  readonly value: unknown
}

/** A query parameter that tells operations on one path apart, such as `action=list` of the path key `/x?action=list`. */
export interface QueryCondition {
  readonly name: string
  /** The value that the request must have; absent when any value is right. */
  readonly value?: string
  /** Whether a header with this name counts, too. A fragment, such as `#X-Amz-Target=List`, does not say where it is sent. */
  readonly orHeader?: true
}

/** How the value of a parameter is written as text (OpenAPI, "Style Values"). */
export type ParameterStyle =
  | 'matrix'
  | 'label'
  | 'simple'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie'

/** How the value of a parameter becomes text. */
export interface ParameterSerialization {
  /** How a value is written as text; default: `form` in a query and a cookie, `simple` in a path and a header. */
  readonly style?: ParameterStyle
  /** Whether each value of a list or object is written on its own; default: for the style `form` only. */
  readonly explode?: boolean
  /** The media type of the text, where the parameter has `content` instead of a style. */
  readonly mediaType?: string
  /** Whether an empty text is allowed whatever the schema says. */
  readonly allowEmptyValue?: true
}

/** How a property of a form is written (OpenAPI, "Encoding Object"). */
export interface PropertyEncoding {
  /** The media type of the part; several are separated by commas. */
  readonly contentType?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
}

/** The names and record types of a service, for the compiler. The build writes those of the shipped contract. */
export interface ServiceTypes {
  /** The names of the operations. */
  readonly operation: string
  /** The record types of each collection, by the last segment of its path. */
  readonly collections: Readonly<Record<string, RecordTypes>>
  /** The names of the plans that a sandbox of the service starts with. */
  readonly plan?: string
  /** The API keys that a sandbox of the service starts with. */
  readonly key?: string
  /** The names of the scenarios that a sandbox of the service starts with. */
  readonly scenario?: string
}

/** A name that editors complete. Other names are accepted, too, because plans, keys and scenarios can be added. */
export type NameOf<Types extends ServiceTypes, Kind extends 'plan' | 'key' | 'scenario'> =
  Types extends Readonly<Record<Kind, infer Name extends string>> ? Name | (string & {}) : string

/** The name of a scenario that a sandbox has. Without types, any text. */
export type ScenarioOf<Types extends ServiceTypes> =
  Types extends Readonly<Record<'scenario', infer Name extends string>> ? Name : string

/** The types of a collection's records. */
export interface RecordTypes {
  /** The type of a record's id. */
  readonly id: number | string
  /** A stored record. */
  readonly record: Readonly<Record<string, unknown>>
  /** A record to create. The id and the properties with a default are optional. */
  readonly created: Readonly<Record<string, unknown>>
}

/** The deprecation and removal of an operation: the document's `x-deprecation`. */
export interface Deprecation {
  /** When the operation was deprecated, in epoch milliseconds. */
  readonly date?: number
  /** When the operation is removed, in epoch milliseconds. */
  readonly sunset?: number
  /** The replacement: a path and query below the base address, or a URL. */
  readonly successor?: string
}

import type { SecurityScheme } from '../access/security-scheme.ts'
import type { MissingRecords } from './missing-records.ts'
import type { QueryCondition } from './query-condition.ts'
import type { ServiceHints } from './service-hints.ts'

/** The promises of a service, compiled from its OpenAPI document: plain data that is ready to serve. */
export interface Contract<Types extends ServiceTypes = ServiceTypes> {
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
  /** The names of all response headers that the document declares, each once; default: none. */
  readonly responseHeaders?: readonly string[]
  /** How clients can send credentials; default: a bearer token. */
  readonly securitySchemes?: readonly SecurityScheme[]
  /** What the document's `x-sandbox` says about the whole service. */
  readonly sandbox?: ServiceHints
  /** Called when first records of a collection cannot be generated. */
  readonly onRecordsMissing?: (missing: MissingRecords) => void
  /** The types of the service, for the compiler. Never present at run time. */
  readonly types?: Types
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

/** The types of a collection's records. */
export interface RecordTypes {
  /** The type of a record's id. */
  readonly id: number | string
  /** A stored record. */
  readonly record: Readonly<Record<string, unknown>>
  /** A record to create. The id and the properties with a default are optional. */
  readonly created: Readonly<Record<string, unknown>>
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
  /**
   * The credentials that the operation accepts: alternatives, each with the names of the security schemes that it needs
   * together. By default, any one scheme is enough.
   */
  readonly security?: readonly (readonly string[])[]
  /** What a request must have for this operation, when the document has others with the same method and path. */
  readonly conditions?: readonly QueryCondition[]
  /** The paths of the operation's own servers, which replace those of the contract. */
  readonly basePaths?: readonly string[]
  /** The parameters. The sandbox reads those of the path and the query. */
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  /** The documented responses, by ascending status, without `default`, status ranges and responses that are only forced. */
  readonly responses: readonly OperationResponse[]
  /** Present when the operation is deprecated. */
  readonly deprecation?: Deprecation
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
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
  /** The accepted media types, in lower case and without parameters. */
  readonly mediaTypes: readonly string[]
  /** The schema of a request, without read-only properties. */
  readonly schema: Schema
  readonly validate: SchemaValidator
  /** The first example, if there is one. */
  readonly example?: unknown
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
  /** The documented headers. The shipped contract omits them, because serving does not need them. */
  readonly headers?: readonly ResponseHeader[]
  /** Whether the body is a decision of the document's author, as in {@link OperationResponse.decision}. */
  readonly bodyDecision?: true
  /** Whether the document's author decided on this response (`x-decision`) because the specification does not mention it. */
  readonly decision?: true
}

/** A documented header of a response. */
export interface ResponseHeader {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
  readonly validate: SchemaValidator
  /** Whether the header is a decision of the document's author, as in {@link OperationResponse.decision}. */
  readonly decision?: true
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

/** A JSON Schema (2020-12). Its `$ref`s are resolved, except where a schema contains itself. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  /** The value that the service sets when a client omits the property: `default` or `x-sandbox: { default: … }`. */
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly readOnly?: boolean
  readonly writeOnly?: boolean
  readonly nullable?: boolean
  readonly [keyword: string]: unknown
}

/** A compiled schema: a function that returns whether a value is valid, and then has the `errors` of that value. */
export interface SchemaValidator {
  (value: unknown): boolean
  /** The errors of the value that was validated last; `null` when it was valid. */
  errors?: readonly ValidationError[] | null
}

/** One reason why a value does not match its schema, in Ajv's terms. */
export interface ValidationError {
  /** A JSON Pointer into the validated value. */
  readonly instancePath: string
  /** The keyword of the schema that the value violates. */
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** What a service promises, compiled from its OpenAPI document: plain data, ready to serve. */
export interface Contract<Types extends ServiceTypes = ServiceTypes> {
  /** The document's `info.title`. */
  readonly title: string
  /** The document's `info.version`. */
  readonly version: string
  /** The path of the base address, as `/v1`; empty when the API lives at the root. */
  readonly basePath: string
  /** In the document's order. */
  readonly operations: readonly Operation[]
  /** The names of all headers that the document declares in responses, each once; none when left out. */
  readonly responseHeaders?: readonly string[]
  /** What the compiler knows of the service. Never there at run time. */
  readonly types?: Types
}

/** The names and record types of a service, for the compiler to check. The build writes those of the contract that ships. */
export interface ServiceTypes {
  /** The names of the operations. */
  readonly operation: string
  /** The records of each collection, by the last word of its path. */
  readonly collections: Readonly<Record<string, RecordTypes>>
  /** The names of the plans, the API keys and the scenarios that a sandbox of the service starts with. */
  readonly plan?: string
  readonly key?: string
  readonly scenario?: string
}

/** A name that an editor completes. Others are accepted, too: plans, keys and scenarios may be added. */
export type NameOf<Types extends ServiceTypes, Kind extends 'plan' | 'key' | 'scenario'> =
  Types extends Readonly<Record<Kind, infer Name extends string>> ? Name | (string & {}) : string

/** The types of a collection's records. */
export interface RecordTypes {
  readonly id: number | string
  /** A record as it is stored. */
  readonly record: Readonly<Record<string, unknown>>
  /** A record as it is created: what the sandbox fills in, the id above all, may be left out. */
  readonly created: Readonly<Record<string, unknown>>
}

/** One method on one path. */
export interface Operation {
  /** `operationId`; method and path where the document gives none, as `GET /books`. */
  readonly id: string
  /** In capitals, as `GET`. */
  readonly method: string
  /** The path template below the base address, as `/books/{bookId}`. */
  readonly path: string
  readonly summary?: string
  /** Whether the document asks for an API key. */
  readonly secured: boolean
  /** Path and query parameters; headers and cookies are not read. */
  readonly parameters: readonly Parameter[]
  readonly body?: RequestBody
  /**
   * The answers the document gives, by status in ascending order. `default`, ranges, and answers that are given only when
   * they are forced are left out.
   */
  readonly responses: readonly OperationResponse[]
  /** Present when the operation is deprecated. */
  readonly deprecation?: Deprecation
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
  /** Whether a value, read from its text, fits the schema. */
  readonly validate: SchemaValidator
}

/** The body that an operation takes. */
export interface RequestBody {
  readonly required: boolean
  /** The media types accepted, in lower case and without parameters. */
  readonly mediaTypes: readonly string[]
  /** What a request may bring: without read-only properties. */
  readonly schema: Schema
  /** Whether a body fits the schema. */
  readonly validate: SchemaValidator
}

/** An answer that the document gives to an operation. */
export interface OperationResponse {
  readonly status: number
  /** Of the JSON content; absent when the response has no content. */
  readonly schema?: Schema
  /** Whether a body is what the document promises; absent when `schema` is. */
  readonly validate?: SchemaValidator
  /** The first example of the JSON content, if the document gives one. */
  readonly example?: unknown
  /** What the document says of its headers; left out of the contract that ships, which serves without. */
  readonly headers?: readonly ResponseHeader[]
  /** Whether its body is a decision, as {@link OperationResponse.decision}. */
  readonly bodyDecision?: true
  /**
   * Whether the answer as such is a decision of the document's author (`x-decision`), where the service's specification
   * is silent.
   */
  readonly decision?: true
}

/** A header of an answer. */
export interface ResponseHeader {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema
  readonly validate: SchemaValidator
  /** Whether the header is a decision (`x-decision`), as {@link OperationResponse.decision}. */
  readonly decision?: true
}

/** When an operation was deprecated and goes away: the document's `x-deprecation`. */
export interface Deprecation {
  /** Epoch milliseconds. */
  readonly date?: number
  /** Epoch milliseconds from which on the operation is gone. */
  readonly sunset?: number
  /** What replaces it: a path and query below the base address, or a whole address. */
  readonly successor?: string
}

/** A JSON Schema (2020-12) with `$ref`s resolved, except where a schema contains itself. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  /** What the service sets where a client leaves the value out: `default`, or `x-sandbox: { default: … }`. */
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

/** A compiled schema. After a `false`, `errors` says what is wrong, in Ajv's terms. */
export interface SchemaValidator {
  (value: unknown): boolean
  errors?: readonly ValidationError[] | null
}

/** One thing that a check found wrong. */
export interface ValidationError {
  /** A JSON pointer into the value checked. */
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

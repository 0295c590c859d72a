import type { DocumentedExample, PropertyEncoding } from './contract.ts'
import type { Schema } from './schema.ts'

/** What a document says about an operation in words, schemas and examples. */
export interface OperationDocumentation {
  /** CommonMark, as all descriptions. */
  readonly description?: string
  readonly parameters: readonly DocumentedParameter[]
  readonly body?: DocumentedBody
  /** By their statuses and ranges, in the order of the document. */
  readonly responses: readonly DocumentedResponse[]
  /**
   * The schemas that a `$ref` of the other parts names, directly or through others, the nearest first. Of a very large document, the
   * farthest are left out.
   */
  readonly schemas: Readonly<Record<string, Schema>>
}

/** A parameter, as the document describes it. */
export interface DocumentedParameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly deprecated?: true
  readonly schema: Schema
  readonly examples: readonly DocumentedExample[]
}

/** The body of a request, or of a response with one status. */
export interface DocumentedBody {
  readonly description?: string
  readonly content: readonly DocumentedContent[]
}

/** The content of a body in one media type. */
export interface DocumentedContent {
  /** As the document spells it. */
  readonly mediaType: string
  /** Absent when any content is allowed. */
  readonly schema?: Schema
  readonly examples: readonly DocumentedExample[]
  readonly encoding?: Readonly<Record<string, PropertyEncoding>>
}

export interface DocumentedResponse extends DocumentedBody {
  /** Such as `200`, `4XX` or `default`. */
  readonly status: string
  readonly headers: readonly Omit<DocumentedParameter, 'in'>[]
}

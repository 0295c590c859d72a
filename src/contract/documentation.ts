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
  /** The descriptions that are more than one plain paragraph, as parts, by the text. Absent when they were not asked for. */
  readonly texts?: Readonly<Record<string, readonly TextPart[]>>
}

/** A part of a text in CommonMark: plain text, or an element that contains parts. */
export type TextPart = string | TextElement

/** An element of CommonMark. None of its texts is HTML. */
export interface TextElement {
  readonly kind:
    | 'paragraph'
    | 'heading'
    | 'quote'
    | 'list'
    | 'numbered-list'
    | 'item'
    | 'code-block'
    | 'rule'
    | 'strong'
    | 'emphasis'
    | 'code'
    | 'line-break'
    | 'link'
  readonly parts: readonly TextPart[]
  /** Where a link leads, as it is written: it may have any scheme. */
  readonly url?: string
  /** The first number of a numbered list. */
  readonly start?: number
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

import type { CoreResponse } from '../../http/message.ts'
import type { ChosenMediaType } from '../choose-media-type.ts'

/** A body, and its `Content-Type` where that is not the one of the document. */
export interface WrittenContent {
  readonly body: CoreResponse['body']
  readonly contentType?: string
}

/** Writes values in one kind of media types. */
export interface ContentWriter {
  /** Whether a text example is the content as it is sent, and no value to be written. */
  readonly takesText: boolean
  /** Whether all content is the same small file, so that no value is needed. */
  readonly isFile?: true
  /** Whether the content is the JSON text of the value. */
  readonly isJson?: true
  /** Whether the content has several values. A schema that is not of a list describes each of them. */
  readonly isSequence?: true
  /** Content for schemas of a string, where the document has no example. */
  readonly sample?: string
  /** `name` is what the value is called, such as `books`. */
  readonly write: (value: unknown, chosen: ChosenMediaType, name: string) => WrittenContent
}

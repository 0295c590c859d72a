import type { Problem } from '../http/problem.ts'
import type { Note } from '../journal/exchange.ts'

/** The valid input of a request. */
export interface Input {
  readonly path: Readonly<Record<string, unknown>>
  /** A parameter that was not sent has its default value or is absent. */
  readonly query: Readonly<Record<string, unknown>>
  /** The header parameters by their documented names; absent when the operation has none. */
  readonly header?: Readonly<Record<string, unknown>>
  /** The cookie parameters; absent when the operation has none. */
  readonly cookie?: Readonly<Record<string, unknown>>
  /** Contains only the properties that the schema knows. */
  readonly body?: unknown
  /** The files in a body of `multipart/form-data`, or the body that is a file, whose contents `body` has; absent when there are none. */
  readonly files?: readonly SentFile[]
  /**
   * Whether the body is not valid, and the request is served all the same, or contains an integer that JavaScript does not hold exactly: what
   * it says is shown as it was sent. Default: no.
   */
  readonly isUnchecked?: true
}

/** A file in a body of `multipart/form-data`, or a body that is one. */
export interface SentFile {
  /** What the client calls it; absent for a whole body. */
  readonly name?: string
  /** Its media type; absent when the client does not say it. */
  readonly mediaType?: string
  readonly bytes: Uint8Array
}

/** The result of reading a request: its input, or the problem of the first error. */
export type Reading = (
  | { readonly input: Input; readonly problem?: never }
  | { readonly problem: Problem; readonly input?: never }
) & {
  /** The parts of the request that are not used. */
  readonly notes: readonly Note[]
  /** The complete body; absent when it was not read. */
  readonly body?: Uint8Array
}

/** How a request is read. */
export interface ReadOptions {
  /** The maximum number of notes. By default, any number. */
  readonly maxNotes?: number
  /** The size limit of the body in bytes. By default, 10 MiB. */
  readonly bodyLimit?: number
  /** What happens to properties of the body that the schema does not name. By default, `drop`. */
  readonly unknownProperties?: 'drop' | 'keep'
  /** Whether integers are taken that JavaScript does not hold exactly; default: where unknown properties are kept. */
  readonly takesLargeIntegers?: boolean
  /** Where credentials are sent. They are checked elsewhere. By default, nowhere. */
  readonly credentials?: CredentialNames
  /** What happens to a request that is not valid. By default, `error`. */
  readonly validation?: Validation
}

/**
 * What happens to a request that is not valid: `error` refuses it, `warn` serves it and notes what is wrong, `off` serves it without
 * a note.
 */
export type Validation = 'error' | 'warn' | 'off'

export const VALIDATIONS: readonly Validation[] = ['error', 'warn', 'off']

/**
 * What happens to an id that no record has: `auto` answers 404 where the document has one, and makes a record where it has none; `404`
 * always refuses; `create` always makes a record. What was removed is a 404.
 */
export type UnknownIds = 'auto' | '404' | 'create'

export const UNKNOWN_IDS: readonly UnknownIds[] = ['auto', '404', 'create']

/** The names of the query parameters, headers (in lower case) or cookies that are credentials. */
export interface CredentialNames {
  namesOf(part: 'parameter' | 'header' | 'cookie'): readonly string[]
}

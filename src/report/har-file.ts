import type { Exchange, ExchangeError, Note } from '../journal/exchange.ts'
import {
  arrayOf,
  date,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type ShapeCheck,
  text,
} from './json-shape.ts'

export interface HarHeader {
  readonly name: string
  readonly value: string
}

/** A body as text. With an `encoding`, the text is that of the bytes in base64. */
export interface HarBody {
  readonly text?: string | null
  readonly encoding?: string | null
}

/** The fields of an archive's entry that a report reads. Fields that only a sandbox writes have an underscore. */
export interface HarEntry {
  readonly startedDateTime: string
  readonly time?: number | null
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly HarHeader[]
    readonly postData?: HarBody | null
  }
  readonly response: {
    /** 0 or -1 when there was no response. */
    readonly status: number
    readonly headers: readonly HarHeader[]
    readonly content?: HarBody | null
  }
  readonly _id?: number
  readonly _follows?: number
  readonly _caller?: Exchange['caller']
  readonly _key?: string
  readonly _client?: string
  readonly _plan?: string
  readonly _reason?: string
  readonly _forced?: string
  readonly _notes?: readonly Note[]
  readonly _errors?: readonly ExchangeError[]
}

/** The fields of an HTTP archive that a report reads. */
export interface HarFile {
  readonly log: { readonly entries: readonly HarEntry[] }
}

/** The notes of a sandbox about a request. */
export const NOTES: ShapeCheck = arrayOf(
  object({
    kind: oneOf(
      'unknown-parameter',
      'dropped-property',
      'invalid-input',
      'deprecated-operation',
      'ignored-preference',
    ),
    place: text,
  }),
)

/** The errors of a request. */
export const ERRORS: ShapeCheck = arrayOf(object({ location: text, keyword: optional(text) }))

/** The result of the authentication. */
export const CALLER: ShapeCheck = oneOf('valid', 'missing', 'invalid')

const HEADERS = arrayOf(object({ name: text, value: text }))
const BODY = nullable(object({ text: nullable(text), encoding: nullable(text) }))

const ENTRY = object({
  startedDateTime: date,
  time: nullable(number),
  request: object({ method: text, url: text, headers: HEADERS, postData: BODY }),
  response: object({ status: integer(-1, 999), headers: HEADERS, content: BODY }),
  _id: optional(integer(1)),
  _follows: optional(integer(0)),
  _caller: optional(CALLER),
  _key: optional(text),
  _client: optional(text),
  _plan: optional(text),
  _reason: optional(text),
  _forced: optional(text),
  _notes: optional(NOTES),
  _errors: optional(ERRORS),
})

const HAR = object({ log: object({ entries: arrayOf(ENTRY) }) })

/** Why a value is not an HTTP archive, for instance `log.entries[0].time must be a number`; `undefined` for an archive. */
export function describeHarError(value: unknown): string | undefined {
  return HAR(value, '')
}

/** Whether a value has the fields of an HTTP archive that a report reads. */
export function isHar(har: unknown): har is HarFile {
  return describeHarError(har) === undefined
}

/** The text of a body; `undefined` when there is none, or when it is in an encoding that cannot be read. */
export function bodyText(body: HarBody | null | undefined): string | undefined {
  const { text, encoding } = body ?? {}
  if (!(text && encoding)) return text ?? undefined
  if (encoding.toLowerCase() !== 'base64') return undefined
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  } catch {
    return undefined
  }
}

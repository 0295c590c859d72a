import type { Exchange, ExchangeError, Note } from '../journal/exchange.ts'
import {
  date,
  listOf,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type ShapeCheck,
  text,
  whole,
} from './json-shape.ts'

export interface HarHeader {
  readonly name: string
  readonly value: string
}

/** As much of an archive's entry as a report reads; what a sandbox adds has an underscore. */
export interface HarEntry {
  readonly startedDateTime: string
  readonly time?: number | null
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly HarHeader[]
    readonly postData?: { readonly text?: string | null } | null
  }
  readonly response: {
    /** 0 or -1 where there was no answer. */
    readonly status: number
    readonly headers: readonly HarHeader[]
    readonly content?: { readonly text?: string | null } | null
  }
  readonly _id?: number
  readonly _follows?: number
  readonly _caller?: Exchange['caller']
  readonly _plan?: string
  readonly _reason?: string
  readonly _forced?: string
  readonly _notes?: readonly Note[]
  readonly _errors?: readonly ExchangeError[]
}

/** An HTTP archive, as far as a report reads one. */
export interface HarFile {
  readonly log: { readonly entries: readonly HarEntry[] }
}

/** What a sandbox notes of a request. */
export const NOTES: ShapeCheck = listOf(
  object({
    kind: oneOf(
      'unknown-parameter',
      'dropped-property',
      'deprecated-operation',
      'ignored-preference',
    ),
    place: text,
  }),
)

/** What was wrong with a request. */
export const ERRORS: ShapeCheck = listOf(object({ location: text, keyword: optional(text) }))

/** Whether a key was valid. */
export const CALLER: ShapeCheck = oneOf('valid', 'missing', 'invalid')

const HEADERS = listOf(object({ name: text, value: text }))
const BODY = nullable(object({ text: nullable(text) }))

const ARCHIVED = object({
  startedDateTime: date,
  time: nullable(number),
  request: object({ method: text, url: text, headers: HEADERS, postData: BODY }),
  response: object({ status: whole(-1, 999), headers: HEADERS, content: BODY }),
  _id: optional(whole(1)),
  _follows: optional(whole(0)),
  _caller: optional(CALLER),
  _plan: optional(text),
  _reason: optional(text),
  _forced: optional(text),
  _notes: optional(NOTES),
  _errors: optional(ERRORS),
})

const HAR = object({ log: object({ entries: listOf(ARCHIVED) }) })

/** What of a value is not as in an HTTP archive, as `log.entries[0].time must be a number`; `undefined` for an archive. */
export function describeHarError(value: unknown): string | undefined {
  return HAR(value, '')
}

/** Whether it is an HTTP archive, as far as a report reads one. */
export function isHar(har: unknown): har is HarFile {
  return describeHarError(har) === undefined
}

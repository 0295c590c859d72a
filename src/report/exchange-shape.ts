import { CALLER, ERRORS, NOTES } from './har-file.ts'
import {
  arrayOf,
  integer,
  number,
  object,
  optional,
  type ShapeCheck,
  text,
  timestamp,
} from './json-shape.ts'

const pair: ShapeCheck = (value, place) =>
  arrayOf(text)(value, place) ?? integer(2, 2)(Object(value).length, `${place}.length`)

const MESSAGE = object({ headers: arrayOf(pair), body: optional(text) })

const EXCHANGES = arrayOf(
  object({
    id: integer(1),
    follows: optional(integer(0)),
    time: timestamp,
    method: text,
    target: text,
    operation: optional(text),
    caller: CALLER,
    key: optional(text),
    client: optional(text),
    plan: optional(text),
    status: integer(0, 999),
    reason: optional(text),
    refusal: optional(object({ code: text, message: text, errors: optional(ERRORS) })),
    forced: optional(text),
    notes: NOTES,
    milliseconds: number,
    request: MESSAGE,
    response: MESSAGE,
  }),
)

/** Why the exchanges of another sandbox are not valid; `undefined` when they are. */
export function describeExchangesError(exchanges: unknown): string | undefined {
  return EXCHANGES(exchanges, 'exchanges')
}

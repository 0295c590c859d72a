import { CALLER, ERRORS, NOTES } from './har-file.ts'
import {
  listOf,
  moment,
  number,
  object,
  optional,
  type ShapeCheck,
  text,
  whole,
} from './json-shape.ts'

const pair: ShapeCheck = (value, place) =>
  listOf(text)(value, place) ?? whole(2, 2)(Object(value).length, `${place}.length`)

const MESSAGE = object({ headers: listOf(pair), body: optional(text) })

const EXCHANGES = listOf(
  object({
    id: whole(1),
    follows: optional(whole(0)),
    time: moment,
    method: text,
    target: text,
    operation: optional(text),
    caller: CALLER,
    key: optional(text),
    plan: text,
    status: whole(0, 999),
    reason: optional(text),
    refusal: optional(object({ code: text, message: text, errors: optional(ERRORS) })),
    forced: optional(text),
    notes: NOTES,
    milliseconds: number,
    request: MESSAGE,
    response: MESSAGE,
  }),
)

/** What of the exchanges that a sandbox elsewhere told is not as it must be, for a report on them. */
export function describeExchangesError(exchanges: unknown): string | undefined {
  return EXCHANGES(exchanges, 'exchanges')
}

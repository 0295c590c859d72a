import { groupBy } from '../validation/objects.ts'
import { UsageError } from '../validation/usage-error.ts'
import { toOneLine } from './format.ts'
import {
  arrayOf,
  boolean,
  CALLER,
  integer,
  NOTES,
  number,
  object,
  oneOf,
  optional,
  text,
  timestamp,
} from './json-shape.ts'
import { missingRequestNotices } from './recordings.ts'
import type { ReportEntry } from './report-entry.ts'

/** The contents of a JSON report from which another report can be made. */
export interface ReportContents {
  readonly recordings: readonly (readonly ReportEntry[])[]
  /** Without the notices that follow from the recordings. */
  readonly notices: readonly string[]
}

/**
 * Reads a JSON report; `undefined` for a value that is not a report. Throws a UsageError for a report on another API and
 * for an invalid one; `name` is its name in the message.
 */
export function readReport(value: unknown, title: string, name = 'it'): ReportContents | undefined {
  if (!isTitled(value)) return undefined
  if (value.title !== title) {
    throw new UsageError({
      code: 'other_contract',
      task: `report on ${name}`,
      reason: `it is a report on ${toOneLine(value.title)}, not on ${title}`,
      help: 'Name its document with --openapi.',
    })
  }
  const { entries } = value
  if (!areEntries(entries)) {
    throw new UsageError({
      code: 'invalid_report',
      task: `read ${name}`,
      reason: ENTRIES(entries, 'entries') ?? 'it is not valid',
      help: 'Give the JSON of a report without changes.',
    })
  }
  return {
    recordings: [...groupBy(entries, ({ recording }) => recording).values()],
    notices: readNotices(value.notices, entries),
  }
}

function readNotices(notices: unknown, entries: readonly ReportEntry[]): readonly string[] {
  const texts = Array.isArray(notices) ? notices.filter((one) => typeof one === 'string') : []
  const derived = missingRequestNotices(entries)
  return texts.filter((text) => !derived.includes(text))
}

const ENTRIES = arrayOf(
  object({
    id: text,
    recording: integer(1),
    world: optional(text),
    number: optional(integer(1)),
    follows: optional(integer(0)),
    time: timestamp,
    end: number,
    method: text,
    target: text,
    operation: optional(text),
    caller: CALLER,
    key: text,
    client: optional(text),
    plan: optional(text),
    status: integer(0, 999),
    refusal: optional(oneOf('minute', 'day', 'ban', 'limit')),
    forced: boolean,
    retryAt: optional(timestamp),
    notes: NOTES,
    faults: arrayOf(text),
    code: optional(text),
    body: optional(text),
    next: optional(text),
    window: optional(object({ limit: integer(0), remaining: integer(0), reset: timestamp })),
    remote: boolean,
  }),
)

function areEntries(entries: unknown): entries is readonly ReportEntry[] {
  return ENTRIES(entries, 'entries') === undefined
}

function isTitled(value: unknown): value is {
  readonly title: string
  readonly entries: unknown
  readonly notices?: unknown
} {
  const { title, entries } = Object(value)
  return typeof title === 'string' && Array.isArray(entries)
}

import { UsageError } from '../validation/usage-error.ts'
import type { Entry } from './entry.ts'
import { toOneLine } from './format.ts'
import { CALLER, NOTES } from './har-file.ts'
import { flag, listOf, moment, number, object, oneOf, optional, text, whole } from './json-shape.ts'

/**
 * The recordings that a report, as JSON, was made from; `undefined` for what is no report. Throws a UsageError for one of
 * another API, and for one that was changed into something else; `name` is what it is told as.
 */
export function readReport(value: unknown, title: string, name = 'it'): Entry[][] | undefined {
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
  const recordings = new Map<number, Entry[]>()
  for (const entry of entries) {
    const recording = recordings.get(entry.recording) ?? []
    recording.push(entry)
    recordings.set(entry.recording, recording)
  }
  return [...recordings.values()]
}

const ENTRIES = listOf(
  object({
    id: text,
    recording: whole(1),
    world: optional(text),
    number: optional(whole(1)),
    follows: optional(whole(0)),
    time: moment,
    end: number,
    method: text,
    target: text,
    operation: optional(text),
    caller: CALLER,
    key: text,
    plan: optional(text),
    status: whole(0, 999),
    refusal: optional(oneOf('minute', 'day', 'ban', 'limit')),
    forced: flag,
    retryAt: optional(moment),
    notes: NOTES,
    faults: listOf(text),
    code: optional(text),
    body: optional(text),
    next: optional(text),
    window: optional(object({ limit: whole(0), remaining: whole(0), reset: moment })),
    remote: flag,
  }),
)

function areEntries(entries: unknown): entries is readonly Entry[] {
  return ENTRIES(entries, 'entries') === undefined
}

function isTitled(value: unknown): value is { readonly title: string; readonly entries: unknown } {
  const { title, entries } = Object(value)
  return typeof title === 'string' && Array.isArray(entries)
}

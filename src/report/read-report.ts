import { UsageError } from '../usage-error.ts'
import type { Entry } from './entry.ts'

/**
 * The recordings that a report, as JSON, was made from; `undefined` for what is no report. Throws a UsageError for one of
 * another API; `name` is what it is told as.
 */
export function readReport(value: unknown, title: string, name = 'it'): Entry[][] | undefined {
  if (!isReport(value)) return undefined
  if (value.title !== title) {
    throw new UsageError(
      'other_contract',
      `Cannot report on ${name}: it is about ${value.title}, not about ${title}. Name its document by --openapi.`,
    )
  }
  const recordings = new Map<number, Entry[]>()
  for (const entry of value.entries) {
    const recording = recordings.get(entry.recording) ?? []
    recording.push(entry)
    recordings.set(entry.recording, recording)
  }
  return [...recordings.values()]
}

function isReport(
  value: unknown,
): value is { readonly title: string; readonly entries: readonly Entry[] } {
  const { title, entries } = Object(value)
  return typeof title === 'string' && Array.isArray(entries) && entries.every(isEntry)
}

function isEntry(value: unknown): value is Entry {
  const { time, end, method, target, status, key, notes, faults, recording, body } = Object(value)
  return (
    [time, end, status, recording].every(Number.isFinite) &&
    [method, target, key].every((one) => typeof one === 'string') &&
    [notes, faults].every(Array.isArray) &&
    faults.every((fault: unknown) => typeof fault === 'string') &&
    notes.every((note: unknown) => typeof Object(note).place === 'string') &&
    (body === undefined || typeof body === 'string')
  )
}

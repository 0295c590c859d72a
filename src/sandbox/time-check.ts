import { milliseconds } from '../duration.ts'
import { is, type ValueCheck } from './value-check.ts'

/** A moment of one meaning everywhere: date, time and zone as ISO 8601 writes them. */
export const INSTANT: ValueCheck = is(
  'no instant with a zone',
  'Write it as 2030-12-05T00:00:00Z.',
  isInstant,
)

/** A length of time. */
export const DURATION: ValueCheck = is(
  'no duration',
  'Write it as 5m.',
  (value) => lengthOf(value) >= 0,
)

/** A length of time, or two between which it lies. */
export const LATENCY: ValueCheck = is(
  'no duration',
  'Write it as 200ms, or as 100ms..2s.',
  isLatency,
)

const ISO_INSTANT = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

function isInstant(value: unknown): boolean {
  const [text, day = ''] = ISO_INSTANT.exec(typeof value === 'string' ? value : '') ?? []
  // Date takes the 30th of February for the 2nd of March.
  return !Number.isNaN(Date.parse(text ?? '')) && new Date(day).toISOString().startsWith(day)
}

function isLatency(value: unknown): boolean {
  const ends = typeof value === 'string' ? value.split('..') : [value]
  const [least = 0, most = 0] = [ends[0], ends.at(-1)].map(lengthOf)

  return ends.length <= 2 && least >= 0 && least <= most
}

/** In milliseconds; no number for what is no duration. */
function lengthOf(value: unknown): number {
  if (typeof value !== 'string' && typeof value !== 'number') return Number.NaN
  try {
    return milliseconds(value)
  } catch {
    return Number.NaN
  }
}

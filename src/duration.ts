import { UsageError } from './usage-error.ts'

/** Milliseconds as a number, or text: `500ms`, `61s`, `5m`, `2h`, `1d`, `1h30m`, or ISO 8601 as `PT61S`. */
export type Duration = number | string

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const SHORT = /^(?:(\d+(?:\.\d+)?)(ms|s|m|h|d))+$/
const ISO = /^P(?=\d|T\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** A duration in milliseconds, rounded to whole ones. */
export function milliseconds(duration: Duration): number {
  const length = typeof duration === 'number' ? duration : parse(duration.trim())
  if (Number.isFinite(length)) return Math.round(length)

  throw new UsageError(
    'invalid_duration',
    `Cannot read the duration "${duration}": it is none. Write 61s, 5m, 1h30m, PT61S or milliseconds.`,
  )
}

function parse(text: string): number {
  const iso = ISO.exec(text)
  if (iso) {
    const [, days = 0, hours = 0, minutes = 0, seconds = 0] = iso
    return (
      ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000
    )
  }
  if (/^\d+$/.test(text)) return Number(text)
  if (!SHORT.test(text)) return Number.NaN

  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)
  return [...parts].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  )
}

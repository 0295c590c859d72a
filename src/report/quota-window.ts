import type { QuotaHeader } from '../contract/quota-header.ts'
import { headerIn } from '../http/headers.ts'
import type { Exchange } from '../journal/exchange.ts'
import { isTimestamp } from './json-shape.ts'
import type { ReportEntry } from './report-entry.ts'

type Headers = Exchange['request']['headers']

/** The usual headers of quotas. */
const USUAL: readonly QuotaHeader[] = [
  { name: 'X-RateLimit-Limit', figure: 'limit' },
  { name: 'X-RateLimit-Remaining', figure: 'remaining' },
  { name: 'X-RateLimit-Reset', figure: 'reset', unit: 'epoch-seconds' },
]

/** The quota window by the headers that the document has for it; `undefined` when a header is missing or invalid. */
export function quotaWindow(
  headers: Headers,
  time: number,
  names: readonly QuotaHeader[] = USUAL,
): ReportEntry['window'] {
  const numberOf = (figure: QuotaHeader['figure']): number => {
    const sent = names.flatMap((one) => {
      const text =
        one.figure === figure ? headerIn(headers, one.name.toLowerCase())?.trim() : undefined
      return text ? [{ text, unit: one.unit }] : []
    })
    const [first] = sent

    return first ? figureIn(first.text, first.unit, time) : Number.NaN
  }
  const limit = numberOf('limit')
  const used = numberOf('used')
  const left = numberOf('remaining')
  const remaining = Number.isNaN(left) ? limit - used : left
  const reset = numberOf('reset')
  const isValid =
    [limit, remaining].every((count) => Number.isSafeInteger(count) && count >= 0) &&
    isTimestamp(reset)

  return isValid ? { limit, remaining, reset } : undefined
}

/** The number in a header; the epoch milliseconds of a reset. */
function figureIn(text: string, unit: QuotaHeader['unit'], time: number): number {
  switch (unit) {
    case 'date-time':
      return Date.parse(text)
    case 'epoch-seconds':
      return Number(text) * 1000
    case 'seconds':
      // Rounded up by the server, so that the responses of one window would have different ends.
      return Math.floor((time + Number(text) * 1000) / 1000) * 1000
    default:
      return Number(text)
  }
}

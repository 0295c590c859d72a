/** A header of the document that has a figure of the caller's quota. */
export interface QuotaHeader {
  readonly name: string
  readonly figure: 'limit' | 'remaining' | 'used' | 'reset'
  /** Present for `reset`: seconds from now, a Unix time, or a date as in RFC 3339. */
  readonly unit?: 'seconds' | 'epoch-seconds' | 'epoch-milliseconds' | 'date-time'
}

/** The figure that a header has, by its name; `undefined` for a header that has none. */
export function quotaFigureOf(name: string): QuotaHeader['figure'] | undefined {
  const [, rest] = /^(?:x-)?(?:\w+-)*?rate-?limit-?(.*)$/i.exec(name) ?? []
  if (rest === undefined || /policy|window|resource|type|scope|unit|interval/i.test(rest))
    return undefined
  if (/remaining|left|available/i.test(rest)) return 'remaining'
  if (/reset|retry/i.test(rest)) return 'reset'
  if (/used|consumed|count/i.test(rest)) return 'used'

  return /^$|limit|max|quota|total/i.test(rest) && !/^ratelimit$/i.test(name) ? 'limit' : undefined
}

import { linkTo } from '../../http/headers.ts'
import type { ProbeResponse } from './probe-messages.ts'

/** The integer in a header; `undefined` when it is missing or not an integer. */
export function integerIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name) ?? ''
  return /^-?\d+$/.test(text) ? Number(text) : undefined
}

/** The wait that `Retry-After` requests, in milliseconds: seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfter({ headers, time }: ProbeResponse): number | undefined {
  const text = headers.get('Retry-After') ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)

  return Number.isNaN(date) ? undefined : Math.max(0, date - time)
}

/** The target of the link with this relation (RFC 8288). */
export function linkOf(headers: Headers, relation: string): string | undefined {
  return linkTo(headers.get('Link') ?? '', relation)
}

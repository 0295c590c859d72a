import { createScheme, type Scheme, type SecurityScheme } from '../access/security-scheme.ts'
import type { QuotaHeader } from '../contract/hints.ts'
import type { RateLimit, WriteQuota } from '../http/response-headers.ts'

// A page with a service that has only bearer tokens and the usual headers does not load this module.

/** The security schemes of a document. */
export function createSchemes(schemes: readonly SecurityScheme[]): readonly Scheme[] {
  return schemes.flatMap(createScheme)
}

/** Writes the figures of a quota into the headers that a document has for them. */
export function createQuotaWriter(headers: readonly QuotaHeader[]): WriteQuota {
  return (rateLimit, now) =>
    Object.fromEntries(headers.map((header) => [header.name, figureText(header, rateLimit, now)]))
}

function figureText(
  { figure, unit }: QuotaHeader,
  { limit, remaining, reset }: RateLimit,
  now: number,
): string {
  if (figure === 'limit') return String(limit)
  if (figure === 'remaining') return String(remaining)
  if (figure === 'used') return String(limit - remaining)
  if (unit === 'date-time') return new Date(reset).toISOString()
  if (unit === 'epoch-milliseconds') return String(reset)

  return String(unit === 'seconds' ? Math.max(0, Math.ceil((reset - now) / 1000)) : reset / 1000)
}

import { type QuotaHeader, quotaFigureOf } from '../../contract/quota-header.ts'
import type { RateLimitFigure, ServiceHints } from '../../contract/service-hints.ts'
import { isDocumentableHeader } from '../../http/headers.ts'
import { type Document, resolveRef } from '../document.ts'
import type { JsonObject } from '../json-value.ts'
import type { OperationEntry } from '../operations.ts'

/** The headers that the hints of the document name; `undefined` when they name none. */
export function givenQuotaHeaders({
  rateLimitHeaders,
}: ServiceHints = {}): readonly QuotaHeader[] | undefined {
  if (!rateLimitHeaders) return undefined
  return Object.entries(rateLimitHeaders).map(([name, figure]) => ({ name, ...FIGURES[figure] }))
}

const FIGURES: Readonly<Record<RateLimitFigure, Omit<QuotaHeader, 'name'>>> = {
  limit: { figure: 'limit' },
  remaining: { figure: 'remaining' },
  used: { figure: 'used' },
  resetSeconds: { figure: 'reset', unit: 'seconds' },
  resetEpochSeconds: { figure: 'reset', unit: 'epoch-seconds' },
  resetEpochMilliseconds: { figure: 'reset', unit: 'epoch-milliseconds' },
  resetDateTime: { figure: 'reset', unit: 'date-time' },
}

/** The usual headers, which need not be described. */
const USUAL = /^x-ratelimit-(limit|remaining|reset)$/i

/**
 * The headers that the document has for quotas, each once, by the first response that declares it; `undefined` when it has none
 * but the usual ones.
 */
export function quotaHeadersOf(
  entries: readonly OperationEntry[],
  document: Document,
): readonly QuotaHeader[] | undefined {
  const found = new Map<string, QuotaHeader>()
  for (const { operation } of entries) {
    for (const response of Object.values(resolveRef(document, operation.responses))) {
      const headers = resolveRef(document, resolveRef(document, response).headers)
      for (const [name, header] of Object.entries(headers)) {
        const figure = quotaFigureOf(name)
        if (!figure || !isDocumentableHeader(name) || found.has(name.toLowerCase())) continue
        const unit = figure === 'reset' && unitOf(name, resolveRef(document, header), document)
        found.set(name.toLowerCase(), { name, figure, ...(unit && { unit }) })
      }
    }
  }
  const headers = [...found.values()]
  const isUsual = headers.every(
    ({ name, unit = 'epoch-seconds' }) => USUAL.test(name) && unit === 'epoch-seconds',
  )

  return isUsual ? undefined : headers
}

/** Only the example, the schema and the description tell what a reset is. By custom, it is a Unix time in `X-` headers only. */
function unitOf(
  name: string,
  header: JsonObject,
  document: Document,
): NonNullable<QuotaHeader['unit']> {
  const schema = resolveRef(document, header.schema)
  const example = Number(header.example ?? schema.example)
  const text = `${name} ${header.description ?? ''} ${schema.description ?? ''}`
  if (schema.format === 'date-time') return 'date-time'
  if (example > 1e12) return 'epoch-milliseconds'
  if (example > 1e9) return 'epoch-seconds'
  if (/milliseconds since|epoch.*milliseconds|milliseconds.*epoch/i.test(text))
    return 'epoch-milliseconds'
  if (/epoch|unix|timestamp|1970/i.test(text)) return 'epoch-seconds'
  if (example > 0 || /seconds|reset-after/i.test(text)) return 'seconds'

  return /^x-/i.test(name) ? 'epoch-seconds' : 'seconds'
}

import type { OperationUsage } from '../conduct.ts'
import { escapeXml } from '../escape-xml.ts'
import { formatDuration, toOneLine } from '../format.ts'
import type { Report } from '../report.ts'

const MAX_ROWS = 100
const MAX_WAITS = 6

/** Waits that are shorter by so many milliseconds still count as long enough. */
const TOLERANCE = 30

/** How each API key used each operation, and how long it waited after a 429. */
export function usageTable({ conduct, recordings }: Report): string {
  const rows = conduct.slice(0, MAX_ROWS).map((usage) => row(usage, recordings > 1))
  const more = conduct.length - MAX_ROWS

  return `<div class="card scroll"><table class="wide"><tr><th>Key</th><th>Operation</th><th class="count">Requests</th><th class="count">429</th><th class="count">Too early</th><th>Wait (actual of requested)</th></tr>
${rows.join('\n')}</table>${more > 0 ? `<p class="quiet">And ${more} more; the JSON report contains all.</p>` : ''}</div>`
}

function row(usage: OperationUsage, isOneOfSeveral: boolean): string {
  const { recording, key, operation = 'no operation', requests, refused, early, waits } = usage
  const badges = waits.slice(0, MAX_WAITS).map(({ waited, asked }) => {
    const isTooShort = waited < asked - TOLERANCE
    return `<span class="badge ${isTooShort ? 'error' : 'fits'}">${formatDuration(waited)} of ${formatDuration(asked)}</span>`
  })
  const more = waits.length > MAX_WAITS ? ` and ${waits.length - MAX_WAITS} more` : ''
  const name = isOneOfSeveral ? `${recording}: ${key}` : key

  return `<tr><td class="id name">${word(name)}</td><td>${word(operation)}</td><td class="count">${requests}</td><td class="count">${refused}</td><td class="count">${early}</td><td>${badges.join(' ')}${more}</td></tr>`
}

function word(text: string): string {
  return `<span class="word">${escapeXml(toOneLine(text))}</span>`
}

import { count } from '../../validation/usage-error.ts'
import { escapeXml } from '../escape-xml.ts'
import { formatDuration, toOneLine } from '../format.ts'
import type { Report } from '../report.ts'
import type { ReportEntry } from '../report-entry.ts'
import type { Finding } from '../rules.ts'
import { findingScope } from '../text.ts'

const MAX_FINDINGS = 100
const MAX_EXCHANGES = 40

const BADGES = { error: 'error', warning: 'warning', note: 'note-badge' } as const

/** The findings, each with its exchanges. */
export function findingCards({ findings, entries }: Report): string {
  if (findings.length === 0) return '<p class="card">No findings.</p>'
  const entriesById = new Map(entries.map((entry) => [entry.id, entry]))
  const more = findings.length - MAX_FINDINGS

  return [
    ...findings.slice(0, MAX_FINDINGS).map((finding) => card(finding, entriesById)),
    more > 0 ? `<p class="quiet">And ${more} more; the JSON report contains all.</p>` : '',
  ].join('\n')
}

function card(finding: Finding, entriesById: ReadonlyMap<string, ReportEntry>): string {
  const { severity, rule, message, clause, fails, entries } = finding
  const shown = entries.slice(0, MAX_EXCHANGES).flatMap((id) => entriesById.get(id) ?? [])
  const more = entries.length - shown.length

  return `<section class="card">
<header><span class="badge ${BADGES[severity]}">${severity}</span><h3>${rule}</h3><span class="quiet">${escapeXml(findingScope(finding))}</span>${fails ? '<span class="badge failed-badge">makes the report fail</span>' : ''}</header>
<p>${escapeXml(message)}</p><p class="clause">${escapeXml(clause)}</p>
<details><summary>${count(entries.length, 'exchange')}</summary><div class="scroll"><table class="wide">
<tr><th>#</th><th>Time</th><th>Request</th><th class="count">Status</th><th>Retry-After</th></tr>
${shown.map(row).join('\n')}</table></div>${more > 0 ? `<p class="quiet">And ${more} more; the JSON report contains all.</p>` : ''}</details>
</section>`
}

function row({ id, time, method, target, status, retryAt }: ReportEntry): string {
  const wait = retryAt === undefined ? '' : formatDuration(retryAt - time)
  return `<tr><td class="id">${escapeXml(id)}</td><td class="id">${clockTime(time)}</td><td><code>${escapeXml(toOneLine(`${method} ${target}`))}</code></td><td class="count">${status || 'none'}</td><td>${wait}</td></tr>`
}

function clockTime(time: number): string {
  return new Date(time).toISOString().slice(11, 23)
}

import type { Entry } from '../entry.ts'
import type { Finding } from '../findings.ts'
import { escapeXml } from '../junit.ts'
import type { Report } from '../report.ts'
import { toOneLine } from '../rules.ts'
import { findingScope } from '../text.ts'

/** So many exchanges are shown of a finding; the JSON has all. */
const MOST_SHOWN = 40
const MOST_FINDINGS = 100

const BADGES = { error: 'error', warning: 'warning', note: 'note-badge' } as const

/** What was found, each with the exchanges that show it. */
export function findingCards({ findings, entries }: Report): string {
  if (findings.length === 0) return '<p class="card">Nothing was found.</p>'
  const known = new Map(entries.map((entry) => [entry.id, entry]))
  const left = findings.length - MOST_FINDINGS

  return [
    ...findings.slice(0, MOST_FINDINGS).map((finding) => card(finding, known)),
    left > 0 ? `<p class="quiet">And ${left} more, which the JSON has.</p>` : '',
  ].join('\n')
}

function card(finding: Finding, known: ReadonlyMap<string, Entry>): string {
  const { severity, rule, message, clause, fails, entries } = finding
  const shown = entries.slice(0, MOST_SHOWN).flatMap((id) => known.get(id) ?? [])
  const left = entries.length - shown.length
  const count = entries.length === 1 ? '1 exchange' : `${entries.length} exchanges`

  return `<section class="card">
<header><span class="badge ${BADGES[severity]}">${severity}</span><h3>${rule}</h3><span class="quiet">${escapeXml(findingScope(finding))}</span>${fails ? '<span class="badge failed-badge">fails the report</span>' : ''}</header>
<p>${escapeXml(message)}</p><p class="clause">${escapeXml(clause)}</p>
<details><summary>${count}</summary><div class="scroll"><table class="wide">
<tr><th>#</th><th>Time</th><th>Request</th><th class="count">Status</th><th>Retry after</th></tr>
${shown.map(row).join('\n')}</table></div>${left > 0 ? `<p class="quiet">And ${left} more.</p>` : ''}</details>
</section>`
}

function row({ id, time, method, target, status, retryAt }: Entry): string {
  const wait = retryAt === undefined ? '' : `${Math.round((retryAt - time) / 100) / 10} s`
  return `<tr><td class="id">${escapeXml(id)}</td><td class="id">${clockTime(time)}</td><td><code>${escapeXml(toOneLine(`${method} ${target}`))}</code></td><td class="count">${status || 'none'}</td><td>${wait}</td></tr>`
}

function clockTime(time: number): string {
  return new Date(time).toISOString().slice(11, 23)
}

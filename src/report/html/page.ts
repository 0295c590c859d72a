import { escapeXml } from '../junit.ts'
import type { Report } from '../report.ts'
import { headline } from '../text.ts'
import { ignoredErrorsSentence } from '../verdict-sentence.ts'
import { coverageTable } from './coverage-table.ts'
import { findingCards } from './finding-cards.ts'
import { planTable } from './plan-table.ts'
import { REQUEST_RESULTS, RESULT_LABELS } from './request-results.ts'
import { STYLE } from './style.ts'
import { timelineCharts } from './timeline-charts.ts'
import { usageTable } from './usage-table.ts'

const TITLES = { passed: 'Passed', failed: 'Failed', 'not-judged': 'Not judged' } as const

/** What is told of a verdict that has no reasons. */
const UNREASONED = {
  passed: 'Nothing was found that makes it fail.',
  failed: '',
  'not-judged': 'No rule and no coverage was given that can fail the report.',
} as const

/** A report as one page, which loads nothing and runs nothing. */
export function toHtml(report: Report): string {
  const { verdict, reasons, notices, fit } = report
  const unjudged = verdict === 'passed' ? ignoredErrorsSentence(report) : undefined
  const why = reasons.join('; ') || [UNREASONED[verdict], unjudged].filter(Boolean).join(' ')

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(`${TITLES[verdict]}: how the client of ${report.title} behaved`)}</title>
<style>${STYLE}</style>
</head>
<body><main>
<h1>How the client behaved</h1>
<p class="quiet">${escapeXml(headline(report))}${period(report)}</p>
<div class="verdict"><span class="badge ${verdict}-badge">${TITLES[verdict].toLowerCase()}</span><span>${escapeXml(why)}</span></div>
${notices.map((notice) => `<p class="notice">${escapeXml(notice)}</p>`).join('')}
${tileRow(report)}
<h2>Requests against the quota</h2>
${legend()}
${timelineCharts(report)}
<p class="quiet">Times are UTC, by the clock that the quotas went by.</p>
<h2>Findings</h2>
${findingCards(report)}
<h2>By key and operation</h2>
${usageTable(report)}
${fit ? `<h2>Which plan is enough</h2>\n${planTable(fit)}` : ''}
<h2>Coverage of the contract</h2>
${coverageTable(report.coverage)}
<footer>Made by <code>pet-sandbox report</code>.</footer>
</main></body>
</html>
`
}

function period({ entries }: Report): string {
  const times = entries.map(({ time }) => time)
  if (times.length === 0) return ''
  const first = times.reduce((one, other) => Math.min(one, other))
  const last = times.reduce((one, other) => Math.max(one, other))
  const [from, until] = [first, last].map((time) =>
    new Date(time).toISOString().slice(0, 19).replace('T', ' '),
  )
  return from === until ? `, ${from}` : `, ${from} to ${until}`
}

function tileRow({ requests, conduct, coverage, findings, fit }: Report): string {
  const sum = (name: 'refused' | 'early'): number =>
    conduct.reduce((all, one) => all + one[name], 0)
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const told = errors === 0 ? '' : `, ${errors} of them ${errors === 1 ? 'an error' : 'errors'}`
  const tiles: readonly (readonly [value: string | number, name: string, isBad?: boolean])[] = [
    [requests, plural(requests, 'request')],
    [sum('refused'), 'refused with 429'],
    [sum('early'), 'sent too early', sum('early') > 0],
    [findings.length, `${plural(findings.length, 'finding')}${told}`],
    [`${coverage.percent} %`, 'of the contract met'],
    ...(fit ? [[fit.needs ?? 'none', 'is the plan that is enough'] as const] : []),
  ]
  const shown = tiles.map(
    ([value, name, isBad = false]) =>
      `<div class="tile${isBad ? ' bad' : ''}"><b>${escapeXml(typeof value === 'number' ? value.toLocaleString('en') : value)}</b><span>${name}</span></div>`,
  )

  return `<div class="tiles">${shown.join('')}</div>`
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`
}

function legend(): string {
  const kinds = REQUEST_RESULTS.map(
    (kind) => `<span><i class="${kind}"></i>${RESULT_LABELS[kind]}</span>`,
  )
  return `<div class="legend">${kinds.join('')}
<span><i class="zone-wait"></i>asked to wait (Retry-After)</span><span><i class="zone-ban"></i>key banned</span>
<span><i class="line"></i>quota used</span></div>`
}

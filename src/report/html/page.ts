import { escapeXml } from '../escape-xml.ts'
import type { Report } from '../report.ts'
import { explainVerdict, headline } from '../text.ts'
import { coverageTable } from './coverage-table.ts'
import { findingCards } from './finding-cards.ts'
import { planTable } from './plan-table.ts'
import { REQUEST_RESULTS, RESULT_LABELS } from './request-results.ts'
import { STYLE } from './style.ts'
import { tiles } from './tiles.ts'
import { timelineCharts } from './timelines.ts'
import { usageTable } from './usage-table.ts'

const VERDICTS = { passed: 'Passed', failed: 'Failed', 'not-judged': 'Not judged' } as const

/** A report as one HTML page, without scripts and without other files. */
export function toHtml(report: Report): string {
  const { verdict, notices, fit } = report

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(`${VERDICTS[verdict]}: how the client of ${report.title} behaved`)}</title>
<style>${STYLE}</style>
</head>
<body><main>
<h1>How the client behaved</h1>
<p class="quiet">${escapeXml(headline(report))}${period(report)}</p>
<div class="verdict ${verdict}"><span class="badge ${verdict}-badge">${VERDICTS[verdict]}</span><span>${escapeXml(explainVerdict(report))}</span></div>
${notices.map((notice) => `<p class="notice">${escapeXml(notice)}</p>`).join('')}
${tiles(report)}
<h2>Requests and quota</h2>
${legend()}
${timelineCharts(report)}
<p class="quiet">All times are in UTC.</p>
<h2>Findings</h2>
${findingCards(report)}
<h2>Requests by key and operation</h2>
${usageTable(report)}
${fit ? `<h2>Plans</h2>\n${planTable(fit)}` : ''}
<h2>Coverage of the contract</h2>
${coverageTable(report.coverage)}
<footer>Created by <code>pet-sandbox report</code>.</footer>
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

function legend(): string {
  const results = REQUEST_RESULTS.map(
    (result) => `<span><i class="${result}"></i>${RESULT_LABELS[result]}</span>`,
  )
  return `<div class="legend">${results.join('')}
<span><i class="zone-wait"></i>wait requested by Retry-After</span><span><i class="zone-ban"></i>key banned</span>
<span><i class="line"></i>quota used</span><span><i class="reset-line"></i>quota reset</span></div>`
}

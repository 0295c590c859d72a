import type { JSX } from 'preact'
import { count, plural } from '../../validation/usage-error.ts'
import type { OperationUsage } from '../conduct.ts'
import { escapeXml, formatDuration, formatNumber, toOneLine } from '../format.ts'
import type { Report } from '../report.ts'
import type { ReportEntry } from '../report-entry.ts'
import type { Finding } from '../rules.ts'
import { headline } from '../text.ts'
import { Legend } from './chart.tsx'
import { renderToText } from './render.ts'
import { endsOf } from './scale.ts'
import {
  CoverageList,
  CoverageSummary,
  FindingText,
  PlainTable,
  Plans,
  Receivers,
  UsageTable,
  VERDICTS,
  Verdict,
} from './sections.tsx'
import { STYLE } from './style.ts'
import { Timelines } from './timelines.tsx'

/** A report as one HTML page, without scripts and without other files. */
export function toHtml(report: Report): string {
  const title = `${VERDICTS[report.verdict].name}: how the client of ${report.title} behaved`

  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>${renderToText(<Page report={report} />)}</body>
</html>
`
}

const MAX_FINDINGS = 100
const MAX_ROWS = 100

function Page({ report }: { readonly report: Report }): JSX.Element {
  const { verdict, notices, fit, findings, entries, conduct, recordings, coverage, receivers } =
    report
  const byId = new Map(entries.map((entry) => [entry.id, entry]))

  return (
    <main>
      <h1>How the client behaved</h1>
      <p class="quiet">{headline(report) + period(entries)}</p>
      <div class={`verdict ${verdict}`}>
        <Verdict report={report} />
      </div>
      {notices.map((notice) => (
        <p key={notice} class="notice">
          {notice}
        </p>
      ))}
      <Tiles report={report} />
      <h2>Requests and quota</h2>
      <Legend />
      <Timelines report={report} />
      <p class="quiet">All times are in UTC.</p>
      <h2>Findings</h2>
      {findings.length === 0 && <p class="card">No findings.</p>}
      {findings.slice(0, MAX_FINDINGS).map((finding) => (
        <section key={finding} class="card">
          <FindingText finding={finding} />
          <Exchanges finding={finding} byId={byId} />
        </section>
      ))}
      <More count={findings.length - MAX_FINDINGS} />
      <h2>Requests by key and operation</h2>
      <div class="card">
        <UsageTable conduct={conduct.slice(0, MAX_ROWS)} recordings={recordings} />
        <More count={conduct.length - MAX_ROWS} />
      </div>
      {receivers && (
        <>
          <h2>Receivers of events</h2>
          <Receivers receivers={receivers} />
        </>
      )}
      {fit && (
        <>
          <h2>Plans</h2>
          <div class="card">
            <Plans fit={fit} />
          </div>
        </>
      )}
      <h2>Coverage of the contract: {coverage.percent} %</h2>
      <div class="card">
        <CoverageSummary coverage={coverage} />
        <CoverageList operations={coverage.operations} />
      </div>
      <footer>
        Created by <code>pet-sandbox report</code>.
      </footer>
    </main>
  )
}

/** Says how much a list leaves out. */
function More({ count: hidden }: { readonly count: number }): JSX.Element | null {
  if (hidden <= 0) return null
  return <p class="quiet">And {hidden} more; the JSON report contains all.</p>
}

/** `, 2027-03-01 12:00:00 to 2027-03-01 12:04:10`. */
function period(entries: readonly ReportEntry[]): string {
  if (entries.length === 0) return ''
  const [from, until] = endsOf(entries.map(({ time }) => time)).map((time) =>
    new Date(time).toISOString().slice(0, 19).replace('T', ' '),
  )
  return from === until ? `, ${from}` : `, ${from} to ${until}`
}

interface Tile {
  readonly value: string | number
  readonly label: string
  readonly isBad?: boolean
}

/** The most important numbers of a report. */
function Tiles({ report }: { readonly report: Report }): JSX.Element {
  const { requests, conduct, coverage, findings, fit } = report
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const found = plural(findings.length, 'finding')
  const early = sum(conduct, 'early')
  const tiles: readonly Tile[] = [
    { value: requests, label: plural(requests, 'request') },
    { value: sum(conduct, 'refused'), label: 'refused with 429' },
    { value: early, label: 'sent too early', isBad: early > 0 },
    { value: findings.length, label: errors > 0 ? `${found} (${count(errors, 'error')})` : found },
    { value: `${coverage.percent} %`, label: 'contract coverage' },
    ...(fit ? [{ value: fit.needs ?? 'none', label: 'smallest sufficient plan' }] : []),
  ]

  return (
    <div class="tiles">
      {tiles.map(({ value, label, isBad }) => (
        <div key={label} class={isBad ? 'tile bad' : 'tile'}>
          <b>{typeof value === 'number' ? formatNumber(value) : value}</b>
          <span>{label}</span>
        </div>
      ))}
    </div>
  )
}

function sum(conduct: readonly OperationUsage[], name: 'refused' | 'early'): number {
  return conduct.reduce((total, usage) => total + usage[name], 0)
}

const MAX_EXCHANGES = 40

interface ExchangesProps {
  readonly finding: Finding
  /** All entries of the report. */
  readonly byId: ReadonlyMap<string, ReportEntry>
}

function Exchanges({ finding: { entries }, byId }: ExchangesProps): JSX.Element {
  const shown = entries.slice(0, MAX_EXCHANGES).flatMap((id) => byId.get(id) ?? [])
  const rows = shown.map(({ id, time, method, target, status, retryAt }) => [
    <code>{id}</code>,
    <code>{new Date(time).toISOString().slice(11, 23)}</code>,
    <code>{toOneLine(`${method} ${target}`)}</code>,
    status || 'none',
    retryAt !== undefined && formatDuration(retryAt - time),
  ])
  const columns = ['#', 'Time', 'Request', 'Status', 'Retry-After']

  return (
    <details>
      <summary>{count(entries.length, 'exchange')}</summary>
      <PlainTable label="Exchanges" columns={columns} numbers={['Status']} rows={rows} />
      <More count={entries.length - shown.length} />
    </details>
  )
}

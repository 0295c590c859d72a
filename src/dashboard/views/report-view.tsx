import type { JSX } from 'preact'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { byRefusals } from '../../report/conduct.ts'
import type { Coverage } from '../../report/coverage.ts'
import { formatNumber } from '../../report/format.ts'
import {
  CoverageList,
  CoverageSummary,
  FindingText,
  Plans,
  UsageTable,
  Verdict,
} from '../../report/html/sections.tsx'
import type { Report } from '../../report/report.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import type { Finding } from '../../report/rules.ts'
import { headline } from '../../report/text.ts'
import { plural } from '../../validation/usage-error.ts'
import { fileName, saveFile, useAction, useLoaded, usePage, useTraffic } from '../page.ts'
import { Button, Empty, ErrorText, Pending, useFirst } from '../parts/elements.tsx'
import { Field, Select, useSearch } from '../parts/field.tsx'
import type { Route } from '../route.ts'

/** How the client behaved until now. */
export function ReportView(): JSX.Element {
  const { client, route } = usePage()
  const settings = readOptions(route.query)
  const { value, error, reload } = useLoaded(async () => {
    const last = await client.journal.last()
    return { last, report: await client.report(settings.options) }
  }, [settings.failOn, settings.minCoverage])
  if (!value) return <Pending error={error} />
  const { report, last } = value
  const { findings, conduct, coverage, fit } = report

  return (
    <div class="view report">
      <ReportHead report={report} settings={settings} last={last} onRefresh={reload} />
      {error !== undefined && <ErrorText>{error}</ErrorText>}
      {report.notices.map((notice) => (
        <p key={notice} class="callout warning">
          {notice}
        </p>
      ))}
      {report.requests === 0 ? (
        <Empty title="No requests yet">
          <p>Send requests to the API, and refresh the report.</p>
        </Empty>
      ) : (
        <FindingList findings={findings} entries={report.entries} />
      )}
      {conduct.length > 0 && <Usage report={report} />}
      {fit && (
        <section class="card" aria-label="Plans">
          <h2>Plans</h2>
          <Plans fit={fit} />
        </section>
      )}
      <CoverageSection coverage={coverage} />
    </div>
  )
}

interface HeadProps {
  readonly report: Report
  readonly settings: ReportSettings
  /** The id of the last exchange before the report was made. */
  readonly last: number
  readonly onRefresh: () => Promise<void>
}

/** The verdict, what decides it, and the downloads. */
function ReportHead({ report, settings, last, onRefresh }: HeadProps): JSX.Element {
  // Only the head is drawn again while requests arrive.
  const newer = Math.max(0, useTraffic().last - last)
  const { linkTo, change } = usePage()

  return (
    <section class="card report-head" aria-label="Verdict">
      <header class="card-head">
        <h2 class="long">{headline(report)}</h2>
        <a href={linkTo({ view: 'timeline' })}>Show the timeline</a>
      </header>
      <p aria-live="polite">
        <Verdict report={report} />
      </p>
      <div class="toolbar">
        <div class="row-form">
          <Select
            label="Fails on"
            value={settings.failOn}
            choices={Object.entries(FAILING_GROUPS).map(([value, label]) => ({ value, label }))}
            onChange={(failOn) => change({ failOn })}
          />
          <Field
            label="Minimum coverage (%)"
            value={settings.minCoverage}
            placeholder="0"
            onInput={(minCoverage) => change({ minCoverage })}
          />
        </div>
        <div class="buttons">
          <Button class={newer > 0 ? 'primary' : ''} onClick={() => void onRefresh()}>
            Refresh report
          </Button>
          <Downloads report={report} settings={settings} />
        </div>
      </div>
      {newer > 0 && (
        <p class="hint">
          {formatNumber(newer)} {plural(newer, 'request')} came since the report was made.
        </p>
      )}
    </section>
  )
}

/** The report as files. HTML and JUnit are made by the sandbox, with the present requests. */
function Downloads({ report, settings }: Pick<HeadProps, 'report' | 'settings'>): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const name = (extension: string): string => fileName(['report', client.name], extension)
  const downloads = {
    HTML: async () =>
      saveFile(name('html'), 'text/html', await client.reportAs('html', settings.options)),
    JSON: async () =>
      saveFile(name('json'), 'application/json', JSON.stringify(report, undefined, 2)),
    JUnit: async () =>
      saveFile(name('xml'), 'application/xml', await client.reportAs('junit', settings.options)),
  }

  return (
    <>
      {Object.entries(downloads).map(([format, save]) => (
        <button
          key={format}
          type="button"
          disabled={isBusy}
          onClick={() => run(save, `The report is saved as ${format}.`)}
        >
          Download {format}
        </button>
      ))}
    </>
  )
}

/** The groups of rules that can make the report fail, and their names. */
const FAILING_GROUPS = {
  errors: 'errors',
  warnings: 'errors and warnings',
  all: 'all findings',
  none: 'no finding',
} as const

interface ReportSettings {
  readonly failOn: keyof typeof FAILING_GROUPS
  readonly minCoverage: string
  readonly options: NonNullable<Parameters<SandboxClient['report']>[0]>
}

/** Reads the options of the report from the settings in the address. What is not valid there is the default. */
export function readOptions({ failOn = '', minCoverage = '' }: Route['query']): ReportSettings {
  const group = isGroup(failOn) ? failOn : 'errors'
  const percent = /^\d{1,3}$/.test(minCoverage) ? Number(minCoverage) : 0

  return {
    failOn: group,
    minCoverage,
    options: { plans: true, failOn: [group], ...(percent > 0 && { minCoverage: percent }) },
  }
}

function isGroup(name: string): name is ReportSettings['failOn'] {
  return Object.hasOwn(FAILING_GROUPS, name)
}

interface ListProps {
  readonly findings: readonly Finding[]
  readonly entries: readonly ReportEntry[]
}

/** More findings and more links of a finding are drawn on request. */
const SHOWN_FINDINGS = 50
const SHOWN_EXCHANGES = 12

/** The violations of rules, most severe first, with links to their exchanges. */
function FindingList({ findings, entries }: ListProps): JSX.Element {
  const { first, more } = useFirst(findings, SHOWN_FINDINGS, 'findings')
  const byId = new Map(entries.map((entry) => [entry.id, entry]))

  return (
    <section class="card" aria-label="Findings">
      <h2>
        Findings <span class="quiet">{formatNumber(findings.length)}</span>
      </h2>
      {findings.length === 0 && (
        <Empty title="No findings">
          <p>No request violated a rule.</p>
        </Empty>
      )}
      <ul class="findings">
        {first.map((finding) => (
          <FindingItem
            key={`${finding.rule} ${finding.operation} ${finding.key}`}
            finding={finding}
            entries={finding.entries.flatMap((id) => byId.get(id) ?? [])}
          />
        ))}
      </ul>
      {more}
    </section>
  )
}

interface ItemProps {
  readonly finding: Finding
  readonly entries: readonly ReportEntry[]
}

function FindingItem({ finding, entries }: ItemProps): JSX.Element {
  const { first, more } = useFirst(entries, SHOWN_EXCHANGES)
  const { linkTo } = usePage()

  return (
    <li>
      <FindingText finding={finding} />
      <p class="exchanges">
        {first.map(({ id, number, method, target, status }) => (
          <a
            key={id}
            title={`${method} ${target}: ${status}`}
            href={linkTo({ view: 'traffic', path: [String(number ?? id)] })}
          >
            #{id}
          </a>
        ))}
        {more}
      </p>
    </li>
  )
}

/** More rows are drawn on request. */
const SHOWN_ROWS = 20

/** How each key used each operation, those with the most refused requests first. */
function Usage({ report: { conduct, recordings } }: { readonly report: Report }): JSX.Element {
  const { first, more } = useFirst(byRefusals(conduct), SHOWN_ROWS, 'rows')

  return (
    <section class="card" aria-label="Requests by key and operation">
      <h2>Requests by key and operation</h2>
      <UsageTable conduct={first} recordings={recordings} />
      {more}
    </section>
  )
}

/** More operations are drawn on request. */
const SHOWN_OPERATIONS = 30
/** Longer lists get a search field. */
const SEARCHED = 10

/** Which parts of the contract the requests covered. */
function CoverageSection({ coverage }: { readonly coverage: Coverage }): JSX.Element {
  const { percent, operations } = coverage
  const search = useSearch('Search the coverage', 'Search operations')
  const found = operations.filter(({ operation, request }) =>
    search.isFound(`${operation} ${request}`),
  )
  const { first, more } = useFirst(found, SHOWN_OPERATIONS, 'operations')

  return (
    <section class="card" aria-label="Coverage">
      <h2>Coverage {percent} %</h2>
      <CoverageSummary coverage={coverage} />
      {operations.length > SEARCHED && search.field}
      <CoverageList operations={first} />
      {found.length === 0 && <p class="quiet">No operation matches.</p>}
      {more}
    </section>
  )
}

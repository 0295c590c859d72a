import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { type PlanResult, planSentence } from '../../report/compare-plans.ts'
import { formatDuration } from '../../report/format.ts'
import type { Report } from '../../report/report.ts'
import type { ReportEntry } from '../../report/report-entry.ts'
import type { Finding } from '../../report/rules.ts'
import { explainVerdict, findingScope, headline } from '../../report/text.ts'
import {
  fileName,
  saveFile,
  useAction,
  useLinks,
  useLoaded,
  usePage,
  useSettings,
  useTraffic,
} from '../page.ts'
import { Badge } from '../parts/badge.tsx'
import { Empty, Pending } from '../parts/elements.tsx'
import { Field, Select } from '../parts/field.tsx'
import { CoverageSection } from './report/coverage-section.tsx'
import { UsageTable } from './report/usage-table.tsx'

/** How the client behaved until now. */
export function ReportView(): JSX.Element {
  const { client, route } = usePage()
  const settings = readOptions(route.query)
  const { value, error, reload } = useLoaded(async () => {
    const last = await client.journal.last()
    return { last, report: await client.report(settings.options) }
  }, [client, settings.failOn, settings.minCoverage])
  const traffic = useTraffic()
  if (!value) return <Pending error={error} />
  const { report, last } = value
  const newer = Math.max(0, traffic.last - last)
  const { findings, conduct, coverage, fit } = report

  return (
    <div class="view report">
      <ReportHead report={report} settings={settings} newer={newer} onRefresh={reload} />
      {error !== undefined && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
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
      <UsageTable conduct={conduct} />
      {fit && (
        <section class="card" aria-label="Plans">
          <h2>Plans</h2>
          <p>{planSentence(fit)}</p>
          {fit.plans.length > 0 && <PlanTable results={fit.plans} />}
        </section>
      )}
      <CoverageSection coverage={coverage} />
    </div>
  )
}

interface HeadProps {
  readonly report: Report
  readonly settings: ReturnType<typeof readOptions>
  /** How many exchanges ended since the report was made. */
  readonly newer: number
  readonly onRefresh: () => Promise<void>
}

const VERDICTS = {
  passed: ['good', 'Passed'],
  failed: ['bad', 'Failed'],
  'not-judged': ['neutral', 'Not judged'],
} as const

/** The verdict, what decides it, and the downloads. */
function ReportHead({ report, settings, newer, onRefresh }: HeadProps): JSX.Element {
  const linkTo = useLinks()
  const change = useSettings()
  const [tone, name] = VERDICTS[report.verdict]

  return (
    <section class="card report-head" aria-label="Verdict">
      <header class="card-head">
        <h2 class="long">{headline(report)}</h2>
        <a href={linkTo({ view: 'timeline' })}>Show the timeline</a>
      </header>
      <p aria-live="polite">
        <Badge tone={tone}>{name}</Badge> {explainVerdict(report)}
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
          <button type="button" class={newer > 0 ? 'primary' : ''} onClick={() => void onRefresh()}>
            Refresh report
          </button>
          <Downloads report={report} settings={settings} />
        </div>
      </div>
      {newer > 0 && (
        <p class="hint">
          {newer === 1
            ? '1 request came since the report was made.'
            : `${newer.toLocaleString('en')} requests came since the report was made.`}
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
          onClick={() => void run(save, `The report is saved as ${format}.`)}
        >
          Download {format}
        </button>
      ))}
    </>
  )
}

/** What makes the report fail, as the client takes it. */
type ReportOptions = NonNullable<Parameters<SandboxClient['report']>[0]>

/** The groups of rules that can make the report fail, and their names. */
const FAILING_GROUPS = {
  errors: 'errors',
  warnings: 'errors and warnings',
  all: 'all findings',
  none: 'no finding',
} as const

type Group = keyof typeof FAILING_GROUPS

/** Reads the options of the report from the settings in the address. What is not valid there is the default. */
export function readOptions(query: Readonly<Record<string, string>>): {
  readonly options: ReportOptions
  readonly failOn: Group
  readonly minCoverage: string
} {
  const { failOn: wanted = '', minCoverage = '' } = query
  const failOn = isGroup(wanted) ? wanted : 'errors'
  const percent = /^\d{1,3}$/.test(minCoverage) ? Number(minCoverage) : 0

  return {
    failOn,
    minCoverage,
    options: {
      plans: true,
      failOn: [failOn],
      ...(percent > 0 && { minCoverage: percent }),
    },
  }
}

function isGroup(name: string): name is Group {
  return Object.hasOwn(FAILING_GROUPS, name)
}

interface ListProps {
  readonly findings: readonly Finding[]
  readonly entries: readonly ReportEntry[]
}

const TONES = { error: 'bad', warning: 'warning', note: 'neutral' } as const

/** More findings and more links of a finding are drawn on request. */
const SHOWN_FINDINGS = 50
const SHOWN_EXCHANGES = 12

/** The violations of rules, most severe first, with links to their exchanges. */
function FindingList({ findings, entries }: ListProps): JSX.Element {
  const [shown, setShown] = useState(SHOWN_FINDINGS)
  const byId = new Map(entries.map((entry) => [entry.id, entry]))

  return (
    <section class="card" aria-label="Findings">
      <h2>
        Findings <span class="quiet">{findings.length.toLocaleString('en')}</span>
      </h2>
      {findings.length === 0 && (
        <Empty title="No findings">
          <p>No request violated a rule.</p>
        </Empty>
      )}
      <ul class="findings">
        {findings.slice(0, shown).map((finding) => (
          <FindingItem
            key={`${finding.rule} ${finding.operation} ${finding.key}`}
            finding={finding}
            entries={finding.entries.flatMap((id) => byId.get(id) ?? [])}
          />
        ))}
      </ul>
      {findings.length > shown && (
        <button type="button" onClick={() => setShown(findings.length)}>
          Show {(findings.length - shown).toLocaleString('en')} more findings
        </button>
      )}
    </section>
  )
}

interface ItemProps {
  readonly finding: Finding
  readonly entries: readonly ReportEntry[]
}

function FindingItem({ finding, entries }: ItemProps): JSX.Element {
  const { severity, rule, message, clause, fails } = finding
  const [shown, setShown] = useState(SHOWN_EXCHANGES)
  const linkTo = useLinks()

  return (
    <li>
      <p class="finding-name">
        <Badge tone={TONES[severity]}>{severity}</Badge> <b>{rule}</b>{' '}
        <span class="quiet long">{findingScope(finding)}</span>
        {fails && <Badge tone="bad">makes the report fail</Badge>}
      </p>
      <p class="long">{message}</p>
      <p class="quiet">{clause}</p>
      <p class="exchanges">
        {entries.slice(0, shown).map(({ id, number, method, target, status }) => (
          <a
            key={id}
            title={`${method} ${target}: ${status}`}
            href={linkTo({ view: 'traffic', path: [String(number ?? id)] })}
          >
            #{id}
          </a>
        ))}
        {entries.length > shown && (
          <button type="button" class="small" onClick={() => setShown(entries.length)}>
            Show {(entries.length - shown).toLocaleString('en')} more
          </button>
        )}
      </p>
    </li>
  )
}

const COLUMNS = ['Per minute', 'Per day', 'Refused', 'Longest wait', 'Bans'] as const

/** What happens to the traffic on each plan, the smallest plan first. */
function PlanTable({ results }: { readonly results: readonly PlanResult[] }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <section class="scroll" tabIndex={0} aria-label="Table of plans">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col">Result</th>
            {COLUMNS.map((label) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <PlanRow key={result.plan} result={result} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function PlanRow({ result }: { readonly result: PlanResult }): JSX.Element {
  const { plan, minute, day, enough, refused, longestWait, bans } = result
  const counts = [minute, day, refused].map((count) => count.toLocaleString('en'))
  const cells = [...counts, formatDuration(longestWait), bans.toLocaleString('en')]

  return (
    <tr>
      <th scope="row">{plan}</th>
      <td>
        <Badge tone={enough ? 'good' : 'warning'}>{enough ? 'sufficient' : 'too small'}</Badge>
      </td>
      {COLUMNS.map((label, at) => (
        <td key={label} class="number">
          {cells[at]}
        </td>
      ))}
    </tr>
  )
}

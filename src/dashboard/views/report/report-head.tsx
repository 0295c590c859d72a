import type { JSX } from 'preact'
import { explainVerdict } from '../../../report/explain-verdict.ts'
import type { Report } from '../../../report/report.ts'
import { headline } from '../../../report/text.ts'
import { useLinks, usePage, useSettings } from '../../page.ts'
import { Badge } from '../../parts/badge.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { fileName, saveFile } from '../../parts/save-file.ts'
import { useAction } from '../../parts/use-action.ts'
import { FAILING_GROUPS, type readOptions } from './report-options.ts'

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
export function ReportHead({ report, settings, newer, onRefresh }: HeadProps): JSX.Element {
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

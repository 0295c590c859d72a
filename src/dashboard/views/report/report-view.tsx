import type { JSX } from 'preact'
import { planSentence } from '../../../report/plan-sentence.ts'
import { usePage, useTraffic } from '../../page.ts'
import { Empty, Pending } from '../../parts/empty.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { CoverageSection } from './coverage-section.tsx'
import { FindingList } from './finding-list.tsx'
import { PlanTable } from './plan-table.tsx'
import { ReportHead } from './report-head.tsx'
import { readOptions } from './report-options.ts'
import { UsageTable } from './usage-table.tsx'

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

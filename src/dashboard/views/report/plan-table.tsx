import type { JSX } from 'preact'
import type { PlanResult } from '../../../report/compare-plans.ts'
import { formatDuration } from '../../../report/format.ts'
import { Badge } from '../../parts/badge.tsx'

const COLUMNS = ['Per minute', 'Per day', 'Refused', 'Longest wait', 'Bans'] as const

/** What happens to the traffic on each plan, the smallest plan first. */
export function PlanTable({ results }: { readonly results: readonly PlanResult[] }): JSX.Element {
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

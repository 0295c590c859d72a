import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { OperationUsage } from '../../../report/conduct.ts'
import { formatDuration, toOneLine } from '../../../report/format.ts'

/** More rows are drawn on request. */
const SHOWN = 20
const MAX_WAITS = 4

const COLUMNS = ['Requests', '429', 'Too early'] as const

/** How each key used each operation, those with the most refused requests first. */
export function UsageTable({
  conduct,
}: {
  readonly conduct: readonly OperationUsage[]
}): JSX.Element | null {
  const [shown, setShown] = useState(SHOWN)
  if (conduct.length === 0) return null
  const rows = conduct.toSorted((one, two) => two.early - one.early || two.refused - one.refused)

  return (
    <section class="card" aria-label="Requests by key and operation">
      <h2>Requests by key and operation</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="Table of requests">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Operation</th>
              {COLUMNS.map((label) => (
                <th key={label} scope="col" class="number">
                  {label}
                </th>
              ))}
              <th scope="col">Wait (actual of requested)</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((usage) => (
              <UsageRow key={`${usage.key} ${usage.operation}`} usage={usage} />
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > shown && (
        <button type="button" onClick={() => setShown(rows.length)}>
          Show {(rows.length - shown).toLocaleString('en')} more rows
        </button>
      )}
    </section>
  )
}

function UsageRow({ usage }: { readonly usage: OperationUsage }): JSX.Element {
  const { key, operation = 'no operation', requests, refused, early, waits } = usage
  const shown = waits
    .slice(0, MAX_WAITS)
    .map(({ waited, asked }) => `${formatDuration(waited)} of ${formatDuration(asked)}`)
  const more = waits.length > MAX_WAITS ? ` and ${waits.length - MAX_WAITS} more` : ''

  return (
    <tr>
      <th scope="row">
        <code>{toOneLine(key)}</code>
      </th>
      <td>{toOneLine(operation)}</td>
      <td class="number">{requests.toLocaleString('en')}</td>
      <td class="number">{refused.toLocaleString('en')}</td>
      <td class="number">{early.toLocaleString('en')}</td>
      <td>{shown.join(', ') + more}</td>
    </tr>
  )
}

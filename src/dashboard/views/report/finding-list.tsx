import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Finding } from '../../../report/findings.ts'
import type { ReportEntry } from '../../../report/report-entry.ts'
import { findingScope } from '../../../report/text.ts'
import { useLinks } from '../../page.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'

interface ListProps {
  readonly findings: readonly Finding[]
  readonly entries: readonly ReportEntry[]
}

const TONES = { error: 'bad', warning: 'warning', note: 'neutral' } as const

/** More findings and more links of a finding are drawn on request. */
const SHOWN_FINDINGS = 50
const SHOWN_EXCHANGES = 12

/** The violations of rules, most severe first, with links to their exchanges. */
export function FindingList({ findings, entries }: ListProps): JSX.Element {
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

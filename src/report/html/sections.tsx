import type { ComponentChildren, JSX } from 'preact'
import { count, plural } from '../../validation/usage-error.ts'
import { type PlanComparison, planSentence } from '../compare-plans.ts'
import type { OperationUsage } from '../conduct.ts'
import { type Coverage, itemsOf, type OperationCoverage } from '../coverage.ts'
import { formatDuration, formatNumber, toOneLine } from '../format.ts'
import type { ReceiverJudgement } from '../receivers.ts'
import type { Report } from '../report.ts'
import type { Finding } from '../rules.ts'
import { explainVerdict, findingScope } from '../text.ts'

/** The meaning of a badge, which decides its color. The text says it, too. */
export type Tone = 'good' | 'neutral' | 'warning' | 'bad'

interface BadgeProps {
  readonly tone?: Tone
  readonly children: ComponentChildren
}

export function Badge({ tone = 'neutral', children }: BadgeProps): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** The verdicts for readers. */
export const VERDICTS = {
  passed: { tone: 'good', name: 'Passed' },
  failed: { tone: 'bad', name: 'Failed' },
  'not-judged': { tone: 'neutral', name: 'Not judged' },
} as const

/** The verdict of a report, and why it is what it is. */
export function Verdict({ report }: { readonly report: Report }): JSX.Element {
  const { tone, name } = VERDICTS[report.verdict]
  return (
    <>
      <Badge tone={tone}>{name}</Badge> <span>{explainVerdict(report)}</span>
    </>
  )
}

const SEVERITY_TONES = { error: 'bad', warning: 'warning', note: 'neutral' } as const

/** What a finding says. */
export function FindingText({ finding }: { readonly finding: Finding }): JSX.Element {
  const { severity, rule, message, clause, fails } = finding
  return (
    <>
      <header class="finding">
        <Badge tone={SEVERITY_TONES[severity]}>{severity}</Badge> <h3>{rule}</h3>{' '}
        <span class="quiet long">{findingScope(finding)}</span>{' '}
        {fails && <Badge tone="bad">makes the report fail</Badge>}
      </header>
      <p class="long">{message}</p>
      <p class="quiet clause">{clause}</p>
    </>
  )
}

interface TableProps {
  /** The name of the table for screen readers. */
  readonly label: string
  /** The heads of the columns. */
  readonly columns: readonly string[]
  /** The columns with numbers, which are on the right. */
  readonly numbers: readonly string[]
  /** The cells of each row. The first is its head. */
  readonly rows: readonly (readonly ComponentChildren[])[]
}

/** A table that scrolls where it is wider than the page. */
export function PlainTable({ label, columns, numbers, rows }: TableProps): JSX.Element {
  const classOf = (column = ''): string => (numbers.includes(column) ? 'number' : '')

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={classOf(column)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([head, ...cells], at) => (
            <tr key={at}>
              <th scope="row">{head}</th>
              {cells.map((cell, index) => (
                <td key={index} class={classOf(columns[index + 1])}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** How the receivers of events behaved. */
export function Receivers({
  receivers,
}: {
  readonly receivers: readonly ReceiverJudgement[]
}): JSX.Element {
  return (
    <>
      {receivers.map(({ url, subscription, requests, checks }) => (
        <section key={`${subscription} ${url}`} class="card">
          <h3 class="long">{toOneLine(url)}</h3>
          <p class="quiet">
            {count(requests, 'request')}
            {subscription !== undefined && `, subscription ${toOneLine(subscription)}`}
          </p>
          {checks.map(({ rule, verdict, message }) => (
            <p key={rule} class="long">
              <Badge tone={VERDICTS[verdict].tone}>{VERDICTS[verdict].name}</Badge> {rule}:{' '}
              {message}
            </p>
          ))}
        </section>
      ))}
    </>
  )
}

/** More waits of a row are counted only. */
const MAX_WAITS = 6

interface UsageTableProps {
  readonly conduct: readonly OperationUsage[]
  /** The number of recordings in the report. */
  readonly recordings: number
}

/** How each API key used each operation, and how long it waited after a 429. */
export function UsageTable({ conduct, recordings }: UsageTableProps): JSX.Element {
  const rows = conduct.map((usage) => [
    <code>{toOneLine(recordings > 1 ? `${usage.recording}: ${usage.key}` : usage.key)}</code>,
    toOneLine(usage.operation ?? 'no operation'),
    ...[usage.requests, usage.refused, usage.early].map(formatNumber),
    <Waits waits={usage.waits} />,
  ])
  const numbers = ['Requests', '429', 'Too early']
  const columns = ['Key', 'Operation', ...numbers, 'Wait (actual of requested)']

  return <PlainTable label="Table of requests" columns={columns} numbers={numbers} rows={rows} />
}

/** Waits that are shorter by so many milliseconds still count as long enough. */
const TOLERANCE = 30

function Waits({ waits }: Pick<OperationUsage, 'waits'>): JSX.Element {
  const more = waits.length - MAX_WAITS
  return (
    <>
      {waits.slice(0, MAX_WAITS).map(({ waited, asked }, at) => (
        <span key={at}>
          <Badge tone={waited < asked - TOLERANCE ? 'bad' : 'good'}>
            {formatDuration(waited)} of {formatDuration(asked)}
          </Badge>{' '}
        </span>
      ))}
      {more > 0 && `and ${more} more`}
    </>
  )
}

/** Which plan the traffic needs, and what happens to it on each plan, the smallest first. */
export function Plans({ fit }: { readonly fit: PlanComparison }): JSX.Element {
  const rows = fit.plans.map(({ plan, minute, day, enough, refused, longestWait, bans }) => [
    plan,
    <Badge tone={enough ? 'good' : 'warning'}>{enough ? 'sufficient' : 'too small'}</Badge>,
    ...[minute, day, refused].map(formatNumber),
    longestWait > 0 && formatDuration(longestWait),
    formatNumber(bans),
  ])
  const numbers = ['Per minute', 'Per day', 'Refused', 'Longest wait', 'Bans']
  const columns = ['Plan', 'Result', ...numbers]

  return (
    <>
      <p>{planSentence(fit)}</p>
      {rows.length > 0 && (
        <PlainTable label="Table of plans" columns={columns} numbers={numbers} rows={rows} />
      )}
    </>
  )
}

/** How much of the contract the requests covered. */
export function CoverageSummary({ coverage }: { readonly coverage: Coverage }): JSX.Element {
  const { percent, met, total } = coverage
  return (
    <>
      <ProgressBar percent={percent} />
      <p class="quiet">
        The requests covered {formatNumber(met)} of {formatNumber(total)} items: operations,
        response statuses, documented values and error cases. The number after × says how many
        requests covered an item.
      </p>
    </>
  )
}

function ProgressBar({ percent }: { readonly percent: number }): JSX.Element {
  return (
    <svg class="progress" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="6" fill="var(--soft)" />
      <rect width={percent} height="6" fill="var(--good)" />
    </svg>
  )
}

interface CoverageListProps {
  readonly operations: readonly OperationCoverage[]
}

/** The items of each operation, and how many requests covered them. */
export function CoverageList({ operations }: CoverageListProps): JSX.Element {
  return (
    <ul class="coverage">
      {operations.map((one) => (
        <CoveredOperation key={one.operation} coverage={one} />
      ))}
    </ul>
  )
}

function CoveredOperation({ coverage }: { readonly coverage: OperationCoverage }): JSX.Element {
  const { operation, request, count } = coverage
  const items = itemsOf(coverage)
  const covered = items.filter((item) => item.count > 0).length

  return (
    <li>
      <div class="long">
        <b>{operation}</b>
        <br />
        <code class="quiet">{request}</code>
      </div>
      <div>
        {count === 0 ? 'never called' : `${formatNumber(count)} ${plural(count, 'request')}`}
        <br />
        <span class="quiet">
          {covered} of {items.length} covered
        </span>
      </div>
      <p class="items">
        {items.map((item) => (
          <Badge key={item.name} tone={item.count > 0 ? 'good' : 'neutral'}>
            {item.name}
            {item.count > 0 && ` ×${formatNumber(item.count)}`}
          </Badge>
        ))}
      </p>
    </li>
  )
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ExchangeSummary } from '../../journal/exchange.ts'
import { formatDuration, formatNumber } from '../../report/format.ts'
import { usePage, useTraffic } from '../page.ts'
import { Button, Empty, Split, StatusBadge } from '../parts/elements.tsx'
import { type Choice, SearchField, Select } from '../parts/field.tsx'
import { type Column, RequestLine, Table } from '../parts/table.tsx'
import { type Counts, isEmpty, readFilter, type Traffic, type TrafficFilter } from '../traffic.ts'
import { BreakButton } from './break-dialog.tsx'
import { ExchangePanel } from './exchange-panel.tsx'

const COLUMNS: readonly Column<ExchangeSummary>[] = [
  {
    label: 'Request',
    class: 'main',
    cell: ({ method, target }) => <RequestLine method={method} target={target} />,
  },
  { label: 'Status', class: 'status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Operation', class: 'operation wide-only', cell: ({ operation = '–' }) => operation },
  { label: 'Reason', class: 'wide-only', cell: reasonOf },
  { label: 'Source', class: 'source wide-only', cell: ({ source = '–' }) => source },
  { label: 'Key', class: 'key wide-only', cell: ({ key = '–' }) => <code>{key}</code> },
  { label: 'Time', class: 'time wide-only', cell: ({ time }) => timeOfDay(time) },
  { label: 'Took', class: 'number', cell: ({ milliseconds }) => formatDuration(milliseconds) },
  {
    label: 'Break',
    class: 'action wide-only',
    cell: ({ operation, method, target }) => (
      <BreakButton isSmall {...{ method, target, ...(operation !== undefined && { operation }) }} />
    ),
  },
  { label: '#', class: 'number id', cell: ({ id }) => id },
]

/** The exchanges as they happen, newest first, and the one that is open. */
export function TrafficView(): JSX.Element {
  const { route } = usePage()
  const [id] = route.path

  return (
    <Split panel={id !== undefined && <ExchangePanel key={id} id={Number(id)} />}>
      <TrafficList />
    </Split>
  )
}

function TrafficList(): JSX.Element {
  const { route, linkTo } = usePage()
  const traffic = useTraffic()
  const filter = readFilter(route.query)
  const live = traffic.matching(filter)
  const { shown, isHeld, hold, release, releases } = useHold(live, traffic.generation)
  const newer = (live.at(-1)?.id ?? 0) - (shown.at(-1)?.id ?? 0)

  return (
    <section class="traffic" aria-label="Exchanges">
      <FilterBar traffic={traffic} filter={filter} matching={live.length} />
      {isHeld && newer > 0 && (
        <Button class="newer" onClick={release}>
          Show the newest exchanges
        </Button>
      )}
      <Table
        key={releases}
        label="Exchanges, newest first"
        columns={COLUMNS}
        rows={shown.toReversed()}
        keyOf={(exchange) => exchange.id}
        hrefOf={({ id }) => linkTo({ view: 'traffic', path: [String(id)], query: route.query })}
        selected={route.path[0]}
        onScroll={hold}
        empty={<NoTraffic isFiltered={!isEmpty(filter)} />}
      />
    </section>
  )
}

interface Hold {
  readonly shown: readonly ExchangeSummary[]
  readonly isHeld: boolean
  readonly hold: (top: number) => void
  /** Shows the newest exchanges again. */
  readonly release: () => void
  /** How often it was released. Then the list starts at its top again. */
  readonly releases: number
}

/** While the list is scrolled down, it stays as it is, so that rows do not move under the reader. */
function useHold(live: readonly ExchangeSummary[], generation: number): Hold {
  const [held, set] = useState<{ rows: typeof live; generation: number } | undefined>(undefined)
  const [releases, setReleases] = useState(0)
  const isHeld = held?.generation === generation

  return {
    shown: isHeld ? held.rows : live,
    isHeld,
    hold: (top) => {
      if (top > 0 && !isHeld) set({ rows: live, generation })
      if (top === 0 && isHeld) set(undefined)
    },
    release: () => {
      set(undefined)
      setReleases(releases + 1)
    },
    releases,
  }
}

function NoTraffic({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const { site, store, linkTo } = usePage()
  if (isFiltered) return <Empty title="No exchange matches the filter" />
  const { basePath = '' } = store.state.health ?? {}

  return (
    <Empty title="No requests yet">
      <p>
        Send a request to <code>{site + basePath}</code>, and it appears here at once.
      </p>
      <p>
        <a href={linkTo({ view: 'operations', path: [] })}>Choose an operation</a> to send one from
        this page.
      </p>
    </Empty>
  )
}

function reasonOf({ reason, refusal, forced, notes, sourceReason }: ExchangeSummary): string {
  if (forced !== undefined) return `forced: ${forced}`
  if (refusal) return refusal.code
  return reason ?? [sourceReason ?? '', ...notes.map(({ kind }) => kind)].filter(Boolean).join(', ')
}

/** `12:00:00.123`, in UTC on the sandbox's clock. */
function timeOfDay(time: number): string {
  return new Date(time).toISOString().slice(11, 23)
}

interface FilterBarProps {
  readonly traffic: Traffic
  readonly filter: TrafficFilter
  /** How many of the kept exchanges match. */
  readonly matching: number
}

const CLASSES = ['2xx', '3xx', '4xx', '5xx']

/** The counts of all exchanges, and the filter of the list. */
function FilterBar({ traffic, filter, matching }: FilterBarProps): JSX.Element {
  const { change } = usePage()
  const rate = traffic.perSecond(performance.now())
  const keyNames = (id: string): string => traffic.keyName(id)
  const selects = [
    {
      name: 'operation',
      label: 'Operation',
      all: 'All operations',
      choices: choicesOf(traffic.operations),
    },
    {
      name: 'status',
      label: 'Status',
      all: 'All statuses',
      choices: [...CLASSES, ...choicesOf(traffic.statuses)],
    },
    { name: 'key', label: 'Key', all: 'All keys', choices: choicesOf(traffic.keys, keyNames) },
  ] as const

  return (
    <search class="filters">
      <SearchField
        label="Text"
        placeholder="Search path, operation, reason"
        value={filter.text}
        onInput={(text) => change({ text })}
      />
      {selects.map(({ name, label, all, choices }) => (
        <Select
          key={name}
          label={label}
          isLabelHidden
          value={filter[name]}
          choices={[{ value: '', label: all }, ...choices]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
      <p class="counts">
        <b>{formatNumber(traffic.counted)}</b> requests · <b>{formatNumber(rate)}</b> per second
        {matching < traffic.exchanges.length && ` · ${formatNumber(matching)} match`}
      </p>
    </search>
  )
}

/** The names with their counts, in the order of the alphabet. */
function choicesOf(counts: Counts, nameOf: (value: string) => string = (value) => value): Choice[] {
  return [...counts]
    .filter(([value]) => value !== '')
    .map(([value, count]) => ({ value, name: nameOf(value), count }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ value, name, count }) => ({ value, label: `${name} (${formatNumber(count)})` }))
}

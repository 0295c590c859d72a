import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { encodePart } from '../../http/paths.ts'
import type { ExchangeSummary } from '../../journal/exchange.ts'
import { formatDuration, formatNumber, timeOfDay } from '../../report/format.ts'
import { type ApiRequest, loadKeys, sendAgain, toCurl } from '../api-request.ts'
import {
  fileName,
  type Page,
  saveFile,
  useAction,
  useLoaded,
  usePage,
  useSandbox,
  useTraffic,
  worldPrefix,
} from '../page.ts'
import { CopyButton } from '../parts/code.tsx'
import { Button, Empty, Split, StatusBadge } from '../parts/elements.tsx'
import { type Choice, MultiSelect, SearchField } from '../parts/field.tsx'
import { type Column, RequestLine, Table } from '../parts/table.tsx'
import { type Counts, isEmpty, readFilter, type Traffic, type TrafficFilter } from '../traffic.ts'
import { BreakDialog, type BrokenRequests, isBreakable, OpenBreakButton } from './break-dialog.tsx'
import { ExchangePanel } from './exchange-panel.tsx'

const COLUMNS: readonly Column<ExchangeSummary>[] = [
  {
    label: 'Request',
    class: 'main',
    cell: ({ method, target }) => <RequestLine method={method} target={target} />,
  },
  { label: 'Status', class: 'status', cell: ({ status }) => <StatusBadge status={status} /> },
  { label: 'Operation', class: 'operation wide-only', cell: ({ operation = '–' }) => operation },
  { label: 'Reason', class: 'reason wide-only', cell: reasonOf },
  { label: 'Source', class: 'source wide-only', cell: ({ source = '–' }) => source },
  { label: 'Key', class: 'key wide-only', cell: ({ key = '–' }) => <code>{key}</code> },
  { label: 'Time', class: 'time wide-only', cell: ({ time }) => timeOfDay(time) },
  { label: 'Took', class: 'number', cell: ({ milliseconds }) => formatDuration(milliseconds) },
  { label: '#', class: 'number id wide-only', cell: ({ id }) => id },
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
  const { dropped } = useSandbox()
  const filter = readFilter(route.query)
  const [cleared, setCleared] = useState(0)
  // The dialog stays when its row goes out of sight.
  const [broken, setBroken] = useState<BrokenRequests | undefined>(undefined)
  const columns = useMemo(() => withBreakColumn(setBroken), [])
  const isCleared = cleared > 0 && cleared <= traffic.last
  const matching = traffic.matching(filter)
  const isListed = ({ id }: { readonly id: number }): boolean => !isCleared || id > cleared
  const live = matching.filter(isListed)
  const { shown, isHeld, isPaused, pause, hold, release, releases } = useHold(
    live,
    traffic.generation,
  )
  const newer = (live.at(-1)?.id ?? 0) - (shown.at(-1)?.id ?? 0)

  return (
    <section class="traffic" aria-label="Exchanges">
      <FilterBar traffic={traffic} filter={filter} matching={live.length}>
        <Button onClick={isPaused ? release : pause}>{isPaused ? 'Resume' : 'Pause'}</Button>
        <Button onClick={() => setCleared(traffic.last)}>Clear</Button>
        <HarButton filter={filter} />
      </FilterBar>
      {isCleared && (
        <p class="hint bar">
          The requests up to number {formatNumber(cleared)} are not shown. The journal keeps them.{' '}
          <Button class="small" onClick={() => setCleared(0)}>
            Show them again
          </Button>
        </p>
      )}
      {isHeld && newer > 0 && (
        <Button class="newer" onClick={release}>
          Show the newest exchanges
        </Button>
      )}
      <Table
        key={releases}
        label="Exchanges, newest first"
        columns={columns}
        rows={shown.filter(isListed).toReversed()}
        keyOf={(exchange) => exchange.id}
        hrefOf={({ id }) => linkTo({ view: 'traffic', path: [String(id)], query: route.query })}
        selected={route.path[0]}
        isLive
        onScroll={hold}
        classOf={({ id }) => (id <= dropped ? 'without-details' : '')}
        empty={<NoTraffic isFiltered={!isEmpty(filter) || isCleared} />}
      />
      {broken && <BreakDialog requests={broken} onClose={() => setBroken(undefined)} />}
    </section>
  )
}

/** The columns, with a button in each row that breaks requests like its request. */
function withBreakColumn(onBreak: (requests: BrokenRequests) => void): typeof COLUMNS {
  return COLUMNS.toSpliced(-1, 0, {
    label: 'Break',
    class: 'action',
    cell: (exchange) => {
      if (!isBreakable(exchange)) return ''
      const { operation, method, target } = exchange
      const requests = { method, target, ...(operation !== undefined && { operation }) }
      return <OpenBreakButton isSmall {...{ requests }} onOpen={() => onBreak(requests)} />
    },
  })
}

interface Hold {
  readonly shown: readonly ExchangeSummary[]
  readonly isHeld: boolean
  /** Whether the list stays as it is until it is released. */
  readonly isPaused: boolean
  readonly pause: () => void
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
  const [isPaused, setPaused] = useState(false)
  const isHeld = held?.generation === generation

  return {
    shown: isHeld ? held.rows : live,
    isHeld,
    isPaused: isPaused && isHeld,
    pause: () => {
      setPaused(true)
      set({ rows: [...live], generation })
    },
    hold: (top) => {
      if (top > 0 && !isHeld) set({ rows: [...live], generation })
      if (top === 0 && isHeld && !isPaused) set(undefined)
    },
    release: () => {
      setPaused(false)
      set(undefined)
      setReleases(releases + 1)
    },
    releases,
  }
}

/** Saves the exchanges as an HTTP archive, which the developer tools of browsers open. */
function HarButton({ filter }: Pick<FilterBarProps, 'filter'>): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { operation, status } = filter
  const single = (text: string): boolean => text !== '' && !text.includes(',')
  const save = async (): Promise<void> => {
    const har = await client.journal.toHar({
      ...(single(operation) && { operation }),
      ...(/^\d+$/.test(status) && { status: Number(status) }),
    })
    const name = fileName(['traffic', client.name], 'har')
    saveFile(name, 'application/json', JSON.stringify(har, undefined, 2))
  }

  return (
    <Button disabled={isBusy} onClick={() => run(save, 'The exchanges are saved.')}>
      Save HAR
    </Button>
  )
}

function NoTraffic({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const { linkTo } = usePage()
  if (isFiltered) return <Empty title="No exchange matches the filter" />

  return (
    <Empty title="No requests yet">
      <FirstRequest />
      <p>
        <a href={linkTo({ view: 'operations', path: [] })}>Choose an operation</a> to send one from
        this page.
      </p>
    </Empty>
  )
}

/** A first request: as a command, with a key to copy, and a button that sends it. */
function FirstRequest(): JSX.Element {
  const page = usePage()
  const { client, site } = page
  const { basePath = '' } = useSandbox().health ?? {}
  const { run, isBusy } = useAction()
  const { value } = useLoaded(() => loadFirstRequest(page))
  if (!value) {
    return (
      <p>
        Send a request to <code>{site + worldPrefix(client) + basePath}</code>, and it appears here
        at once.
      </p>
    )
  }
  const { request, key } = value

  return (
    <>
      <p>Send this request from a terminal, and it appears here at once:</p>
      <pre>{toCurl(request)}</pre>
      <p class="buttons">
        <Button
          class="primary"
          disabled={isBusy}
          onClick={() =>
            run(
              () => sendAgain(request, site),
              (status) => `Sent. The status is ${status}.`,
            )
          }
        >
          Send it for me
        </Button>
        <CopyButton text={toCurl(request)} label="Copy as curl" />
        {key !== undefined && <CopyButton text={key} label="Copy key" />}
      </p>
    </>
  )
}

/** A valid request that changes nothing, for a list if the API has one; `undefined` when it has none. */
async function loadFirstRequest({
  client,
  site,
}: Pick<Page, 'client' | 'site'>): Promise<
  { readonly request: ApiRequest; readonly key: string | undefined } | undefined
> {
  const [operations, { newKey: key }] = await Promise.all([
    client.operations({ behaviours: false }),
    loadKeys(client),
  ])
  const first = firstRead(operations)
  if (!first) return undefined
  const sample = await client.sampleRequest(first.operation)
  const query = sample.query.map((pair) => pair.map(encodePart).join('=')).join('&')
  const url = `${site}${sample.path}${query && `?${query}`}`
  const request = { url, method: sample.method, headers: sample.headers }

  return { request, key: key && toCurl(request).includes(key) ? key : undefined }
}

/**
 * The operation of a first request, by its path alone, because to find out what all operations do takes seconds for a large document: one that
 * needs no id, and below which records have their paths, if there is one.
 */
export function firstRead<Operation extends Readonly<Record<'method' | 'path', string>>>(
  operations: readonly Operation[],
): Operation | undefined {
  const parents = new Set(operations.map(({ path }) => /(.+)\/\{[^/]+\}$/.exec(path)?.[1]))
  const reads = operations.filter(({ method }) => method === 'GET')
  const needNoId = reads.filter(({ path }) => !path.includes('{'))
  return needNoId.find(({ path }) => parents.has(path)) ?? needNoId[0] ?? reads[0]
}

function reasonOf({ reason, refusal, forced, notes, sourceReason }: ExchangeSummary): string {
  if (forced !== undefined) return `forced: ${forced}`
  if (refusal) return refusal.code
  return reason ?? [sourceReason ?? '', ...notes.map(({ kind }) => kind)].filter(Boolean).join(', ')
}

interface FilterBarProps {
  readonly traffic: Traffic
  readonly filter: TrafficFilter
  /** How many of the kept exchanges match. */
  readonly matching: number
  /** What can be done with the list. */
  readonly children: ComponentChildren
}

const CLASSES = ['2xx', '3xx', '4xx', '5xx']

/** The counts of all exchanges, and the filter of the list. */
function FilterBar({ traffic, filter, matching, children }: FilterBarProps): JSX.Element {
  const { change } = usePage()
  const rate = traffic.perSecond(performance.now())
  const keyNames = (id: string): string => traffic.keyName(id)
  const selects = [
    {
      name: 'operation',
      label: 'Operation',
      all: 'All operations',
      choicesOf: () => choicesOf(traffic.operations),
    },
    {
      name: 'status',
      label: 'Status',
      all: 'All statuses',
      choicesOf: () => [...CLASSES, ...choicesOf(traffic.statuses)],
    },
    {
      name: 'key',
      label: 'Key',
      all: 'All keys',
      choicesOf: () => choicesOf(traffic.keys, keyNames),
    },
  ] as const

  return (
    <search class="filters">
      <SearchField
        label="Text"
        placeholder="Search path, operation, reason"
        value={filter.text}
        onInput={(text) => change({ text })}
      />
      {selects.map(({ name, ...select }) => (
        <MultiSelect
          key={name}
          {...select}
          value={filter[name]}
          onChange={(value) => change({ [name]: value })}
        />
      ))}
      {children}
      <p class="counts">
        <b>{formatNumber(traffic.counted)}</b> {traffic.counted === 1 ? 'request' : 'requests'} ·{' '}
        <b>{formatNumber(rate)}</b> per second
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

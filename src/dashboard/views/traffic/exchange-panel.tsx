import type { JSX } from 'preact'
import type { ClientJournal } from '../../../client/journal.ts'
import type { Exchange } from '../../../journal/exchange.ts'
import { formatDuration } from '../../../report/format.ts'
import { useLinks, usePage } from '../../page.ts'
import { StatusBadge } from '../../parts/badge.tsx'
import { Empty, Pending } from '../../parts/empty.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { MessageSection } from './message-section.tsx'
import { ReplayButtons } from './replay-buttons.tsx'
import { NotesSection, ProblemSection, QuotaSection } from './verdict-sections.tsx'

/** One exchange with its request and response. */
export function ExchangePanel({ id }: { readonly id: number }): JSX.Element {
  const { client, route } = usePage()
  const linkTo = useLinks()
  const { value, error } = useLoaded(() => findExchange(client.journal, id), [client, id])

  return (
    <Panel label={`Exchange ${id}`} closeHref={linkTo({ view: 'traffic', query: route.query })}>
      {value === undefined ? <Pending error={error} /> : <Content id={id} exchange={value} />}
    </Panel>
  )
}

interface ContentProps {
  readonly id: number
  /** `null` when the journal does not have it. */
  readonly exchange: Exchange | null
}

function Content({ id, exchange }: ContentProps): JSX.Element {
  if (!exchange) {
    return (
      <Empty title={`The journal has no exchange ${id}`}>
        <p>It was dropped for later ones, or it was made before a reset.</p>
      </Empty>
    )
  }
  return (
    <>
      <h2 class="exchange-title">
        <StatusBadge status={exchange.status} />{' '}
        <code>
          {exchange.method} {exchange.target}
        </code>
      </h2>
      <ReplayButtons exchange={exchange} />
      <ExchangeFacts exchange={exchange} />
      <ProblemSection exchange={exchange} />
      <NotesSection notes={exchange.notes} />
      <QuotaSection quota={exchange.quota} />
      <MessageSection title="Request" message={exchange.request} />
      <MessageSection title="Response" message={exchange.response} />
    </>
  )
}

function ExchangeFacts({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const linkTo = useLinks()
  const { operation, key, plan, caller, time, milliseconds, id } = exchange
  const facts: readonly Fact[] = [
    { name: 'Number', value: String(id) },
    { name: 'Time', value: new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC') },
    { name: 'Took', value: formatDuration(milliseconds) },
    {
      name: 'Operation',
      value:
        operation === undefined ? (
          'none matches'
        ) : (
          <a href={linkTo({ view: 'traffic', query: { operation } })}>{operation}</a>
        ),
    },
    { name: 'Key', value: key === undefined ? caller : `${key} (${caller})` },
    { name: 'Plan', value: plan },
  ]

  return <Facts facts={facts} />
}

async function findExchange(journal: ClientJournal, id: number): Promise<Exchange | null> {
  if (!Number.isSafeInteger(id) || id < 1) return null
  return (await journal.get(id)) ?? null
}

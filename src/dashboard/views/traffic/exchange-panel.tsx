import type { JSX } from 'preact'
import type { ClientJournal } from '../../../client/journal.ts'
import type { Exchange } from '../../../journal/exchange.ts'
import { formatDuration } from '../../../report/format.ts'
import { useLinks, usePage } from '../../page.ts'
import { StatusBadge } from '../../parts/badge.tsx'
import { Empty, Pending } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
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
    <section class="panel" aria-label={`Exchange ${id}`}>
      <a
        class="icon-button close"
        href={linkTo({ view: 'traffic', query: route.query })}
        aria-label="Close"
      >
        <Icon name="close" />
      </a>
      {value === undefined ? <Pending error={error} /> : <Content id={id} exchange={value} />}
    </section>
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
      <Facts exchange={exchange} />
      <ProblemSection exchange={exchange} />
      <NotesSection notes={exchange.notes} />
      <QuotaSection quota={exchange.quota} />
      <MessageSection title="Request" message={exchange.request} />
      <MessageSection title="Response" message={exchange.response} />
    </>
  )
}

function Facts({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const linkTo = useLinks()
  const { operation, key, plan, caller, time, milliseconds, id } = exchange
  const facts: readonly (readonly [string, JSX.Element | string])[] = [
    ['Number', String(id)],
    ['Time', new Date(time).toISOString().replace('T', ' ').replace('Z', ' UTC')],
    ['Took', formatDuration(milliseconds)],
    [
      'Operation',
      operation === undefined ? (
        'none matches'
      ) : (
        <a href={linkTo({ view: 'traffic', query: { operation } })}>{operation}</a>
      ),
    ],
    ['Key', key === undefined ? caller : `${key} (${caller})`],
    ...(plan === undefined ? [] : [['Plan', plan] as const]),
  ]

  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

async function findExchange(journal: ClientJournal, id: number): Promise<Exchange | null> {
  if (!Number.isSafeInteger(id) || id < 1) return null
  return (await journal.get(id)) ?? null
}

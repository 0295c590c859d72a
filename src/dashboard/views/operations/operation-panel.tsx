import type { JSX } from 'preact'
import { useLinks, usePage } from '../../page.ts'
import { Badge } from '../../parts/badge.tsx'
import { Pending } from '../../parts/empty.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { DiagnosticList } from './diagnostic-list.tsx'
import type { OperationDetails } from './operation-types.ts'
import { RequestPanel } from './request-panel.tsx'

/** One operation, with a form that sends a request. */
export function OperationPanel({ id }: { readonly id: string }): JSX.Element {
  const { client, route } = usePage()
  const linkTo = useLinks()
  const { value, error } = useLoaded(() => client.operation(id), [client, id])

  return (
    <Panel label={`Operation ${id}`} closeHref={linkTo({ view: 'operations', query: route.query })}>
      {value === undefined ? (
        <Pending error={error} />
      ) : (
        <>
          <h2 class="panel-title">
            <code>
              {value.method} {value.path}
            </code>
          </h2>
          {value.summary !== undefined && <p>{value.summary}</p>}
          <OperationFacts details={value} />
          <DiagnosticList diagnostics={value.diagnostics} />
          <RequestPanel details={value} />
        </>
      )}
    </Panel>
  )
}

function OperationFacts({ details }: { readonly details: OperationDetails }): JSX.Element {
  const linkTo = useLinks()
  const { operation, behaviour, resource, reason, deprecated, removal } = details
  const removed = removal === undefined ? 'yes' : `removed on ${removal.slice(0, 10)}`
  const facts: readonly Fact[] = [
    { name: 'Operation', value: operation },
    { name: 'Behaviour', value: <Badge>{behaviour}</Badge> },
    {
      name: 'Resource',
      value: resource !== undefined && (
        <a href={linkTo({ view: 'records', query: { text: resource } })}>{resource}</a>
      ),
    },
    { name: 'Deprecated', value: deprecated && removed },
    {
      name: 'Traffic',
      value: <a href={linkTo({ view: 'traffic', query: { operation } })}>Show its exchanges</a>,
    },
  ]

  return (
    <>
      <Facts facts={facts} />
      <p class="quiet long">{reason}</p>
    </>
  )
}

import type { ComponentChildren, JSX } from 'preact'
import { useLinks, usePage } from '../../page.ts'
import { Badge } from '../../parts/badge.tsx'
import { Pending } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
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
    <section class="panel" aria-label={`Operation ${id}`}>
      <a
        class="icon-button close"
        href={linkTo({ view: 'operations', query: route.query })}
        aria-label="Close"
      >
        <Icon name="close" />
      </a>
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
          <Facts details={value} />
          <DiagnosticList diagnostics={value.diagnostics} />
          <RequestPanel details={value} />
        </>
      )}
    </section>
  )
}

function Facts({ details }: { readonly details: OperationDetails }): JSX.Element {
  const linkTo = useLinks()
  const { operation, behaviour, resource, reason, deprecated, removal } = details
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Operation', operation],
    ['Behaviour', <Badge key="behaviour">{behaviour}</Badge>],
    ...(resource === undefined
      ? []
      : [
          [
            'Resource',
            <a key="resource" href={linkTo({ view: 'records', query: { text: resource } })}>
              {resource}
            </a>,
          ] as const,
        ]),
    ...(deprecated
      ? [
          [
            'Deprecated',
            removal === undefined ? 'yes' : `removed on ${removal.slice(0, 10)}`,
          ] as const,
        ]
      : []),
    [
      'Traffic',
      <a key="traffic" href={linkTo({ view: 'traffic', query: { operation } })}>
        Show its exchanges
      </a>,
    ],
  ]

  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet long">{reason}</p>
    </>
  )
}

import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { Badge } from '../../report/html/sections.tsx'
import { count, describeSuggestion } from '../../validation/usage-error.ts'
import { useLoaded, usePage, worldPrefix } from '../page.ts'
import { Empty, Facts, Panel, Pending, Split } from '../parts/elements.tsx'
import { SearchField, Select } from '../parts/field.tsx'
import { type Column, RequestLine, Table } from '../parts/table.tsx'
import type { OperationDetails, OperationSummary } from './request-form.ts'
import { RequestPanel } from './request-panel.tsx'

const COLUMNS: readonly Column<OperationSummary>[] = [
  {
    label: 'Request',
    class: 'main',
    cell: ({ method, path }) => <RequestLine method={method} target={path} />,
  },
  {
    label: 'Operation',
    class: 'wide-only',
    cell: ({ operation }) => <span title={operation}>{operation}</span>,
  },
  { label: 'Behaviour', class: 'behaviour', cell: ({ behaviour }) => <Badge>{behaviour}</Badge> },
  { label: 'Resource', class: 'wide-only', cell: ({ resource = '–' }) => resource },
  {
    label: 'Reason',
    class: 'reason wide-only',
    cell: ({ reason }) => <span title={reason}>{reason}</span>,
  },
  {
    label: 'State',
    class: 'state wide-only',
    cell: ({ deprecated, diagnosticCount = 0 }) => (
      <>
        {deprecated && <Badge tone="warning">deprecated</Badge>}{' '}
        {diagnosticCount > 0 && <Badge tone="warning">{count(diagnosticCount, 'mistake')}</Badge>}
      </>
    ),
  },
]

/** Every operation, how it is answered and why, and the one that is open. */
export function OperationsView(): JSX.Element {
  const { client, route } = usePage()
  const { value, error } = useLoaded(() => client.operations())
  // Takes seconds for a large document.
  const checked = useLoaded(() => client.operations({ diagnostics: true }))
  const [id] = route.path
  if (!value) return <Pending error={error} />

  return (
    <Split panel={id !== undefined && <OperationPanel key={id} id={id} />}>
      <OperationList operations={checked.value ?? value} />
    </Split>
  )
}

function OperationList(props: { readonly operations: readonly OperationSummary[] }): JSX.Element {
  const { operations } = props
  const { route, linkTo, change } = usePage()
  const { text = '', behaviour = '' } = route.query
  const shown = useMemo(
    () => selectOperations(operations, { text, behaviour }),
    [operations, text, behaviour],
  )
  const behaviours = [...new Set(operations.map((one) => one.behaviour))].sort()

  return (
    <section class="list operations" aria-label="Operations">
      <search class="filters">
        <SearchField
          label="Text"
          placeholder="Search method, path, name, resource"
          value={text}
          onInput={(given) => change({ text: given })}
        />
        <Select
          label="Behaviour"
          isLabelHidden
          value={behaviour}
          choices={[{ value: '', label: 'All behaviours' }, ...behaviours]}
          onChange={(given) => change({ behaviour: given })}
        />
        <p class="counts">
          <b>{shown.length.toLocaleString('en')}</b> of {operations.length.toLocaleString('en')}{' '}
          operations
        </p>
      </search>
      <Table
        label="Operations"
        columns={COLUMNS}
        rows={shown}
        keyOf={({ operation }) => operation}
        hrefOf={({ operation }) =>
          linkTo({ view: 'operations', path: [operation], query: route.query })
        }
        selected={route.path[0]}
        empty={<Empty title="No operation matches the filter" />}
      />
      <DocumentLinks />
    </section>
  )
}

/** The operations that contain each word of the text, and have the behaviour; an empty one selects all. */
function selectOperations(
  operations: readonly OperationSummary[],
  { text, behaviour }: { readonly text: string; readonly behaviour: string },
): readonly OperationSummary[] {
  const words = text.toLowerCase().split(/\s+/)
  return operations.filter((one) => {
    const { operation, method, path, resource = '' } = one
    const content = `${method} ${path} ${operation} ${resource}`.toLowerCase()
    const isWanted = behaviour === '' || one.behaviour === behaviour
    return isWanted && words.every((word) => content.includes(word))
  })
}

/** The document with the address of the sandbox, for code generators and other tools. */
function DocumentLinks(): JSX.Element {
  const { site, client } = usePage()
  const world = worldPrefix(client)
  const documents = ['document.json', 'document.yaml'].map((name) => `/__sandbox${world}/${name}`)
  const paths = world === '' ? [...documents, '/openapi.json'] : documents

  return (
    <p class="pages documents">
      <span class="quiet">The OpenAPI document as it is served:</span>
      {paths.map((path) => (
        <a key={path} href={site + path} target="_blank" rel="noreferrer">
          <code>{path.split('/').at(-1)}</code>
        </a>
      ))}
    </p>
  )
}

/** One operation, with a form that sends a request. */
function OperationPanel({ id }: { readonly id: string }): JSX.Element {
  const { client, route, linkTo } = usePage()
  const { value, error } = useLoaded(() => client.operation(id), [id])

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
  const { linkTo } = usePage()
  const { operation, behaviour, resource, reason, deprecated, removal } = details
  const removed = removal === undefined ? 'yes' : `removed on ${removal.slice(0, 10)}`
  const facts = {
    Operation: operation,
    Behaviour: <Badge>{behaviour}</Badge>,
    Resource: resource !== undefined && (
      <a href={linkTo({ view: 'records', query: { text: resource } })}>{resource}</a>
    ),
    Deprecated: deprecated && removed,
    Traffic: <a href={linkTo({ view: 'traffic', query: { operation } })}>Show its exchanges</a>,
  }

  return (
    <>
      <Facts facts={facts} />
      <p class="quiet long">{reason}</p>
    </>
  )
}

type Diagnostics = OperationDetails['diagnostics']

/** The mistakes of the document that concern an operation, with what is assumed instead. Nothing when there are none. */
function DiagnosticList(props: { readonly diagnostics: Diagnostics }): JSX.Element | null {
  const { diagnostics } = props
  if (diagnostics.length === 0) return null

  return (
    <details class="diagnostics" open>
      <summary>{count(diagnostics.length, 'mistake')} in the document</summary>
      <ul>
        {diagnostics.map((one) => (
          <li key={one.location + one.reason}>
            <code class="long">{one.location}</code>
            <p class="long">
              {one.reason}.{one.assumed !== undefined && ` Assumed instead: ${one.assumed}.`}{' '}
              {one.help ?? describeSuggestion(one)}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}

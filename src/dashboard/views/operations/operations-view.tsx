import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { count } from '../../../validation/plural.ts'
import { useLinks, usePage, useSettings } from '../../page.ts'
import { Badge } from '../../parts/badge.tsx'
import { Empty, Pending } from '../../parts/empty.tsx'
import { Field, Select } from '../../parts/field.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { DocumentLinks } from './document-links.tsx'
import { selectOperations } from './operation-filter.ts'
import { OperationPanel } from './operation-panel.tsx'
import type { OperationSummary } from './operation-types.ts'

const COLUMNS: readonly Column<OperationSummary>[] = [
  {
    label: 'Request',
    class: 'main',
    cell: ({ method, path }) => (
      <code title={`${method} ${path}`}>
        <b>{method}</b> {path}
      </code>
    ),
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
  const { value, error } = useLoaded(() => client.operations(), [client])
  // Takes seconds for a large document.
  const checked = useLoaded(() => client.operations({ diagnostics: true }), [client])
  const [id] = route.path
  if (!value) return <Pending error={error} />

  return (
    <div class={id === undefined ? 'split' : 'split open'}>
      <OperationList operations={checked.value ?? value} />
      {id !== undefined && <OperationPanel key={id} id={id} />}
    </div>
  )
}

function OperationList(props: { readonly operations: readonly OperationSummary[] }): JSX.Element {
  const { operations } = props
  const { route } = usePage()
  const linkTo = useLinks()
  const change = useSettings()
  const { text = '', behaviour = '' } = route.query
  const shown = useMemo(
    () => selectOperations(operations, { text, behaviour }),
    [operations, text, behaviour],
  )
  const behaviours = [...new Set(operations.map((one) => one.behaviour))].sort()

  return (
    <section class="list operations" aria-label="Operations">
      <search class="filters">
        <Field
          label="Text"
          isLabelHidden
          type="search"
          placeholder="Search method, path, name, resource"
          value={text}
          onInput={(given) => change({ text: given })}
        />
        <Select
          label="Behaviour"
          isLabelHidden
          value={behaviour}
          choices={[
            { value: '', label: 'All behaviours' },
            ...behaviours.map((value) => ({ value })),
          ]}
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
        count={shown.length}
        rowAt={(index) => shown[index]}
        keyOf={({ operation }) => operation}
        hrefOf={({ operation }) =>
          linkTo({ view: 'operations', path: [operation], query: route.query })
        }
        isSelected={({ operation }) => route.path[0] === operation}
        empty={<Empty title="No operation matches the filter" />}
      />
      <DocumentLinks />
    </section>
  )
}

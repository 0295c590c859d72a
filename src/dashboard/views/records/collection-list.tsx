import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { useLinks, usePage, useSettings } from '../../page.ts'
import { Empty, Pending } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { type CollectionRow, toRows } from './collection-rows.ts'

/** Milliseconds between two counts. */
const INTERVAL = 2000

const COLUMNS: readonly Column<CollectionRow>[] = [
  { label: 'Collection', class: 'main', cell: (row) => <Name {...row} /> },
  {
    label: 'Records',
    class: 'number record-count',
    cell: ({ count }) => count.toLocaleString('en'),
  },
]

/** All collections with the number of their records. */
export function CollectionList(): JSX.Element {
  const { client, route } = usePage()
  const linkTo = useLinks()
  const change = useSettings()
  const { value, error } = useLoaded(() => client.collectionCounts(), [client], { every: INTERVAL })
  const text = route.query.text ?? ''
  const rows = useMemo(() => toRows(value ?? [], text), [value, text])
  if (!value) return <Pending error={error} />

  return (
    <section class="list" aria-label="Collections">
      <search class="filters">
        <Field
          label="Name"
          isLabelHidden
          type="search"
          placeholder="Search collections"
          value={text}
          onInput={(given) => change({ text: given })}
        />
        <p class="counts">
          <b>{value.length.toLocaleString('en')}</b>{' '}
          {value.length === 1 ? 'collection' : 'collections'}
        </p>
      </search>
      <Table
        label="Collections"
        columns={COLUMNS}
        count={rows.length}
        rowAt={(index) => rows[index]}
        keyOf={({ name }) => name}
        hrefOf={({ name, kind }) =>
          kind === 'template'
            ? linkTo({ view: 'records', query: { ...route.query, open: name } })
            : linkTo({ view: 'records', path: name.split('/') })
        }
        isSelected={({ name }) => route.query.open === name}
        empty={<NoCollections isFiltered={text !== ''} />}
      />
    </section>
  )
}

function Name({ name, kind }: CollectionRow): JSX.Element {
  return (
    <code class={kind} title={name}>
      {name}
    </code>
  )
}

function NoCollections({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  const linkTo = useLinks()
  if (isFiltered) return <Empty title="No collection has this name" />

  return (
    <Empty title="No records">
      <p>
        No operation of the document reads or changes records.{' '}
        <a href={linkTo({ view: 'operations' })}>Show the operations</a> with the reasons.
      </p>
    </Empty>
  )
}

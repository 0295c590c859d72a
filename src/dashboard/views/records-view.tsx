import type { JSX } from 'preact'
import { useMemo, useRef, useState } from 'preact/hooks'
import { formatNumber } from '../../report/format.ts'
import { useLoaded, usePage } from '../page.ts'
import { Empty, Form, Panel, Pending, Split, SubmitButton } from '../parts/elements.tsx'
import { SearchField } from '../parts/field.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { fillPath, parametersOf } from '../route.ts'
import { RecordChoice } from './record-links.tsx'
import { CollectionView } from './record-table.tsx'
import type { CollectionCount } from './record-values.ts'

/** The collections, or the records of one collection. */
export function RecordsView(): JSX.Element {
  const { route } = usePage()
  const { path, query } = route
  if (path.length > 0) {
    const name = path.join('/')
    return <CollectionView key={name} name={name} />
  }
  const template = query.open ?? ''

  return (
    <Split panel={template !== '' && <ParentsPanel key={template} template={template} />}>
      <CollectionList />
    </Split>
  )
}

/** Milliseconds between two counts. */
const INTERVAL = 2000

/** Milliseconds after which the first collections of a large document are shown, before all are found and counted. */
const FIRST_WAIT = 50

const COLUMNS: readonly Column<CollectionRow>[] = [
  { label: 'Collection', class: 'main', cell: (row) => <Name {...row} /> },
  {
    label: 'Records',
    class: 'number record-count',
    cell: ({ count }) => (count === undefined ? '…' : formatNumber(count)),
  },
]

/** All collections with the number of their records. */
function CollectionList(): JSX.Element {
  const { client, route, linkTo, change } = usePage()
  const [isCounted, setCounted] = useState(false)
  const answered = useRef<Promise<unknown>>(undefined)
  // The first count finds the collections and makes records of each, which takes seconds for a large document.
  const first = useLoaded(
    () => {
      const answer = client.collectionCounts({ wait: FIRST_WAIT })
      answered.current = answer
      return answer
    },
    [],
    isCounted ? undefined : FIRST_WAIT,
  )
  const counts = useLoaded(
    async () => {
      // The sandbox would do both by turns. What is shown first is then known later.
      await answered.current?.catch(() => undefined)
      const all = await client.collectionCounts()
      setCounted(true)
      return all
    },
    [],
    INTERVAL,
  )
  const value = counts.value ?? first.value
  const error = first.error ?? counts.error
  const text = route.query.text ?? ''
  const rows = useMemo(() => toRows(value ?? [], text), [value, text])
  if (!value) return <Pending error={error} text="Reading the operations of the document…" />

  return (
    <section class="list" aria-label="Collections">
      <search class="filters">
        <SearchField
          label="Name"
          placeholder="Search collections"
          value={text}
          onInput={(given) => change({ text: given })}
        />
        <p class="counts">
          <b>{formatNumber(value.length)}</b> {value.length === 1 ? 'collection' : 'collections'}
          {!counts.value && ' · counting their records…'}
        </p>
      </search>
      <Table
        label="Collections"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ name }) => name}
        hrefOf={({ name, kind }) =>
          kind === 'template'
            ? linkTo({ view: 'records', query: { ...route.query, open: name } })
            : linkTo({ view: 'records', path: name.split('/') })
        }
        selected={route.query.open}
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
  const { linkTo } = usePage()
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

/** Asks for the ids of the parents, and opens the collection below them. */
function ParentsPanel({ template }: { readonly template: string }): JSX.Element {
  const { route, linkTo } = usePage()
  const [ids, setIds] = useState<Readonly<Record<string, string>>>({})
  const names = parametersOf(template)
  const open = (): void => {
    const path = fillPath(template, ids).split('/')
    location.hash = linkTo({ view: 'records', path })
  }

  return (
    <Panel
      label={template}
      closeHref={linkTo({ view: 'records', query: { ...route.query, open: '' } })}
    >
      <h2 class="panel-title">
        <code>{template}</code>
      </h2>
      <p class="quiet">
        {names.length === 1 ? 'Each parent' : 'Each combination of parents'} has its own collection
        here. It gets its first records when it is opened.
      </p>
      <Form class="stack" onSubmit={open}>
        {names.map((name) => (
          <RecordChoice
            key={name}
            label={name}
            isRequired
            collection={fillPath(template.slice(0, template.indexOf(`/{${name}}`)), ids)}
            value={ids[name] ?? ''}
            onInput={(id) => setIds({ ...ids, [name]: id })}
          />
        ))}
        <div class="buttons">
          <SubmitButton isPrimary label="Open collection" />
        </div>
      </Form>
    </Panel>
  )
}

/** A row of the list of collections. */
interface CollectionRow {
  readonly name: string
  /** `undefined` until it is known. */
  readonly count: number | undefined
  /** `template`: one that has a collection for each of its parents. `opened`: one of these collections. */
  readonly kind: 'plain' | 'template' | 'opened'
}

/** The collections as rows. Those that were used follow their template. `text` selects names. */
export function toRows(
  collections: readonly (Pick<CollectionCount, 'name' | 'opened'> & {
    readonly count?: number | undefined
  })[],
  text: string,
): readonly CollectionRow[] {
  const wanted = text.trim().toLowerCase()
  return collections
    .flatMap(({ name, count, opened }): readonly CollectionRow[] => [
      { name, count, kind: name.includes('{') ? 'template' : 'plain' },
      ...(opened ?? []).map((one): CollectionRow => ({ ...one, kind: 'opened' })),
    ])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
}

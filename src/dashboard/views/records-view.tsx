import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import { formatNumber } from '../../report/format.ts'
import { useLoaded, usePage } from '../page.ts'
import { Empty, Form, Panel, Pending, Split, SubmitButton } from '../parts/elements.tsx'
import { Field, SearchField } from '../parts/field.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { fillPath, parametersOf } from '../route.ts'
import { CollectionView } from './record-table.tsx'
import { type CollectionCount, findMissingParent } from './record-values.ts'

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

const COLUMNS: readonly Column<CollectionRow>[] = [
  { label: 'Collection', class: 'main', cell: (row) => <Name {...row} /> },
  {
    label: 'Records',
    class: 'number record-count',
    cell: ({ count }) => formatNumber(count),
  },
]

/** All collections with the number of their records. */
function CollectionList(): JSX.Element {
  const { client, route, linkTo, change } = usePage()
  const { value, error } = useLoaded(() => client.collectionCounts(), [], INTERVAL)
  const text = route.query.text ?? ''
  const rows = useMemo(() => toRows(value ?? [], text), [value, text])
  if (!value) return <Pending error={error} />

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
          <ParentField
            key={name}
            name={name}
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

interface ParentFieldProps {
  /** The name of the parameter. */
  readonly name: string
  /** The collection of the parents. */
  readonly collection: string
  readonly value: string
  readonly onInput: (id: string) => void
}

/** How many parents are suggested. */
const SUGGESTED = 50

/** The id of a parent, to be chosen among those that exist. */
function ParentField({ name, collection, value, onInput }: ParentFieldProps): JSX.Element {
  const { client } = usePage()
  const isComplete = !collection.split('/').includes('')
  const suggestions = useLoaded(
    async () => (isComplete ? await listIds(client, collection) : []),
    [collection],
  ).value

  return (
    <Field
      label={name}
      isRequired
      value={value}
      suggestions={suggestions ?? []}
      hint={suggestions?.length ? `Such as ${suggestions.slice(0, 3).join(', ')}` : ''}
      onInput={onInput}
    />
  )
}

/** The first ids of a collection; none of one that does not exist, or is below a record that does not. */
async function listIds(client: SandboxClient, collection: string): Promise<readonly string[]> {
  try {
    if ((await findMissingParent(client, collection)) !== null) return []
    const { id } = await client.describeCollection(collection)
    const records = await client.collection(collection).list({ limit: SUGGESTED })
    return records.map((record) => String(record[id]))
  } catch {
    return []
  }
}

/** A row of the list of collections. */
interface CollectionRow {
  readonly name: string
  readonly count: number
  /** `template`: one that has a collection for each of its parents. `opened`: one of these collections. */
  readonly kind: 'plain' | 'template' | 'opened'
}

/** The collections as rows. Those that were used follow their template. `text` selects names. */
export function toRows(
  collections: readonly CollectionCount[],
  text: string,
): readonly CollectionRow[] {
  const wanted = text.trim().toLowerCase()
  return collections
    .flatMap(({ name, count, opened }): readonly CollectionRow[] => [
      { name, count, kind: opened ? 'template' : 'plain' },
      ...(opened ?? []).map((one): CollectionRow => ({ ...one, kind: 'opened' })),
    ])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
}

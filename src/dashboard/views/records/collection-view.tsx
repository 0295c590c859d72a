import type { JSX } from 'preact'
import { useLinks, usePage } from '../../page.ts'
import { Pending } from '../../parts/empty.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import type { CollectionDetails } from './collection-details.ts'
import { RecordFilters } from './record-filters.tsx'
import { RecordPanel } from './record-panel.tsx'
import { readSettings } from './record-query.ts'
import { RecordTable } from './record-table.tsx'

/** The records of a collection, and the one that is open. */
export function CollectionView({ name }: { readonly name: string }): JSX.Element {
  const { client, route } = usePage()
  const { value, error } = useLoaded(() => client.describeCollection(name), [client, name])
  const { record, isAdding } = readSettings(route.query)
  const isOpen = value !== undefined && (record !== undefined || isAdding)

  return (
    <div class={isOpen ? 'split open' : 'split'}>
      {value === undefined ? (
        <section class="list" aria-label="Records">
          <Heading name={name} />
          <Pending error={error} />
        </section>
      ) : (
        <Records details={value} />
      )}
      {isOpen && <RecordPanel key={record ?? ''} details={value} id={record} />}
    </div>
  )
}

function Records({ details }: { readonly details: CollectionDetails }): JSX.Element {
  const { route } = usePage()
  const linkTo = useLinks()
  const { name } = details
  const add = { ...route.query, record: '', add: 'yes' }

  return (
    <section class="list records" aria-label="Records">
      <Heading name={name}>
        <a class="button" href={linkTo({ view: 'records', path: name.split('/'), query: add })}>
          Add record
        </a>
      </Heading>
      <RecordFilters details={details} />
      <RecordTable details={details} />
    </section>
  )
}

interface HeadingProps {
  readonly name: string
  readonly children?: JSX.Element
}

function Heading({ name, children }: HeadingProps): JSX.Element {
  const linkTo = useLinks()

  return (
    <header class="list-heading">
      <h2>
        <a href={linkTo({ view: 'records' })}>Records</a> <span aria-hidden="true">/</span>{' '}
        <code>{name}</code>
      </h2>
      {children}
    </header>
  )
}

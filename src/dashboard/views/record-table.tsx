import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatNumber } from '../../report/format.ts'
import { getOwn } from '../../validation/objects.ts'
import { useLoaded, usePage } from '../page.ts'
import { Button, Empty, Pending, Split } from '../parts/elements.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RecordPanel } from './record-editor.tsx'
import { RecordFilters, type RecordSettings, readSettings, toWhere } from './record-filters.tsx'
import { CollectionName, LinkedValue } from './record-links.tsx'
import { SelectionBar, selectionColumn } from './record-selection.tsx'
import { TransferButtons } from './record-transfer.tsx'
import {
  type CollectionDetails,
  findMissingParent,
  inputKindOf,
  type RecordValues,
} from './record-values.ts'

/** The records of a collection, and the one that is open. */
export function CollectionView({ name }: { readonly name: string }): JSX.Element {
  const { client } = usePage()
  const { value: missing, error } = useLoaded(() => findMissingParent(client, name), [name])
  const [isAccepted, setAccepted] = useState(false)
  if (missing === undefined) return <Pending error={error} />
  if (missing === null || isAccepted) return <ExistingCollection name={name} />

  return (
    <section class="list" aria-label="Records">
      <Heading name={name} />
      <Empty title={`There is no record ${missing.id} in ${missing.collection}`}>
        <p>A collection below it would get its first records when it is opened.</p>
        <Button onClick={() => setAccepted(true)}>Open it all the same</Button>
      </Empty>
    </section>
  )
}

function ExistingCollection({ name }: { readonly name: string }): JSX.Element {
  const { client, route } = usePage()
  const { value, error } = useLoaded(() => client.describeCollection(name), [name])
  const { record, isAdding } = readSettings(route.query)
  const isOpen = value !== undefined && (record !== undefined || isAdding)

  return (
    <Split panel={isOpen && <RecordPanel key={record ?? ''} details={value} id={record} />}>
      {value === undefined ? (
        <section class="list" aria-label="Records">
          <Heading name={name} />
          <Pending error={error} />
        </section>
      ) : (
        <Records details={value} />
      )}
    </Split>
  )
}

interface DetailsProps {
  readonly details: CollectionDetails
}

function Records({ details }: DetailsProps): JSX.Element {
  const { route, linkTo } = usePage()
  const { name } = details
  const add = { ...route.query, record: '', add: 'yes' }

  return (
    <section class="list records" aria-label="Records">
      <Heading name={name}>
        <p class="buttons">
          <TransferButtons details={details} />
          <a class="button" href={linkTo({ view: 'records', path: name.split('/'), query: add })}>
            Add record
          </a>
        </p>
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
  const { linkTo } = usePage()

  return (
    <header class="list-heading">
      <h2>
        <a href={linkTo({ view: 'records' })}>Records</a> <span aria-hidden="true">/</span>{' '}
        <CollectionName name={name} />
      </h2>
      {children}
    </header>
  )
}

/** Milliseconds between two readings: changes by requests appear without a reload. */
const INTERVAL = 1000
/** A search that takes longer, in milliseconds, is repeated less often: it keeps the sandbox busy. */
const SLOW = 200
const SLOW_INTERVAL = 10_000
/** The columns that narrow screens have. */
const NARROW_COLUMNS = 3

/**
 * The rows that are shown before the whole page. The sandbox makes a first record when it is first asked for, which takes seconds for a
 * page of large ones.
 */
const FIRST_ROWS = 10

/** More records are not sorted. */
const MAX_SORTED = 10_000

/** What the settings of the address are for a page of records. */
function pageInputs({ page, filters, sort }: RecordSettings): readonly unknown[] {
  return [page, JSON.stringify(filters), JSON.stringify(sort)]
}

/** The records of the page that the address names, read again and again; of the first one, some rows before all. */
function useRecords(details: DetailsProps['details']) {
  const { client, route } = usePage()
  const { name } = details
  const settings = readSettings(route.query)
  const isFiltered = Object.keys(settings.filters).length > 0
  const [interval, changeInterval] = useState(INTERVAL)
  const read = async (limit: number) => {
    const collection = client.collection(name)
    const [found, count] = await Promise.all([
      readPage(collection, toWhere(settings.filters, details), settings, limit),
      collection.count(),
    ])
    return { ...found, range: rangeOf(settings.page, found.records.length), isFiltered, count }
  }
  const isRead = useRef(false)
  const [first, showFirst] = useState<Awaited<ReturnType<typeof read>>>()
  const { value = first, error } = useLoaded(
    async () => {
      const start = performance.now()
      // To filter and to sort, all records are made.
      if (!(isRead.current || isFiltered || settings.sort)) showFirst(await read(FIRST_ROWS))
      isRead.current = true
      const whole = await read(PAGE_SIZE)
      changeInterval(performance.now() - start > SLOW ? SLOW_INTERVAL : INTERVAL)
      return whole
    },
    [details, ...pageInputs(settings)],
    interval,
  )
  return { value, error }
}

/** One page of records. */
function RecordTable({ details }: DetailsProps): JSX.Element {
  const { route, linkTo } = usePage()
  const { name, id } = details
  const settings = readSettings(route.query)
  const { page, record } = settings
  const { value, error } = useRecords(details)
  const columns = useColumns(details)
  const [ids, select] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => select(new Set()), [details, ...pageInputs(settings)])
  if (!value || (error !== undefined && value.records.length === 0))
    return <Pending error={error} />
  // All of it is from one answer: while another page is loaded, the range is still that of the rows.
  const { records, isSorted } = value
  const idOf = (one: RecordValues): string => String(one[id])
  const shown = records.map(idOf)
  const selection = { ids: new Set(shown.filter((one) => ids.has(one))), change: select }

  return (
    <>
      {error !== undefined && <Pending error={error} />}
      <SelectionBar details={details} selection={selection} />
      {!isSorted && (
        <p class="hint bar">Only the first {formatNumber(MAX_SORTED)} records are sorted.</p>
      )}
      <Table
        label={`Records of ${name}`}
        columns={[selectionColumn(idOf, shown, selection), ...columns]}
        rows={records}
        keyOf={idOf}
        hrefOf={(one) => {
          const query = { ...route.query, add: '', record: idOf(one) }
          return linkTo({ view: 'records', path: name.split('/'), query })
        }}
        selected={record}
        empty={
          <Empty
            title={value.isFiltered ? 'No record matches the filter' : 'No records on this page'}
          />
        }
      />
      <Pages page={page} {...value} />
    </>
  )
}

type Collection = ReturnType<ReturnType<typeof usePage>['client']['collection']>

/** The records of a page, and whether there are more. The sandbox has them in the order of their ids; the page sorts by other columns. */
async function readPage(
  collection: Collection,
  where: RecordValues,
  { page, sort }: RecordSettings,
  limit: number,
) {
  const skip = (page - 1) * PAGE_SIZE
  // One more record tells whether there is another page.
  const range = sort ? { limit: MAX_SORTED + 1 } : { skip, limit: limit + 1 }
  const found = await collection.list({ where, ...range })
  const isSorted = found.length <= MAX_SORTED
  const sorted = sort ? sortRecords(found.slice(0, MAX_SORTED), sort).slice(skip) : found

  return { records: sorted.slice(0, limit), isMore: sorted.length > limit, isSorted }
}

/** The records in the order of a property. Those without a value come last. */
export function sortRecords(
  records: readonly RecordValues[],
  { name, isDescending }: NonNullable<RecordSettings['sort']>,
): readonly RecordValues[] {
  const sign = isDescending ? -1 : 1
  return records.toSorted((one, other) => {
    const [first, second] = [one[name] ?? undefined, other[name] ?? undefined]
    if (first === undefined || second === undefined) {
      return Number(first === undefined) - Number(second === undefined)
    }
    if (typeof first === 'number' && typeof second === 'number') return sign * (first - second)
    return sign * ORDER.compare(cellText(first), cellText(second))
  })
}

const ORDER = new Intl.Collator('en', { numeric: true })

/** The columns for properties, whose heads sort the records. */
function useColumns(details: CollectionDetails): readonly Column<RecordValues>[] {
  const { route, change } = usePage()
  const { sort } = readSettings(route.query)
  const names = useMemo(() => columnsOf(details), [details])

  return names.map((name, at) => {
    const isOwn = sort ? sort.name === name : at === 0
    const isDescending = isOwn && sort?.isDescending === true
    const next = isOwn && !isDescending ? `-${name}` : name
    const { refersTo } = details.properties.find((one) => one.name === name) ?? {}
    return {
      label: name,
      class: `${at === 0 ? 'record-id' : ''} ${at >= NARROW_COLUMNS ? 'wide-only' : ''}`,
      ...(isOwn && { order: isDescending ? 'descending' : 'ascending' }),
      head: (
        <Button
          class="sort"
          onClick={() => change({ sort: next === details.id ? '' : next, page: '' })}
        >
          {name}
        </Button>
      ),
      cell: (record) => {
        const text = cellText(getOwn(record, name))
        return (
          <span title={text}>
            <LinkedValue collection={refersTo} value={getOwn(record, name)}>
              {text}
            </LinkedValue>
          </span>
        )
      },
    }
  })
}

/** The places of the records of a page, such as `101–200`. */
function rangeOf(page: number, shown: number): string {
  if (shown === 0) return '0'
  const start = (page - 1) * PAGE_SIZE
  return `${formatNumber(start + 1)}–${formatNumber(start + shown)}`
}

interface PagesProps {
  readonly page: number
  readonly range: string
  readonly isMore: boolean
  readonly isFiltered: boolean
  /** The number of all records, whether they match or not. */
  readonly count: number
}

function Pages({ page, range, isMore, isFiltered, count }: PagesProps): JSX.Element {
  const { change } = usePage()
  const all = formatNumber(count)

  return (
    <nav class="pages" aria-label="Pages">
      <p class="quiet">
        {isFiltered ? `${range} that match, in ${all} records` : `${range} of ${all} records`}
      </p>
      <Button disabled={page === 1} onClick={() => change({ page: String(page - 1) })}>
        Previous
      </Button>
      <Button disabled={!isMore} onClick={() => change({ page: String(page + 1) })}>
        Next
      </Button>
    </nav>
  )
}

/** The most columns of a table. */
const MAX_COLUMNS = 8
/** Longer texts are cut before they are drawn. */
const MAX_TEXT = 200

/** The properties that are columns: the id first, then what fits into a cell, in the order of the document. */
export function columnsOf({
  id,
  properties,
}: Pick<CollectionDetails, 'id' | 'properties'>): string[] {
  const others = properties.filter(({ name }) => name !== id)
  const isJson = ({ schema }: (typeof others)[number]): boolean => inputKindOf(schema) === 'json'
  const short = others.filter((one) => !isJson(one))
  const names = [...short, ...others.filter(isJson)].map(({ name }) => name)

  return [id, ...names].slice(0, MAX_COLUMNS)
}

/** The text of a cell. */
export function cellText(value: unknown): string {
  if (value === undefined) return '–'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

/** The records of a page. */
const PAGE_SIZE = 100

import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { useLinks, usePage, useSettings } from '../../page.ts'
import { Empty, Pending } from '../../parts/empty.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import type { CollectionDetails, RecordValues } from './collection-details.ts'
import { cellText, columnsOf } from './columns.ts'
import { PAGE_SIZE, readSettings, toWhere } from './record-query.ts'

/** Milliseconds between two readings: changes by requests appear without a reload. */
const INTERVAL = 1000
/** A search that takes longer, in milliseconds, is repeated less often: it keeps the sandbox busy. */
const SLOW = 200
const SLOW_INTERVAL = 10_000
/** The columns that narrow screens have. */
const NARROW_COLUMNS = 3

interface RecordTableProps {
  readonly details: CollectionDetails
}

/** One page of records. */
export function RecordTable({ details }: RecordTableProps): JSX.Element {
  const { client, route } = usePage()
  const linkTo = useLinks()
  const { name, id } = details
  const { page, filters, record } = readSettings(route.query)
  const columns = useMemo(() => toColumns(details), [details])
  const [interval, changeInterval] = useState(INTERVAL)
  const { value, error } = useLoaded(
    async () => {
      const start = performance.now()
      // One more record tells whether there is another page.
      const range = { skip: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE + 1 }
      const query = { where: toWhere(filters, details), ...range }
      const collection = client.collection(name)
      const [records, count] = await Promise.all([collection.list(query), collection.count()])
      changeInterval(performance.now() - start > SLOW ? SLOW_INTERVAL : INTERVAL)
      return {
        range: rangeOf(page, Math.min(records.length, PAGE_SIZE)),
        isFiltered: Object.keys(filters).length > 0,
        records: records.slice(0, PAGE_SIZE),
        isMore: records.length > PAGE_SIZE,
        count,
      }
    },
    [client, details, page, JSON.stringify(filters)],
    { every: interval },
  )
  if (!value || (error !== undefined && value.records.length === 0))
    return <Pending error={error} />
  // All of it is from one answer: while another page is loaded, the range is still that of the rows.
  const { records, range, isFiltered, isMore, count } = value

  return (
    <>
      {error !== undefined && <Pending error={error} />}
      <Table
        label={`Records of ${name}`}
        columns={columns}
        count={records.length}
        rowAt={(index) => records[index]}
        keyOf={(one) => String(one[id])}
        hrefOf={(one) => {
          const query = { ...route.query, add: '', record: String(one[id]) }
          return linkTo({ view: 'records', path: name.split('/'), query })
        }}
        isSelected={(one) => String(one[id]) === record}
        empty={
          <Empty title={isFiltered ? 'No record matches the filter' : 'No records on this page'} />
        }
      />
      <Pages {...{ page, range, isMore, isFiltered, count }} />
    </>
  )
}

function toColumns(details: CollectionDetails): readonly Column<RecordValues>[] {
  return columnsOf(details).map((name, at) => ({
    label: name,
    class: `${at === 0 ? 'record-id' : ''} ${at >= NARROW_COLUMNS ? 'wide-only' : ''}`,
    cell: (record) => <Cell value={record[name]} />,
  }))
}

function Cell({ value }: { readonly value: unknown }): JSX.Element {
  const text = cellText(value)
  return <span title={text}>{text}</span>
}

/** The places of the records of a page, such as `101–200`. */
function rangeOf(page: number, shown: number): string {
  const start = (page - 1) * PAGE_SIZE
  return shown === 0
    ? '0'
    : `${(start + 1).toLocaleString('en')}–${(start + shown).toLocaleString('en')}`
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
  const change = useSettings()
  const all = count.toLocaleString('en')

  return (
    <nav class="pages" aria-label="Pages">
      <p class="quiet">
        {isFiltered ? `${range} that match, in ${all} records` : `${range} of ${all} records`}
      </p>
      <button
        type="button"
        disabled={page === 1}
        onClick={() => change({ page: String(page - 1) })}
      >
        Previous
      </button>
      <button type="button" disabled={!isMore} onClick={() => change({ page: String(page + 1) })}>
        Next
      </button>
    </nav>
  )
}

import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { formatNumber } from '../../report/format.ts'
import { isObject } from '../../validation/objects.ts'
import { count } from '../../validation/usage-error.ts'
import { fileName, saveFile, useAction, useLoaded, usePage } from '../page.ts'
import {
  Button,
  Empty,
  FileButton,
  Form,
  Icon,
  Pending,
  Split,
  SubmitButton,
} from '../parts/elements.tsx'
import { Field, Select } from '../parts/field.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { RecordPanel } from './record-editor.tsx'
import {
  type CollectionDetails,
  findMissingParent,
  inputKindOf,
  type RecordValues,
  readText,
  valuesOf,
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
          <TransferButtons name={name} />
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

/** Saves all records of a collection as a file, and adds the records of one. */
function TransferButtons({ name }: { readonly name: string }): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const collection = client.collection(name)
  const save = async (): Promise<number> => {
    const records = await collection.list()
    const text = JSON.stringify(records, undefined, 2)
    saveFile(fileName([name], 'json'), 'application/json', text)
    return records.length
  }
  const add = async (file: File): Promise<number> => {
    const records = readRecords(await file.text(), file.name)
    for (const record of records) await collection.create(record)
    return records.length
  }

  return (
    <>
      <Button
        disabled={isBusy}
        onClick={() => run(save, (number) => `${count(number, 'record')} saved.`)}
      >
        Save JSON
      </Button>
      <FileButton
        label="Add from JSON…"
        fileLabel="File of records"
        isDisabled={isBusy}
        onChoose={(file) =>
          run(
            () => add(file),
            (number) => `${count(number, 'record')} added.`,
          )
        }
      />
    </>
  )
}

/** The records of a JSON text, which is a list or one record. Throws a TypeError for any other text. */
function readRecords(text: string, file: string): readonly RecordValues[] {
  const wrong = `Cannot read ${file}: it is not a JSON list of records.`
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new TypeError(wrong, { cause })
  }
  const records = (Array.isArray(value) ? value : [value]).filter(isObject)
  if (Array.isArray(value) ? records.length < value.length : records.length === 0) {
    throw new TypeError(wrong)
  }
  return records
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
        <code>{name}</code>
      </h2>
      {children}
    </header>
  )
}

/** Selects records by the values of their properties. */
function RecordFilters({ details }: DetailsProps): JSX.Element {
  const { route, change } = usePage()
  const { filters } = readSettings(route.query)
  const named = details.properties.filter(({ schema }) => inputKindOf(schema) !== 'json')
  const [name, setName] = useState(named[0]?.name ?? '')
  const [value, setValue] = useState('')
  const schema = named.find((one) => one.name === name)?.schema ?? {}
  const add = (): void => {
    if (value === '') return
    change({ ...filterSetting(name, value), page: '' })
    setValue('')
  }

  return (
    <Form class="filters" onSubmit={add}>
      <Select
        label="Property"
        isLabelHidden
        value={name}
        choices={named.map((one) => one.name)}
        onChange={setName}
      />
      <Field
        label="Value"
        isLabelHidden
        placeholder="Value"
        value={value}
        onInput={setValue}
        suggestions={suggestionsOf(schema)}
      />
      <SubmitButton label="Filter" />
      {Object.entries(filters).map(([filtered, text]) => (
        <button
          key={filtered}
          type="button"
          class="filter"
          aria-label={`Remove the filter ${filtered} = ${text}`}
          onClick={() => change({ ...filterSetting(filtered, ''), page: '' })}
        >
          <span>
            {filtered} = {text}
          </span>
          <Icon name="close" />
        </button>
      ))}
    </Form>
  )
}

function suggestionsOf(schema: CollectionDetails['schema']): readonly string[] {
  if (inputKindOf(schema) === 'checkbox') return ['true', 'false']
  return (valuesOf(schema) ?? []).map(String)
}

/** Milliseconds between two readings: changes by requests appear without a reload. */
const INTERVAL = 1000
/** A search that takes longer, in milliseconds, is repeated less often: it keeps the sandbox busy. */
const SLOW = 200
const SLOW_INTERVAL = 10_000
/** The columns that narrow screens have. */
const NARROW_COLUMNS = 3

/** One page of records. */
function RecordTable({ details }: DetailsProps): JSX.Element {
  const { client, route, linkTo } = usePage()
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
    [details, page, JSON.stringify(filters)],
    interval,
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
        rows={records}
        keyOf={(one) => String(one[id])}
        hrefOf={(one) => {
          const query = { ...route.query, add: '', record: String(one[id]) }
          return linkTo({ view: 'records', path: name.split('/'), query })
        }}
        selected={record}
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
    cell: (record) => {
      const text = cellText(record[name])
      return <span title={text}>{text}</span>
    },
  }))
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

/** What the address says about the records that are shown. */
interface RecordSettings {
  /** From 1. */
  readonly page: number
  /** The texts that properties must have. */
  readonly filters: Readonly<Record<string, string>>
  /** The id of the record that is open. */
  readonly record?: string
  readonly isAdding: boolean
}

/** Settings of the address with this prefix are filters. */
const PREFIX = 'where.'

export function readSettings(query: Readonly<Record<string, string>>): RecordSettings {
  const { page = '', record, add } = query
  const filters = Object.entries(query)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== '')
    .map(([name, value]) => [name.slice(PREFIX.length), value] as const)

  return {
    page: /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1,
    filters: Object.fromEntries(filters),
    ...(record !== undefined && { record }),
    isAdding: add !== undefined,
  }
}

/** The setting of a filter. An empty value removes it. */
export function filterSetting(name: string, value: string): Readonly<Record<string, string>> {
  return { [PREFIX + name]: value }
}

/** The filters as values of the properties. */
export function toWhere(
  filters: RecordSettings['filters'],
  { properties }: Pick<CollectionDetails, 'properties'>,
): RecordValues {
  const entries = Object.entries(filters).map(([name, text]) => {
    const schema = properties.find((one) => one.name === name)?.schema ?? {}
    const read = readText(text, schema, '')
    return [name, 'value' in read ? read.value : text] as const
  })
  return Object.fromEntries(entries)
}

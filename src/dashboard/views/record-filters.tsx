import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { usePage } from '../page.ts'
import { Form, Icon, SubmitButton } from '../parts/elements.tsx'
import { Field, Select } from '../parts/field.tsx'
import {
  type CollectionDetails,
  inputKindOf,
  type RecordValues,
  readText,
  valuesOf,
} from './record-values.ts'

/** What the address says about the records that are shown. */
export interface RecordSettings {
  /** From 1. */
  readonly page: number
  /** The texts that properties must have. */
  readonly filters: Readonly<Record<string, string>>
  /** The property by which the records are sorted; absent for the order of their ids. */
  readonly sort?: { readonly name: string; readonly isDescending: boolean }
  /** The id of the record that is open. */
  readonly record?: string
  readonly isAdding: boolean
}

/** Settings of the address with this prefix are filters. */
const PREFIX = 'where.'

export function readSettings(query: Readonly<Record<string, string>>): RecordSettings {
  const { page = '', record = '', add, sort = '' } = query
  const filters = Object.entries(query)
    .filter(([name, value]) => name.startsWith(PREFIX) && value !== '')
    .map(([name, value]) => [name.slice(PREFIX.length), value] as const)

  return {
    page: /^[1-9]\d{0,6}$/.test(page) ? Number(page) : 1,
    filters: Object.fromEntries(filters),
    ...(sort !== '' && {
      sort: { name: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') },
    }),
    ...(record !== '' && { record }),
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

/** Selects records by the values of their properties. */
export function RecordFilters({ details }: { readonly details: CollectionDetails }): JSX.Element {
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

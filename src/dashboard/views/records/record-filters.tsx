import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { usePage, useSettings } from '../../page.ts'
import { Field, Select } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { CollectionDetails } from './collection-details.ts'
import { inputKindOf, valuesOf } from './property-input.ts'
import { filterSetting, readSettings } from './record-query.ts'

/** Selects records by the values of their properties. */
export function RecordFilters({ details }: { readonly details: CollectionDetails }): JSX.Element {
  const { route } = usePage()
  const change = useSettings()
  const { filters } = readSettings(route.query)
  const named = details.properties.filter(({ schema }) => inputKindOf(schema) !== 'json')
  const [name, setName] = useState(named[0]?.name ?? '')
  const [value, setValue] = useState('')
  const schema = named.find((one) => one.name === name)?.schema ?? {}
  const add = (): void => {
    change({ ...filterSetting(name, value), page: '' })
    setValue('')
  }

  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        add()
      }}
    >
      <Select
        label="Property"
        isLabelHidden
        value={name}
        choices={named.map((one) => ({ value: one.name }))}
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
      <button type="submit" disabled={value === ''}>
        Filter
      </button>
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
    </form>
  )
}

function suggestionsOf(schema: CollectionDetails['schema']): readonly string[] {
  if (inputKindOf(schema) === 'checkbox') return ['true', 'false']
  return (valuesOf(schema) ?? []).map(String)
}

import type { JSX } from 'preact'
import { useSettings } from '../../page.ts'
import { Field, Select } from '../../parts/field.tsx'
import type { Counts, Traffic } from '../../sandbox/traffic.ts'
import type { TrafficFilter } from './filter.ts'

interface FilterBarProps {
  readonly traffic: Traffic
  readonly filter: TrafficFilter
  /** How many of the kept exchanges match. */
  readonly matching: number
}

const CLASSES = ['2xx', '3xx', '4xx', '5xx']

/** The counts of all exchanges, and the filter of the list. */
export function FilterBar({ traffic, filter, matching }: FilterBarProps): JSX.Element {
  const change = useSettings()
  const rate = traffic.perSecond(performance.now())

  return (
    <search class="filters">
      <Field
        label="Text"
        isLabelHidden
        type="search"
        placeholder="Search path, operation, reason"
        value={filter.text}
        onInput={(text) => change({ text })}
      />
      <Select
        label="Operation"
        isLabelHidden
        value={filter.operation}
        choices={[{ value: '', label: 'All operations' }, ...choicesOf(traffic.operations)]}
        onChange={(operation) => change({ operation })}
      />
      <Select
        label="Status"
        isLabelHidden
        value={filter.status}
        choices={[
          { value: '', label: 'All statuses' },
          ...CLASSES.map((value) => ({ value })),
          ...choicesOf(traffic.statuses),
        ]}
        onChange={(status) => change({ status })}
      />
      <Select
        label="Key"
        isLabelHidden
        value={filter.key}
        choices={[{ value: '', label: 'All keys' }, ...keyChoices(traffic)]}
        onChange={(key) => change({ key })}
      />
      <p class="counts">
        <b>{traffic.counted.toLocaleString('en')}</b> requests · <b>{rate.toLocaleString('en')}</b>{' '}
        per second
        {matching < traffic.exchanges.length && ` · ${matching.toLocaleString('en')} match`}
      </p>
    </search>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

/** The names with their counts, in the order of the alphabet. */
function choicesOf(counts: Counts, nameOf: (value: string) => string = (value) => value): Choice[] {
  return [...counts]
    .filter(([value]) => value !== '')
    .map(([value, count]) => ({ value, name: nameOf(value), count }))
    .sort((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ value, name, count }) => ({ value, label: `${name} (${count.toLocaleString('en')})` }))
}

function keyChoices(traffic: Traffic): Choice[] {
  return choicesOf(traffic.keys, (id) => traffic.keyName(id))
}

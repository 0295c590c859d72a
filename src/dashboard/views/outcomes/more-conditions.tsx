import type { JSX } from 'preact'
import { Field, Select } from '../../parts/field.tsx'
import type { DraftField } from './rule-draft.ts'

interface ConditionsProps {
  readonly methods: readonly string[]
  /** The value of a field, its error, and how to change it. */
  readonly field: (name: DraftField) => {
    readonly value: string
    readonly error: string | undefined
    readonly onInput: (value: string) => void
  }
}

/** The conditions of a rule that are needed less often. */
export function MoreConditions({ methods, field }: ConditionsProps): JSX.Element {
  const { value, onInput } = field('method')
  const hasErrors = (['path', 'skip', 'latency'] as const).some((name) => field(name).error)

  return (
    <details {...(hasErrors && { open: true })}>
      <summary>More conditions</summary>
      <div class="field-grid">
        <Select
          label="Method"
          value={value}
          choices={[
            { value: '', label: 'every method' },
            ...methods.map((method) => ({ value: method })),
          ]}
          onChange={onInput}
        />
        <Field label="Path" {...field('path')} placeholder="every path" hint="Such as /books/*" />
        <Field label="Requests to skip first" {...field('skip')} placeholder="0" />
        <Field
          label="Delay"
          {...field('latency')}
          placeholder="default"
          hint="Such as 200ms or 100ms..2s"
        />
      </div>
    </details>
  )
}

import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Schema } from '../../../contract/contract.ts'
import { Field, Select } from '../../parts/field.tsx'
import type { RecordProperty } from './collection-details.ts'
import { type InputKind, valuesOf } from './property-input.ts'

interface PropertyFieldProps {
  readonly property: RecordProperty
  readonly kind: InputKind
  readonly text: string
  readonly error: string | undefined
  readonly onInput: (text: string) => void
}

/** The input for a property, by its schema. */
export function PropertyField(props: PropertyFieldProps): JSX.Element {
  const { property, kind, text, error, onInput } = props
  const label = property.required ? `${property.name} *` : property.name
  const hint = hintOf(property.schema, kind)
  if (kind === 'checkbox') return <Checkbox {...{ label, text, error, onInput }} />
  if (kind === 'choice') {
    const choices = (valuesOf(property.schema) ?? []).map((value) => ({ value: String(value) }))
    return (
      <Select
        label={label}
        value={text}
        choices={[{ value: '', label: 'Not set' }, ...choices]}
        onChange={onInput}
        error={error}
      />
    )
  }
  if (kind === 'date' || kind === 'date-time') {
    return <DateField {...{ label, text, error, onInput, kind }} />
  }
  const rows = rowsOf(kind, text)

  return (
    <Field
      {...{ label, hint, error, onInput }}
      value={text}
      isRequired={property.required}
      {...(rows !== undefined && { rows })}
    />
  )
}

function rowsOf(kind: InputKind, text: string): number | undefined {
  if (kind !== 'json' && kind !== 'long-text') return undefined
  return Math.min(12, Math.max(2, text.split('\n').length))
}

function hintOf({ description, format }: Schema, kind: InputKind): string {
  const text = typeof description === 'string' ? description : ''
  if (kind === 'json') return text || 'JSON'
  return text || (format ?? '')
}

type InputProps = Omit<PropertyFieldProps, 'property' | 'kind'> & { readonly label: string }

function Checkbox({ label, text, error, onInput }: InputProps): JSX.Element {
  const id = useId()

  return (
    <div class="field">
      <div class="checkbox">
        <input
          id={id}
          type="checkbox"
          checked={text === 'true'}
          onChange={({ currentTarget }) => onInput(String(currentTarget.checked))}
        />
        <label for={id}>{label}</label>
        {text === '' && <span class="hint">not set</span>}
      </div>
      <p class="error" role="alert">
        {error}
      </p>
    </div>
  )
}

/** The browser's input has no time zone: its times are in UTC. */
function DateField(props: InputProps & { readonly kind: 'date' | 'date-time' }): JSX.Element {
  const { label, text, error = '', onInput, kind } = props
  const id = useId()
  const isTime = kind === 'date-time'

  return (
    <div class="field">
      <label for={id}>{isTime ? `${label} (UTC)` : label}</label>
      <input
        id={id}
        type={isTime ? 'datetime-local' : 'date'}
        step={isTime ? '1' : 'any'}
        value={isTime ? toLocalText(text) : text}
        aria-invalid={error !== ''}
        {...(error && { 'aria-describedby': `${id}-error` })}
        onInput={({ currentTarget: { value } }) => onInput(isTime ? fromLocalText(value) : value)}
      />
      <p class="error" id={`${id}-error`} role="alert">
        {error}
      </p>
    </div>
  )
}

function toLocalText(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 19)
}

function fromLocalText(text: string): string {
  if (text === '') return ''
  return `${text.length === 16 ? `${text}:00` : text}Z`
}

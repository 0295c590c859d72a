import type { JSX } from 'preact'
import { useId } from 'preact/hooks'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  /** What is wrong with the value; absent or empty when it is valid. */
  readonly error?: string | undefined
  /** How to write the value. */
  readonly hint?: string
  readonly type?: 'search'
  /** What is typed is not shown. */
  readonly isSecret?: boolean
  readonly placeholder?: string
  readonly isRequired?: boolean
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean
  /** The values that are suggested. */
  readonly suggestions?: readonly string[]
  /** Several lines. */
  readonly rows?: number
}

/** A labelled input with its hint and its error. */
export function Field(props: FieldProps): JSX.Element {
  const { label, error = '', hint = '' } = props
  const id = useId()

  return (
    <div class="field">
      <label for={id} class={props.isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      <Control {...props} id={id} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p class="error" id={`${id}-error`} role="alert">
        {error}
      </p>
    </div>
  )
}

function Control(props: FieldProps & { readonly id: string }): JSX.Element {
  const { id, value, error = '', hint = '', suggestions = [] } = props
  const described = [...(hint ? [`${id}-hint`] : []), ...(error ? [`${id}-error`] : [])].join(' ')
  const common = {
    id,
    value,
    placeholder: props.placeholder ?? '',
    required: props.isRequired ?? false,
    'aria-invalid': error !== '',
    autocomplete: 'off' as const,
    spellcheck: false,
    ...(described && { 'aria-describedby': described }),
  }
  const read = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    props.onInput(currentTarget.value)
  if (props.rows !== undefined) return <textarea {...common} rows={props.rows} onInput={read} />
  if (props.isSecret) return <input {...common} type="password" onInput={read} />
  if (props.type === 'search') return <input {...common} type="search" onInput={read} />
  if (suggestions.length === 0) return <input {...common} type="text" onInput={read} />

  return (
    <>
      <input {...common} list={`${id}-list`} onInput={read} />
      <datalist id={`${id}-list`}>
        {suggestions.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  )
}

/** One choice of a list. */
export interface Choice {
  readonly value: string
  /** Default: the value. */
  readonly label?: string
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (value: string) => void
  readonly isLabelHidden?: boolean
  /** What is wrong with the value; absent or empty when it is valid. */
  readonly error?: string | undefined
}

/** A labelled list of choices. A value that is not among them is shown, too. */
export function Select(props: SelectProps): JSX.Element {
  const { label, value, choices, onChange, isLabelHidden, error = '' } = props
  const id = useId()
  const isKnown = choices.some((choice) => choice.value === value)

  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        aria-invalid={error !== ''}
        {...(error && { 'aria-describedby': `${id}-error` })}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label ?? choice.value}
          </option>
        ))}
      </select>
      <p class="error" id={`${id}-error`} role="alert">
        {error}
      </p>
    </div>
  )
}

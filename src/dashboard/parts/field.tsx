import type { JSX, TargetedFocusEvent, TargetedKeyboardEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

interface LabelProps {
  readonly label: string
  /** The label is for screen readers only. */
  readonly isLabelHidden?: boolean
  /** How to write the value. */
  readonly hint?: string
  /** What is wrong with the value; absent or empty when it is valid. */
  readonly error?: string | undefined
}

/** What connects a control with its label, its hint and its error. */
interface ControlAttributes {
  readonly id: string
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby'?: string
}

interface LabelledProps extends LabelProps {
  readonly control: (attributes: ControlAttributes) => JSX.Element
}

/** A control with its label, its hint and its error. */
export function Labelled(props: LabelledProps): JSX.Element {
  const { label, isLabelHidden = false, hint = '', error = '', control } = props
  const id = useId()
  const described = [...(hint ? [`${id}-hint`] : []), ...(error ? [`${id}-error`] : [])].join(' ')

  return (
    <div class="field">
      <label for={id} class={isLabelHidden ? 'hidden' : ''}>
        {label}
      </label>
      {control({
        id,
        'aria-invalid': error !== '',
        ...(described && { 'aria-describedby': described }),
      })}
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

const INPUTS = {
  text: { type: 'text' },
  search: { type: 'search' },
  password: { type: 'password' },
  date: { type: 'date' },
  'date-time': { type: 'datetime-local', step: '1' },
} as const

interface FieldProps extends LabelProps {
  readonly value: string
  readonly onInput: (value: string) => void
  /** Default: `text`. */
  readonly type?: keyof typeof INPUTS
  readonly placeholder?: string
  readonly isRequired?: boolean
  /** The values that are suggested. */
  readonly suggestions?: readonly (string | Choice)[]
  /** Several lines. */
  readonly rows?: number | undefined
}

/** A labelled input with its hint and its error. */
export function Field(props: FieldProps): JSX.Element {
  const { value, onInput, type = 'text', placeholder = '', rows, suggestions = [] } = props
  const attributes = {
    value,
    placeholder,
    required: props.isRequired ?? false,
    autocomplete: 'off' as const,
    spellcheck: false,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onInput(currentTarget.value),
  }

  return (
    <Labelled
      {...props}
      control={(label) => {
        if (rows !== undefined) return <textarea {...label} {...attributes} rows={rows} />
        const id = `${label.id}-list`
        const list = suggestions.length > 0 ? { list: id } : {}
        // The input stays the same one, with its focus, when suggestions are loaded.
        return (
          <>
            <input {...label} {...attributes} {...INPUTS[type]} {...list} />
            {suggestions.length > 0 && (
              <datalist id={id}>
                {suggestions.map((one) =>
                  typeof one === 'string' ? (
                    <option key={one} value={one} />
                  ) : (
                    <option key={one.value} {...one} />
                  ),
                )}
              </datalist>
            )}
          </>
        )
      }}
    />
  )
}

interface DateTimeProps extends LabelProps {
  /** An instant as in RFC 3339, with any offset; an empty text for none. */
  readonly value: string
  readonly onInput: (value: string) => void
}

/** A date and a time in UTC, because the input of browsers has no time zone. The hint says what the value is. */
export function DateTimeField({
  label,
  value,
  onInput,
  hint = '',
  ...rest
}: DateTimeProps): JSX.Element {
  const time = Date.parse(value)
  return (
    <Field
      {...rest}
      label={`${label} (UTC)`}
      type="date-time"
      hint={value === '' ? hint : `Sent as ${value}`}
      value={Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 19)}
      onInput={(text) => onInput(text && `${text.length === 16 ? `${text}:00` : text}Z`)}
    />
  )
}

type SearchProps = Pick<FieldProps, 'label' | 'placeholder' | 'value' | 'onInput'>

/** Milliseconds without a key before a list is searched. Drawing a long list after each key would make typing slow. */
const SEARCH_DELAY = 150

/** A field that selects the items of a list. Its placeholder is its label, unless another one is given. */
export function SearchField({ onInput, ...props }: SearchProps): JSX.Element {
  const [typed, type] = useState<string | undefined>(undefined)
  const search = useRef(onInput)
  search.current = onInput
  useEffect(() => {
    if (typed === undefined) return undefined
    const timer = setTimeout(() => {
      type(undefined)
      search.current(typed)
    }, SEARCH_DELAY)
    return () => clearTimeout(timer)
  }, [typed])

  return (
    <Field
      placeholder={props.label}
      {...props}
      value={typed ?? props.value}
      onInput={type}
      type="search"
      isLabelHidden
    />
  )
}

interface Search {
  /** Whether an item with this text is searched for. */
  readonly isFound: (text: string) => boolean
  /** Whether anything is typed. */
  readonly isFiltered: boolean
  readonly field: JSX.Element
}

/** A search field for a list that is part of a view. What is typed is not in the address. */
export function useSearch(label: string, placeholder: string = label): Search {
  const [typed, setTyped] = useState('')
  const wanted = typed.toLowerCase()

  return {
    isFound: (text) => text.toLowerCase().includes(wanted),
    isFiltered: wanted !== '',
    field: <SearchField {...{ label, placeholder }} value={typed} onInput={setTyped} />,
  }
}

/** One choice of a list. */
export interface Choice {
  readonly value: string
  /** Default: the value. */
  readonly label?: string
}

interface SelectProps extends LabelProps {
  readonly value: string
  /** A text is a choice without another label. */
  readonly choices: readonly (Choice | string)[]
  readonly onChange: (value: string) => void
}

/** A labelled list of choices. A value that is not among them is shown, too. */
export function Select(props: SelectProps): JSX.Element {
  const { value, onChange } = props
  const choices = props.choices.map((one) => (typeof one === 'string' ? { value: one } : one))
  const isKnown = choices.some((choice) => choice.value === value)

  return (
    <Labelled
      {...props}
      control={(label) => (
        <select
          {...label}
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {!isKnown && <option value={value}>{value}</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label ?? choice.value}
            </option>
          ))}
        </select>
      )}
    />
  )
}

interface MultiSelectProps {
  readonly label: string
  /** What is shown when nothing is chosen. */
  readonly all: string
  /** The chosen values, separated by commas. */
  readonly value: string
  /** Called when the list is open. */
  readonly choicesOf: () => readonly (Choice | string)[]
  readonly onChange: (value: string) => void
}

/** A list of choices that opens, of which several can be chosen. */
export function MultiSelect({
  label,
  all,
  value,
  choicesOf,
  onChange,
}: MultiSelectProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const chosen = value === '' ? [] : value.split(',')
  const choices = isOpen ? choicesOf() : []
  const listed = choices.map((one) => (typeof one === 'string' ? { value: one } : one))
  const others = chosen
    .filter((one) => listed.every((choice) => choice.value !== one))
    .map((one): Choice => ({ value: one }))
  const toggle = (one: string, isChosen: boolean): void =>
    onChange((isChosen ? [...chosen, one] : chosen.filter((other) => other !== one)).join(','))
  const shown = chosen.length > 1 ? `${chosen.length} chosen` : value

  return (
    <details
      class="menu"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={closeMenu}
      onFocusOut={leaveMenu}
    >
      <summary aria-label={`${label}: ${chosen.join(', ') || all}`}>{shown || all}</summary>
      <fieldset class="menu-list">
        <legend class="hidden">{label}</legend>
        {[...others, ...listed].map((choice) => (
          <label key={choice.value}>
            <input
              type="checkbox"
              checked={chosen.includes(choice.value)}
              onChange={({ currentTarget }) => toggle(choice.value, currentTarget.checked)}
            />
            <span class="long">{choice.label ?? choice.value}</span>
          </label>
        ))}
        {listed.length === 0 && <p class="quiet">None yet</p>}
      </fieldset>
    </details>
  )
}

/** Escape closes the menu, and nothing around it. */
function closeMenu(event: TargetedKeyboardEvent<HTMLDetailsElement>): void {
  const { key, currentTarget } = event
  if (key !== 'Escape' || !currentTarget.open) return
  event.stopPropagation()
  currentTarget.open = false
  currentTarget.querySelector('summary')?.focus()
}

/** A menu without the focus is closed. */
function leaveMenu({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLDetailsElement>): void {
  const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
  if (relatedTarget && !isInside) currentTarget.open = false
}

/** One of these values: the one that was chosen, at first the first one; `undefined` without values. */
export function useChoice<Value extends string>(
  values: readonly Value[],
): readonly [chosen: Value | undefined, choose: (value: Value) => void] {
  const [chosen, choose] = useState<Value | undefined>(undefined)
  return [chosen ?? values[0], choose]
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from '../../parts/field.tsx'

interface PickerProps {
  readonly operations: readonly { readonly operation: string; readonly request: string }[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Documents with more operations get a search field. */
const SEARCHED = 8

/** Chooses operations. None chosen is every operation. */
export function OperationPicker({ operations, chosen, onChange }: PickerProps): JSX.Element {
  const [text, setText] = useState('')
  const wanted = text.toLowerCase()
  const found = operations.filter(
    ({ operation, request }) =>
      chosen.includes(operation) || `${operation} ${request}`.toLowerCase().includes(wanted),
  )
  const toggle = (operation: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, operation] : chosen.filter((one) => one !== operation))

  return (
    <fieldset class="picker">
      <legend>
        Operations{' '}
        <span class="quiet">
          {chosen.length === 0 ? 'every operation' : `${chosen.length} chosen`}
        </span>
      </legend>
      {operations.length > SEARCHED && (
        <Field
          label="Search operations"
          isLabelHidden
          type="search"
          placeholder="Search operations"
          value={text}
          onInput={setText}
        />
      )}
      <ul class="picker-list">
        {found.map(({ operation, request }) => (
          <li key={operation}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(operation)}
                onChange={({ currentTarget }) => toggle(operation, currentTarget.checked)}
              />
              <span class="long">
                {operation} <code class="quiet">{request}</code>
              </span>
            </label>
          </li>
        ))}
        {found.length === 0 && <li class="quiet">No operation matches.</li>}
      </ul>
    </fieldset>
  )
}

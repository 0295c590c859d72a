import type { JSX } from 'preact'
import { Field, Select } from '../../parts/field.tsx'
import type { LoadedForm } from './load-form.ts'
import type { OperationDetails } from './operation-types.ts'
import { preferChoices } from './prefer-choices.ts'
import type { ParameterEntry, RequestForm } from './request-form.ts'

interface RequestFieldsProps {
  readonly details: OperationDetails
  readonly loaded: LoadedForm
  readonly form: RequestForm
  readonly onChange: (form: RequestForm) => void
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const

/** The inputs for the parameters, the body, the key and the preference of a request. */
export function RequestFields({
  details,
  loaded,
  form,
  onChange,
}: RequestFieldsProps): JSX.Element {
  const { parameters } = form
  const write = (entry: ParameterEntry, text: string): void => {
    const changed = parameters.map((one) => (one === entry ? { ...one, text } : one))
    onChange({ ...form, parameters: changed })
  }
  const hasCookie = parameters.some(({ name }) => name.toLowerCase() === 'cookie')

  return (
    <>
      {PLACES.map(([place, label]) => (
        <Parameters
          key={place}
          label={label}
          entries={parameters.filter((one) => one.in === place)}
          write={write}
        />
      ))}
      {hasCookie && (
        <p class="hint">Pages cannot send cookies of their own. The curl command sends them.</p>
      )}
      {details.body && <Body {...{ details, form, onChange }} />}
      <div class="row-form">
        {loaded.credentials.length > 0 && (
          <Field
            label="API key"
            value={form.key}
            suggestions={loaded.keys}
            hint="Leave it empty to send none."
            onInput={(key) => onChange({ ...form, key })}
          />
        )}
        <Select
          label="Prefer"
          value={form.prefer}
          choices={preferChoices(details)}
          onChange={(prefer) => onChange({ ...form, prefer })}
        />
      </div>
    </>
  )
}

interface ParametersProps {
  readonly label: string
  readonly entries: readonly ParameterEntry[]
  readonly write: (entry: ParameterEntry, text: string) => void
}

function Parameters({ label, entries, write }: ParametersProps): JSX.Element | null {
  if (entries.length === 0) return null
  return (
    <fieldset class="parameters">
      <legend>{label}</legend>
      {entries.map((entry, at) => (
        <Parameter key={at} entry={entry} onInput={(text) => write(entry, text)} />
      ))}
    </fieldset>
  )
}

interface ParameterProps {
  readonly entry: ParameterEntry
  readonly onInput: (text: string) => void
}

function Parameter({ entry, onInput }: ParameterProps): JSX.Element {
  const { name, text, required, choices, hint } = entry
  const label = required ? `${name} *` : name

  return <Field label={label} value={text} hint={hint} suggestions={choices} onInput={onInput} />
}

type BodyProps = Pick<RequestFieldsProps, 'details' | 'form' | 'onChange'>

function Body({ details, form, onChange }: BodyProps): JSX.Element {
  const { contentTypes = [] } = details.body ?? {}
  const rows = Math.min(20, Math.max(4, form.body.split('\n').length + 1))

  return (
    <>
      {contentTypes.length > 1 && (
        <Select
          label="Content-Type"
          value={form.contentType}
          choices={contentTypes.map((value) => ({ value }))}
          onChange={(contentType) => onChange({ ...form, contentType })}
        />
      )}
      <Field
        label={`Body (${form.contentType})`}
        rows={rows}
        value={form.body}
        onInput={(body) => onChange({ ...form, body })}
      />
    </>
  )
}

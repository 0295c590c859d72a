import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { Schema } from '../../contract/contract.ts'
import { formatNumber } from '../../report/format.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import {
  alternativeName,
  firstValue,
  fits,
  isBinary,
  limitsOf,
  type NamedSchemas,
  type SchemaView,
  shortText,
  typeText,
  viewOf,
} from '../schema-view.ts'
import { Button, Icon } from './elements.tsx'
import { DateTimeField, Field, Labelled, Select } from './field.tsx'

/** What is wrong with the value at a place, such as `body.tags[0]`. */
export type PlaceErrors = ReadonlyMap<string, string>

interface ValueProps {
  readonly label: string
  readonly schema: Schema
  readonly schemas: NamedSchemas
  /** `undefined`: there is no value. */
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** The place of the value, such as `body.tags[0]`. */
  readonly place: string
  readonly errors: PlaceErrors
  readonly hint?: string
  /** Whether the value can be left out by an empty field. */
  readonly isOptional?: boolean
  readonly depth?: number
  /** Whether what surrounds it says already what it is. */
  readonly isNamed?: boolean
}

/** Values that are deeper inside each other are edited as JSON. */
const MAX_DEPTH = 8

/** An input for a value, by its schema: fields, rows, choices, files, or free text. */
export function ValueEditor(props: ValueProps): JSX.Element {
  const { schema, schemas, value, depth = 0 } = props
  const view = viewOf(schema, schemas)
  const { alternatives, types } = view
  const [type] = types
  if (isBinary(view) || value instanceof File) return <FileField {...props} />
  if (depth < MAX_DEPTH) {
    if (alternatives.length > 1) return <ChoiceEditor {...props} view={view} />
    if (type === 'array') return <ListEditor {...props} view={view} />
    const isNamed = Object.keys(view.schema.properties ?? {}).length > 0
    if (type === 'object' && isNamed && (value === undefined || isObject(value)))
      return <ObjectEditor {...props} view={view} />
  }
  const isOpen = type === undefined && listedIn(view).length === 0
  if (isOpen || type === 'object' || type === 'array' || isNested(value))
    return <JsonField {...props} view={view} />
  return <ScalarField {...props} view={view} />
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** The values that a schema lists. */
function listedIn({ schema, types }: SchemaView): readonly unknown[] {
  if (schema.const !== undefined) return [schema.const]
  return schema.enum ?? (types.includes('boolean') ? [true, false] : [])
}

type ViewProps = ValueProps & { readonly view: SchemaView }

/** What to type: the type, the format and the limits. */
function typeHint(view: SchemaView, schemas: NamedSchemas): string {
  return [typeText(view, schemas), ...limitsOf(view.schema)].join(', ')
}

function ScalarField(props: ViewProps): JSX.Element {
  const { label, value, onChange, place, errors, view, schemas, isOptional = false } = props
  const { isNullable } = view
  const values = listedIn(view)
  const hint = props.hint || typeHint(view, schemas)
  if (values.length === 0) return <TextField {...props} hint={hint} />
  const all = isNullable && !values.includes(null) ? [...values, null] : values
  const choices = all.map((one) => ({ value: JSON.stringify(one), label: shortText(one) }))
  const chosen = value === undefined ? '' : JSON.stringify(value)
  // Without a valid request, a required parameter has no value yet.
  if (value === '' && choices.every((one) => one.value !== chosen))
    choices.unshift({ value: chosen, label: 'choose a value' })

  return (
    <Select
      label={label}
      hint={hint}
      error={errors.get(place)}
      value={chosen}
      choices={[...(isOptional ? [{ value: '', label: 'not sent' }] : []), ...choices]}
      onChange={(next) => onChange(next === '' ? undefined : JSON.parse(next))}
    />
  )
}

function TextField(props: ViewProps): JSX.Element {
  const { label, value, onChange, place, errors, view, isOptional = false, hint = '' } = props
  const { schema, types } = view
  const text = value === undefined || value === null ? '' : String(value)
  const isDate = schema.format === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(text)
  const isLong = text.length > 80 || text.includes('\n')
  const field = {
    ...{ label, hint, value: text, error: errors.get(place) },
    onInput: (typed: string) =>
      onChange(typed === '' && isOptional ? undefined : scalarOf(typed, types)),
  }
  // Other texts are edited as they are.
  const isTime = text === '' || !Number.isNaN(Date.parse(text))
  if (schema.format === 'date-time' && isTime) return <DateTimeField {...field} />

  return (
    <Field
      {...field}
      type={isDate ? 'date' : 'text'}
      rows={isLong && types.includes('string') ? 4 : undefined}
      placeholder={value === null ? 'null' : ''}
    />
  )
}

/** Numbers in another spelling, and other texts, are sent as they are typed. */
function scalarOf(text: string, types: readonly string[]): unknown {
  const isNumber = types.includes('integer') || types.includes('number')
  return isNumber && String(Number(text)) === text ? Number(text) : text
}

/** A choice among schemas by their names, and the value of the one that is chosen. */
function ChoiceEditor(props: ViewProps): JSX.Element {
  const { label, view, schemas, value, onChange, depth = 0 } = props
  const { alternatives, schema } = view
  const fitting = alternatives.findIndex((one) => fits(value, one, schemas))
  const [chosen, choose] = useState<number | undefined>(undefined)
  const at = chosen ?? Math.max(0, fitting)
  const { oneOf: _one, anyOf: _any, ...common } = schema
  const own: Schema = { allOf: [common, alternatives[at] ?? {}] }

  return (
    <fieldset class="value-group">
      <legend class={props.isNamed ? 'hidden' : ''}>{label}</legend>
      <Select
        label={props.isNamed ? 'Kind' : `Kind of ${label}`}
        value={String(at)}
        choices={alternatives.map((one, index) => ({
          value: String(index),
          label: alternativeName(one, index, schemas),
        }))}
        onChange={(next) => {
          choose(Number(next))
          onChange(firstValue(alternatives[Number(next)] ?? {}, schemas))
        }}
      />
      <ValueEditor key={at} {...props} schema={own} depth={depth + 1} isNamed />
    </fieldset>
  )
}

function ObjectEditor(props: ViewProps): JSX.Element {
  const { label, view, schemas, value, onChange, place, errors, depth = 0 } = props
  const { properties = {}, required = [] } = view.schema
  const members = isObject(value) ? value : {}
  const names = [...new Set([...required, ...Object.keys(members)])]
  const absent = Object.keys(properties).filter(
    (name) => !names.includes(name) && properties[name]?.readOnly !== true,
  )
  const set = (name: string, inner: unknown): void => {
    // The name may be `__proto__`.
    const entries = Object.entries(members).filter(([key]) => key !== name)
    const at = Object.keys(members).indexOf(name)
    const own: [string, unknown][] = inner === undefined ? [] : [[name, inner]]
    onChange(Object.fromEntries(entries.toSpliced(at < 0 ? entries.length : at, 0, ...own)))
  }

  return (
    <fieldset class="value-group">
      <legend class={props.isNamed ? 'hidden' : ''}>{label}</legend>
      <p class="error">{errors.get(place)}</p>
      {names.map((name) => (
        <div key={name} class="value-row">
          <ValueEditor
            label={required.includes(name) ? `${name} *` : name}
            schema={getOwn(properties, name) ?? {}}
            schemas={schemas}
            value={getOwn(members, name)}
            onChange={(inner) => set(name, inner)}
            place={`${place}.${name}`}
            errors={errors}
            depth={depth + 1}
          />
          {Object.hasOwn(members, name) && (
            <RemoveButton label={`Remove ${name}`} onClick={() => set(name, undefined)} />
          )}
        </div>
      ))}
      {absent.length > 0 && (
        <Select
          label={props.isNamed ? 'Add a property' : `Add a property to ${label}`}
          isLabelHidden
          value=""
          choices={[{ value: '', label: 'Add a property…' }, ...absent]}
          onChange={(name) => name && set(name, firstValue(properties[name] ?? {}, schemas))}
        />
      )}
    </fieldset>
  )
}

/** More rows are edited as text. */
const MAX_ROWS = 100

function ListEditor(props: ViewProps): JSX.Element {
  const { label, view, schemas, value, onChange, place, errors, isOptional, depth = 0 } = props
  const item = view.schema.items ?? {}
  const values = Array.isArray(value) ? value : []
  const listed = viewOf(item, schemas).schema.enum
  if (listed && view.schema.uniqueItems !== false && listed.length <= MAX_ROWS) {
    return <SeveralField {...props} values={values} listed={listed} />
  }
  if (values.length > MAX_ROWS) return <JsonField {...props} />
  const name = label.replace(/ \*$/, '')
  const change = (next: readonly unknown[]): void =>
    onChange(next.length === 0 && isOptional ? undefined : next)

  return (
    <fieldset class="value-group">
      <legend>{label}</legend>
      <p class="hint">{props.hint || typeHint(view, schemas)}</p>
      <p class="error">{errors.get(place)}</p>
      {values.map((one, at) => (
        <div key={at} class="value-row">
          <ValueEditor
            label={`${name} ${at + 1}`}
            schema={item}
            schemas={schemas}
            value={one}
            onChange={(inner) => change(values.with(at, inner))}
            place={`${place}[${at}]`}
            errors={errors}
            depth={depth + 1}
          />
          <RemoveButton
            label={`Remove ${name} ${at + 1}`}
            onClick={() => change(values.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div>
        <Button class="small" onClick={() => change([...values, firstItem(item, schemas)])}>
          Add {name}
        </Button>
      </div>
    </fieldset>
  )
}

function firstItem(item: Schema, schemas: NamedSchemas): unknown {
  return isBinary(viewOf(item, schemas)) ? '' : firstValue(item, schemas)
}

/** Several values of those that the document lists. */
function SeveralField(
  props: ViewProps & { readonly values: readonly unknown[]; readonly listed: readonly unknown[] },
): JSX.Element {
  const { label, values, listed, onChange, place, errors, isOptional } = props
  const texts = values.map((one) => JSON.stringify(one))

  return (
    <Labelled
      label={label}
      hint={props.hint || 'Several can be chosen, with Ctrl.'}
      error={errors.get(place)}
      control={(attributes) => (
        <select
          {...attributes}
          multiple
          size={Math.min(6, listed.length)}
          onChange={({ currentTarget }) => {
            const chosen = [...currentTarget.selectedOptions].map((one) => JSON.parse(one.value))
            onChange(chosen.length === 0 && isOptional ? undefined : chosen)
          }}
        >
          {listed.map((one) => {
            const text = JSON.stringify(one)
            return (
              <option key={text} value={text} selected={texts.includes(text)}>
                {shortText(one)}
              </option>
            )
          })}
        </select>
      )}
    />
  )
}

function FileField({ label, value, onChange, place, errors, hint }: ValueProps): JSX.Element {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onChange(file)
        }}
      />
      <p class="hint long" id={`${id}-hint`}>
        {value instanceof File
          ? `${value.name}, ${formatNumber(value.size)} bytes`
          : hint || 'No file is chosen.'}
      </p>
      <p class="error" role="alert">
        {errors.get(place)}
      </p>
    </div>
  )
}

/** A value as JSON, where the schema allows any. A text that is no JSON is the value itself. */
function JsonField({
  label,
  value,
  onChange,
  place,
  errors,
  view,
  schemas,
  hint,
}: ViewProps): JSX.Element {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const written = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  const shown = typed ?? written ?? ''

  return (
    <Field
      label={label}
      hint={hint || `${typeHint(view, schemas)}, as JSON or as text`}
      error={errors.get(place)}
      rows={isNested(value) ? Math.min(12, shown.split('\n').length + 1) : 2}
      value={shown}
      onInput={(text) => {
        setTyped(text)
        onChange(text === '' ? undefined : jsonOr(text))
      }}
    />
  )
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

interface RemoveProps {
  readonly label: string
  readonly onClick: () => void
}

function RemoveButton({ label, onClick }: RemoveProps): JSX.Element {
  return (
    <Button class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name="close" />
    </Button>
  )
}

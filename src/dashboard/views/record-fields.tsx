import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { Schema } from '../../contract/contract.ts'
import { getOwn } from '../../validation/objects.ts'
import { ErrorText } from '../parts/elements.tsx'
import { DateTimeField, Field, Select } from '../parts/field.tsx'
import { ValueEditor } from '../parts/value-editor.tsx'
import { type NamedSchemas, viewOf } from '../schema-view.ts'
import { LinkedValue, RecordChoice } from './record-links.tsx'
import {
  type CollectionDetails,
  type FormTexts,
  type InputKind,
  inputKindOf,
  type RecordProperty,
  type RecordValues,
  valuesOf,
} from './record-values.ts'

interface PropertyFieldsProps {
  readonly details: CollectionDetails
  readonly properties: readonly RecordProperty[]
  /** The record before it was edited. */
  readonly initial: RecordValues
  readonly texts: FormTexts
  readonly errors: Readonly<Record<string, string>>
  readonly write: (name: string, text: string) => void
  readonly isNew: boolean
}

/** An input for each property. Those that the service sets are below the others. */
export function PropertyFields(props: PropertyFieldsProps): JSX.Element {
  const { properties, details, isNew, initial, texts, errors, write } = props
  const editable = properties.filter(({ name }) => isNew || name !== details.id)
  const ofService = editable.filter(({ readOnly }) => readOnly)
  const toField = (property: RecordProperty): JSX.Element => (
    <PropertyField
      key={property.name}
      property={property}
      kind={inputKindOf(property.schema, getOwn(initial, property.name))}
      value={getOwn(texts, property.name) ?? ''}
      error={getOwn(errors, property.name)}
      onInput={(text) => write(property.name, text)}
    />
  )

  return (
    <>
      {editable.filter(({ readOnly }) => !readOnly).map(toField)}
      {ofService.length > 0 && (
        <details open={ofService.some(({ name }) => Object.hasOwn(errors, name))}>
          <summary>Properties that the service sets ({ofService.length})</summary>
          <div class="stack">{ofService.map(toField)}</div>
        </details>
      )}
    </>
  )
}

interface InputProps {
  readonly value: string
  readonly error: string | undefined
  readonly onInput: (text: string) => void
}

interface PropertyFieldProps extends InputProps {
  readonly property: RecordProperty
  readonly kind: InputKind
}

/** The input for a property, by its schema. An id of another record is chosen among those that exist. */
export function PropertyField({ property, kind, ...input }: PropertyFieldProps): JSX.Element {
  const { name, schema, required, refersTo } = property
  const { value, error, onInput } = input
  const label = required ? `${name} *` : name
  if (refersTo !== undefined && (kind === 'number' || kind === 'text')) {
    return (
      <div class="linked-field">
        <RecordChoice label={label} collection={refersTo} {...input} />
        <p class="hint">
          <LinkedValue collection={refersTo} value={value}>
            {value === '' ? `An id of ${refersTo}` : `Show ${refersTo} ${value}`}
          </LinkedValue>
        </p>
      </div>
    )
  }
  const list = kind === 'json' ? listOf(schema, value) : undefined
  if (list) return <ListField {...{ property, label, list, ...input }} />
  switch (kind) {
    case 'checkbox':
      return <Checkbox label={label} {...input} />
    case 'choice': {
      const choices = [{ value: '', label: 'Not set' }, ...(valuesOf(schema) ?? []).map(String)]
      return <Select {...{ label, value, choices, error }} onChange={onInput} />
    }
    case 'date':
      return <Field label={label} {...input} type="date" />
    case 'date-time':
      return <DateTimeField label={label} {...input} />
    default:
      return (
        <Field
          {...input}
          label={label}
          hint={hintOf(schema, kind)}
          isRequired={required}
          rows={rowsOf(kind, value)}
        />
      )
  }
}

/** The list that a text is; `undefined` where the schema or the text has no list. */
function listOf(schema: Schema, text: string): { readonly items?: readonly unknown[] } | undefined {
  if (!viewOf(schema, NO_SCHEMAS).types.includes('array')) return undefined
  if (text === '') return {}
  try {
    const items: unknown = JSON.parse(text)
    return Array.isArray(items) ? { items } : undefined
  } catch {
    return undefined
  }
}

/** What a collection tells of its records names no other schemas. */
const NO_SCHEMAS: NamedSchemas = {}

interface ListProps extends InputProps, Pick<PropertyFieldProps, 'property'> {
  readonly label: string
  readonly list: { readonly items?: readonly unknown[] }
}

/** A row for each item of a list. */
function ListField({ property, label, list, error, onInput }: ListProps): JSX.Element {
  const { name, schema } = property

  return (
    <ValueEditor
      {...{ label, schema, schemas: NO_SCHEMAS }}
      value={list.items}
      place={name}
      errors={new Map(error === undefined ? [] : [[name, error]])}
      onChange={(value) => onInput(value === undefined ? '' : JSON.stringify(value, null, 2))}
    />
  )
}

function rowsOf(kind: InputKind, text: string): number | undefined {
  if (kind !== 'json' && kind !== 'long-text') return undefined
  return Math.min(12, Math.max(2, text.split('\n').length))
}

function hintOf({ description, format = '' }: Schema, kind: InputKind): string {
  if (typeof description === 'string' && description !== '') return description
  return kind === 'json' ? 'JSON' : format
}

function Checkbox(props: InputProps & { readonly label: string }): JSX.Element {
  const { label, value, error, onInput } = props
  const id = useId()

  return (
    <div class="field">
      <div class="checkbox">
        <input
          id={id}
          type="checkbox"
          checked={value === 'true'}
          onChange={({ currentTarget }) => onInput(String(currentTarget.checked))}
        />
        <label for={id}>{label}</label>
        {value === '' && <span class="hint">not set</span>}
      </div>
      <ErrorText>{error}</ErrorText>
    </div>
  )
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { UsageError } from '../../../validation/usage-error.ts'
import { usePage } from '../../page.ts'
import { Field } from '../../parts/field.tsx'
import type { CollectionDetails, RecordValues } from './collection-details.ts'
import { PropertyFields } from './property-fields.tsx'
import {
  allProperties,
  changesOf,
  type FormTexts,
  type ReadRecord,
  readForm,
  readRecordJson,
  toTexts,
} from './record-changes.ts'
import { fieldErrorsOf } from './record-errors.ts'

interface RecordEditorProps {
  readonly details: CollectionDetails
  /** Absent for a new record. */
  readonly record?: RecordValues
  /** Resolves when the new values are loaded. */
  readonly onSaved: (record: RecordValues) => Promise<void> | void
}

const NEW_RECORD: RecordValues = {}

/** Edits a record in a form or as JSON. It keeps what is typed when the record changes meanwhile, and says so. */
export function RecordEditor({ details, record, onSaved }: RecordEditorProps): JSX.Element {
  const editor = useEditor(details, record ?? NEW_RECORD)
  const { toasts, client } = usePage()
  const [isBusy, setBusy] = useState(false)
  const save = async (): Promise<void> => {
    const values = editor.read()
    if (!values || isBusy) return
    setBusy(true)
    try {
      const collection = client.collection(details.name)
      const id = String(editor.initial[details.id])
      const saved = record
        ? await collection.update(id, changesOf(values, editor.initial))
        : await collection.create(values)
      editor.start(saved)
      toasts.done(record ? `The record ${id} is saved.` : 'The record is added.')
      await onSaved(saved)
    } catch (error) {
      if (error instanceof UsageError) editor.refuse(error)
      else toasts.failed(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {record && !isBusy && isOther(record, editor.initial) && (
        <p class="callout warning">
          The record has changed since you opened it.{' '}
          <button type="button" class="small" onClick={() => editor.start(record)}>
            Show the new values
          </button>
        </p>
      )}
      <Tabs isJson={editor.isJson} onChange={editor.setJson} />
      {editor.isJson ? (
        <Field
          label="Record"
          rows={20}
          value={editor.json}
          onInput={editor.writeJson}
          error={editor.errors['']}
        />
      ) : (
        <>
          <p class="error" role="alert">
            {editor.errors['']}
          </p>
          <PropertyFields {...{ details, ...editor }} isNew={record === undefined} />
        </>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {record ? 'Save changes' : 'Add record'}
        </button>
      </div>
    </form>
  )
}

interface TabsProps {
  readonly isJson: boolean
  readonly onChange: (isJson: boolean) => void
}

function Tabs({ isJson, onChange }: TabsProps): JSX.Element {
  return (
    <fieldset class="tabs">
      <legend class="hidden">How to edit</legend>
      <button type="button" aria-pressed={!isJson} onClick={() => onChange(false)}>
        Form
      </button>
      <button type="button" aria-pressed={isJson} onClick={() => onChange(true)}>
        JSON
      </button>
    </fieldset>
  )
}

/** What is typed, and what is wrong with it. */
function useEditor(details: CollectionDetails, first: RecordValues) {
  const [initial, setInitial] = useState(first)
  const properties = allProperties(details.properties, initial)
  const [texts, setTexts] = useState<FormTexts>(() => toTexts(properties, first))
  const [json, setJsonText] = useState('')
  const [isJson, setIsJson] = useState(false)
  const [errors, setErrors] = useState<ReadRecord['errors']>({})
  const readNow = (): ReadRecord =>
    isJson ? readRecordJson(json, initial) : readForm(properties, texts, initial)
  const read = (): RecordValues | undefined => {
    const now = readNow()
    setErrors(now.errors)
    return Object.keys(now.errors).length === 0 ? now.values : undefined
  }

  return {
    ...{ initial, properties, texts, json, isJson, errors, read },
    write: (name: string, text: string) => setTexts({ ...texts, [name]: text }),
    writeJson: setJsonText,
    /** What is typed is kept. What cannot be read must be corrected before. */
    setJson: (wanted: boolean) => {
      if (wanted === isJson) return
      const values = read()
      if (!values) return
      if (wanted) setJsonText(JSON.stringify(values, null, 2))
      else setTexts(toTexts(allProperties(properties, values), values))
      setIsJson(wanted)
    },
    /** Edits these values from now on. */
    start: (values: RecordValues) => {
      setInitial(values)
      setTexts(toTexts(allProperties(details.properties, values), values))
      setJsonText(JSON.stringify(values, null, 2))
      setErrors({})
    },
    refuse: (error: UsageError) =>
      setErrors(isJson ? { '': error.message } : fieldErrorsOf(error, Object.keys(texts))),
  }
}

function isOther(record: RecordValues, initial: RecordValues): boolean {
  return JSON.stringify(record) !== JSON.stringify(initial)
}

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { UsageError } from '../../validation/usage-error.ts'
import { useAction, useLoaded, usePage } from '../page.ts'
import {
  Button,
  ConfirmButton,
  ConfirmDialog,
  Empty,
  ErrorText,
  Form,
  Panel,
  Pending,
  SubmitButton,
} from '../parts/elements.tsx'
import { Field } from '../parts/field.tsx'
import { PropertyFields } from './record-fields.tsx'
import { RecordLinks } from './record-links.tsx'
import {
  allProperties,
  type CollectionDetails,
  changesOf,
  type FormTexts,
  fieldErrorsOf,
  type ReadRecord,
  type RecordValues,
  readForm,
  readRecordJson,
  toTexts,
} from './record-values.ts'

/** Milliseconds between two readings of the record. */
const INTERVAL = 2000

interface RecordPanelProps {
  readonly details: CollectionDetails
  /** Absent for a new record. */
  readonly id: string | undefined
}

/** One record to edit, or a new one to add. */
export function RecordPanel({ details, id }: RecordPanelProps): JSX.Element {
  const { route, linkTo } = usePage()
  const path = details.name.split('/')
  const address = (record: string): string =>
    linkTo({ view: 'records', path, query: { ...route.query, add: '', record } })
  const title = id === undefined ? 'New record' : `Record ${id}`

  return (
    <Panel label={title} closeHref={address('')}>
      <h2 class="panel-title">{title}</h2>
      {id === undefined ? (
        <RecordEditor
          details={details}
          onSaved={(record) => {
            location.hash = address(String(record[details.id]))
          }}
        />
      ) : (
        <StoredRecord details={details} id={id} onRemoved={() => (location.hash = address(''))} />
      )}
    </Panel>
  )
}

interface StoredRecordProps {
  readonly details: CollectionDetails
  readonly id: string
  readonly onRemoved: () => void
}

function StoredRecord({ details, id, onRemoved }: StoredRecordProps): JSX.Element {
  const { client } = usePage()
  const { name } = details
  const collection = client.collection(name)
  const { run, isBusy } = useAction()
  const { value, error, reload } = useLoaded(
    async (): Promise<RecordValues | null> => (await collection.get(id)) ?? null,
    [name, id],
    INTERVAL,
  )
  if (value === undefined) return <Pending error={error} />
  if (value === null) return <Empty title={`There is no record ${id}`} />
  const duplicate = (): Promise<RecordValues> => {
    const ofService = details.properties.filter(({ readOnly }) => readOnly).map(({ name }) => name)
    const left = new Set([details.id, ...ofService])
    const copied = Object.entries(value).filter(([name]) => !left.has(name))
    return collection.create(Object.fromEntries(copied))
  }
  return (
    <>
      <RecordLinks details={details} id={id} />
      <RecordEditor details={details} record={value} onSaved={reload} />
      <div class="buttons panel-end">
        <Button
          disabled={isBusy}
          onClick={() =>
            run(duplicate, ({ [details.id]: copy }) => `The record ${copy} is a copy.`)
          }
        >
          Duplicate
        </Button>
        <ConfirmButton
          label="Delete record"
          question={`The record ${id} of ${name} is removed. Its id is not used again.`}
          isDisabled={isBusy}
          onConfirm={() =>
            run(() => collection.remove(id), `The record ${id} is deleted.`, onRemoved)
          }
        />
      </div>
    </>
  )
}

interface RecordEditorProps {
  readonly details: CollectionDetails
  /** Absent for a new record. */
  readonly record?: RecordValues
  /** Resolves when the new values are loaded. */
  readonly onSaved: (record: RecordValues) => Promise<void> | void
}

const NEW_RECORD: RecordValues = {}

/** Edits a record in a form or as JSON. It keeps what is typed when the record changes meanwhile, and says so. */
function RecordEditor({ details, record, onSaved }: RecordEditorProps): JSX.Element {
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
    <Form class="stack" noValidate onSubmit={save}>
      <UnsavedGuard isChanged={!isBusy && editor.isChanged()} />
      {record && !isBusy && isOther(record, editor.initial) && (
        <p class="callout warning">
          The record has changed since you opened it.{' '}
          <Button class="small" onClick={() => editor.start(record)}>
            Show the new values
          </Button>
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
          <ErrorText>{editor.errors['']}</ErrorText>
          <PropertyFields {...{ details, ...editor }} isNew={record === undefined} />
        </>
      )}
      <div class="buttons">
        <SubmitButton isBusy={isBusy} isPrimary label={record ? 'Save changes' : 'Add record'} />
      </div>
    </Form>
  )
}

/** What browsers with the Navigation API tell before they go back or on in the history. */
interface NavigateEvent extends Event {
  readonly navigationType: string
  readonly destination: { readonly url: string }
}

/** The Navigation API; `undefined` in older browsers, which do not ask before they go back. */
const navigation: EventTarget | undefined = Reflect.get(globalThis, 'navigation')

/** Asks before what is typed is lost: by a link to another place of the page, by going back, or with the page. */
function UnsavedGuard({ isChanged }: { readonly isChanged: boolean }): JSX.Element | null {
  const [next, setNext] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (!isChanged) return undefined
    const follow = (event: MouseEvent): void => {
      const { target } = event
      const place = target instanceof Element ? target.closest('a[href^="#"], tr.link-row') : null
      const link = place?.matches('tr') ? place.querySelector('a') : place
      const href = link?.getAttribute('href')
      if (!href) return
      event.preventDefault()
      event.stopPropagation()
      setNext(href)
    }
    const leave = (event: BeforeUnloadEvent): void => event.preventDefault()
    const traverse = (event: Event): void => {
      const { navigationType, destination, cancelable } = event as NavigateEvent
      if (navigationType !== 'traverse' || !cancelable) return
      event.preventDefault()
      setNext(new URL(destination.url).hash)
    }
    addEventListener('click', follow, { capture: true })
    addEventListener('beforeunload', leave)
    navigation?.addEventListener('navigate', traverse)
    return () => {
      navigation?.removeEventListener('navigate', traverse)
      removeEventListener('click', follow, { capture: true })
      removeEventListener('beforeunload', leave)
    }
  }, [isChanged])
  if (next === undefined) return null

  return (
    <ConfirmDialog
      title="Discard the changes?"
      label="Discard changes"
      question="What you typed is not saved."
      onClose={() => setNext(undefined)}
      onConfirm={() => {
        location.hash = next
      }}
    />
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
      <Button aria-pressed={!isJson} onClick={() => onChange(false)}>
        Form
      </Button>
      <Button aria-pressed={isJson} onClick={() => onChange(true)}>
        JSON
      </Button>
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
    /** Whether anything is typed that is not saved. */
    isChanged: () => {
      const now = readNow()
      return Object.keys({ ...now.errors, ...changesOf(now.values, initial) }).length > 0
    },
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

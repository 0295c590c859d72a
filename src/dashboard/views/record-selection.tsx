import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatCount } from '../../report/format.ts'
import { messageOf, useAction, useFormAction, usePage } from '../page.ts'
import { Button, ConfirmButton, Dialog, ErrorText, Form, SubmitButton } from '../parts/elements.tsx'
import { Select } from '../parts/field.tsx'
import type { Column } from '../parts/table.tsx'
import { PropertyField } from './record-fields.tsx'
import { forEach } from './record-transfer.tsx'
import {
  type CollectionDetails,
  inputKindOf,
  type RecordValues,
  readText,
} from './record-values.ts'

/** The ids of the records that are selected, and how to change them. */
export interface Selection {
  readonly ids: ReadonlySet<string>
  readonly change: (ids: ReadonlySet<string>) => void
}

/** The column in which records are selected. `shown` are the ids of the page. */
export function selectionColumn(
  idOf: (record: RecordValues) => string,
  shown: readonly string[],
  { ids, change }: Selection,
): Column<RecordValues> {
  const isAll = shown.length > 0 && shown.every((id) => ids.has(id))
  const toggle = (id: string): void => {
    const next = new Set(ids)
    if (!next.delete(id)) next.add(id)
    change(next)
  }

  return {
    label: 'Select',
    class: 'select',
    isControl: true,
    head: (
      <input
        type="checkbox"
        aria-label="Select all records of this page"
        checked={isAll}
        onChange={() => change(new Set(isAll ? [] : shown))}
      />
    ),
    cell: (record) => {
      const id = idOf(record)
      return (
        <input
          type="checkbox"
          aria-label={`Select record ${id}`}
          checked={ids.has(id)}
          onChange={() => toggle(id)}
        />
      )
    },
  }
}

interface BarProps {
  readonly details: CollectionDetails
  readonly selection: Selection
}

/** Changes or deletes the records that are selected. Nothing when none is. */
export function SelectionBar({ details, selection }: BarProps): JSX.Element | null {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [isOpen, setOpen] = useState(false)
  const ids = [...selection.ids]
  const clear = (): void => selection.change(new Set())
  if (ids.length === 0) return null
  const collection = client.collection(details.name)
  const what = formatCount(ids.length, 'record')
  const remove = (): Promise<number> =>
    forEach(
      ids,
      'delete',
      (id) => collection.remove(id),
      (id) => id,
    )

  return (
    <section class="bar buttons" aria-label="Selected records">
      <b>{what} selected</b>
      <Button class="small" onClick={() => setOpen(true)}>
        Change…
      </Button>
      <ConfirmButton
        label={`Delete ${what}`}
        question={`Removed from ${details.name}. Their ids are not used again.`}
        isDisabled={isBusy}
        onConfirm={() => run(remove, `${what} deleted.`, clear)}
      />
      <Button class="small" onClick={clear}>
        Select none
      </Button>
      {isOpen && (
        <ChangeDialog details={details} ids={ids} what={what} onClose={() => setOpen(false)} />
      )}
    </section>
  )
}

interface DialogProps {
  readonly details: CollectionDetails
  readonly ids: readonly string[]
  /** How many records. */
  readonly what: string
  readonly onClose: () => void
}

/** Gives one property of several records the same value. */
function ChangeDialog({ details, ids, what, onClose }: DialogProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy, error: refusal } = useFormAction()
  const properties = details.properties.filter(({ name }) => name !== details.id)
  const [name, setName] = useState(properties[0]?.name ?? '')
  const [text, setText] = useState('')
  const [error, setError] = useState('')
  const property = properties.find((one) => one.name === name)
  const collection = client.collection(details.name)
  const save = (): void => {
    // An empty text takes the value away, where there may be none.
    const read = readText(text, property?.schema ?? {}, text === '' ? '' : undefined)
    if ('error' in read) {
      setError(read.error)
      return
    }
    const change = (id: string): Promise<unknown> => collection.update(id, { [name]: read.value })
    run(() => forEach(ids, 'change', change, (id) => id), `${what} changed.`, onClose)
  }

  return (
    <Dialog title={`Change ${what}`} onClose={onClose}>
      <Form noValidate onSubmit={save}>
        <Select
          label="Property"
          value={name}
          choices={properties.map((one) => one.name)}
          onChange={(chosen) => {
            setName(chosen)
            setText('')
            setError('')
          }}
        />
        {property ? (
          <PropertyField
            key={name}
            property={{ ...property, required: false }}
            kind={inputKindOf(property.schema)}
            value={text}
            error={error || (refusal === undefined ? '' : messageOf(refusal))}
            onInput={setText}
          />
        ) : (
          <ErrorText>The records have no property besides their id.</ErrorText>
        )}
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <SubmitButton isBusy={isBusy} isPrimary label={`Change ${what}`} />
        </div>
      </Form>
    </Dialog>
  )
}

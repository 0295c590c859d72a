import type { JSX } from 'preact'
import { useLinks, usePage } from '../../page.ts'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Empty, Pending } from '../../parts/empty.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import type { CollectionDetails, RecordValues } from './collection-details.ts'
import { RecordEditor } from './record-editor.tsx'

/** Milliseconds between two readings of the record. */
const INTERVAL = 2000

interface RecordPanelProps {
  readonly details: CollectionDetails
  /** Absent for a new record. */
  readonly id: string | undefined
}

/** One record to edit, or a new one to add. */
export function RecordPanel({ details, id }: RecordPanelProps): JSX.Element {
  const { route } = usePage()
  const linkTo = useLinks()
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
    [client, name, id],
    { every: INTERVAL },
  )
  if (value === undefined) return <Pending error={error} />
  if (value === null) return <Empty title={`There is no record ${id}`} />
  const remove = async (): Promise<void> => {
    if (await run(() => collection.remove(id), `The record ${id} is deleted.`)) onRemoved()
  }

  return (
    <>
      <RecordEditor details={details} record={value} onSaved={reload} />
      <div class="buttons panel-end">
        <ConfirmButton
          label="Delete record"
          question={`The record ${id} of ${name} is removed. Its id is not used again.`}
          isDisabled={isBusy}
          onConfirm={() => void remove()}
        />
      </div>
    </>
  )
}

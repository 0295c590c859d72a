import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { parseInstant } from '../../time/clock.ts'
import { usePage } from '../page.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Select } from '../parts/field.tsx'
import { useAction } from '../parts/use-action.ts'
import { useLoaded } from '../parts/use-loaded.ts'

/** Moves the clock to a time, to the next reset of a key, to the end of its ban, or to the removal of an operation. */
export function ClockDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Move the clock" onClose={onClose}>
      <SetForm onMoved={onClose} />
      <KeyForm onMoved={onClose} />
      <RemovalForm onMoved={onClose} />
    </Dialog>
  )
}

interface MoveProps {
  readonly onMoved: () => void
}

function SetForm({ onMoved }: MoveProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [time, setTime] = useState('')
  const [error, setError] = useState('')
  const move = async (): Promise<void> => {
    const instant = parseInstant(time.trim())
    setError(instant === undefined ? 'Write it as 2030-12-05T00:00:00Z or 2030-12-05.' : '')
    if (instant === undefined) return
    const done = 'The clock is set and frozen.'
    if (await run(() => client.clock.set(time.trim()), done)) onMoved()
  }

  return (
    <form
      class="row-form"
      onSubmit={(event) => {
        event.preventDefault()
        void move()
      }}
    >
      <Field
        label="Time (UTC)"
        value={time}
        onInput={setTime}
        error={error}
        placeholder="2030-12-05T00:00:00Z"
      />
      <button type="submit" disabled={isBusy}>
        Set and freeze
      </button>
    </form>
  )
}

function KeyForm({ onMoved }: MoveProps): JSX.Element | null {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const keys = useLoaded(() => client.keys(), [client]).value ?? []
  const [chosen, choose] = useState('')
  const key = chosen || keys[0]?.key
  if (key === undefined) return null
  const move = async (change: () => Promise<void>, done: string): Promise<void> => {
    if (await run(change, done)) onMoved()
  }

  return (
    <fieldset class="row-form">
      <Select
        label="Key"
        value={key}
        choices={keys.map((one) => ({ value: one.key }))}
        onChange={choose}
      />
      <button
        type="button"
        disabled={isBusy}
        onClick={() =>
          void move(() => client.clock.advanceToReset(key), 'Moved to the next reset.')
        }
      >
        To the next reset
      </button>
      <button
        type="button"
        disabled={isBusy}
        onClick={() =>
          void move(() => client.clock.advanceToBanEnd(key), 'Moved to the end of the ban.')
        }
      >
        To the end of the ban
      </button>
    </fieldset>
  )
}

function RemovalForm({ onMoved }: MoveProps): JSX.Element | null {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const operations = useLoaded(() => client.operations(), [client]).value ?? []
  const deprecated = operations.filter((one) => one.deprecated).map((one) => one.operation)
  const [chosen, choose] = useState('')
  const operation = chosen || deprecated[0]
  if (operation === undefined) return null
  const move = async (): Promise<void> => {
    const done = `Moved to the removal of ${operation}.`
    if (await run(() => client.clock.advanceToRemoval(operation), done)) onMoved()
  }

  return (
    <fieldset class="row-form">
      <Select
        label="Deprecated operation"
        value={operation}
        choices={deprecated.map((value) => ({ value }))}
        onChange={choose}
      />
      <button type="button" disabled={isBusy} onClick={() => void move()}>
        To its removal
      </button>
    </fieldset>
  )
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { parseInstant } from '../time/clock.ts'
import { milliseconds } from '../time/duration.ts'
import { UsageError } from '../validation/usage-error.ts'
import { useAction, useLoaded, usePage, useSandbox, useSandboxTime } from './page.ts'
import { Dialog, Icon } from './parts/elements.tsx'
import { Field, Select } from './parts/field.tsx'

/** The time of the sandbox, with buttons that move it. */
export function ClockBar(): JSX.Element {
  const { client } = usePage()
  const { clock } = useSandbox()
  const { run, isBusy } = useAction()
  const [isOpen, setOpen] = useState(false)
  const time = useSandboxTime(250)
  const isFrozen = clock?.isFrozen === true

  return (
    <section class="clock-bar" aria-label="Clock">
      <time class={isFrozen ? 'frozen' : ''} title="The time of the sandbox, in UTC">
        {time === undefined ? '–' : showTime(time)}
      </time>
      {isFrozen && <span class="badge neutral">frozen</span>}
      <button
        type="button"
        disabled={isBusy || !clock}
        onClick={() =>
          void (isFrozen
            ? run(() => client.clock.resume(), 'The clock runs.')
            : run(() => client.clock.freeze(), 'The clock is frozen.'))
        }
      >
        <Icon name={isFrozen ? 'play' : 'pause'} />
        {isFrozen ? 'Resume' : 'Freeze'}
      </button>
      <AdvanceForm />
      <button type="button" disabled={!clock} onClick={() => setOpen(true)}>
        <Icon name="clock" />
        Move to…
      </button>
      {isOpen && <ClockDialog onClose={() => setOpen(false)} />}
    </section>
  )
}

/** Advances the clock by a duration. */
function AdvanceForm(): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [duration, setDuration] = useState('61s')
  const [error, setError] = useState('')

  return (
    <form
      class="advance"
      onSubmit={(event) => {
        event.preventDefault()
        const problem = problemOf(duration)
        setError(problem)
        if (!problem)
          void run(() => client.clock.advance(milliseconds(duration)), `Advanced by ${duration}.`)
      }}
    >
      <label class="hidden" for="advance-by">
        Advance by
      </label>
      <input
        id="advance-by"
        value={duration}
        size={7}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={error !== ''}
        aria-describedby="advance-error"
        onInput={({ currentTarget }) => setDuration(currentTarget.value)}
      />
      <button type="submit" disabled={isBusy}>
        Advance
      </button>
      <p class="error" id="advance-error" role="alert">
        {error}
      </p>
    </form>
  )
}

/** What is wrong with a duration; empty when it is valid. */
function problemOf(duration: string): string {
  try {
    milliseconds(duration)
    return ''
  } catch (error) {
    return error instanceof UsageError ? `${error.reason}. ${error.help}` : String(error)
  }
}

/** `2030-12-05 00:00:00`, in UTC. */
function showTime(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ')
}

/** Moves the clock to a time, to the next reset of a key, to the end of its ban, or to the removal of an operation. */
function ClockDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
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

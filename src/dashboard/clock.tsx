import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { parseInstant } from '../time/clock.ts'
import { milliseconds } from '../time/duration.ts'
import { UsageError } from '../validation/usage-error.ts'
import {
  type RunAction,
  useAction,
  useLoaded,
  usePage,
  useSandbox,
  useSandboxTime,
} from './page.ts'
import { Button, Dialog, Form, Icon, SubmitButton } from './parts/elements.tsx'
import { Field, Select, useChoice } from './parts/field.tsx'

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
      <Button
        title={isFrozen ? 'Let the clock run' : 'Stop the clock'}
        disabled={isBusy || !clock}
        onClick={() =>
          isFrozen
            ? run(() => client.clock.resume(), 'The clock runs.')
            : run(() => client.clock.freeze(), 'The clock is frozen.')
        }
      >
        <Icon name={isFrozen ? 'play' : 'pause'} />
        <span class="label">{isFrozen ? 'Resume' : 'Freeze'}</span>
      </Button>
      <AdvanceForm />
      <Button disabled={!clock} title="Move the clock to a time" onClick={() => setOpen(true)}>
        <Icon name="clock" />
        <span class="label">Move to…</span>
      </Button>
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
    <Form
      class="advance"
      onSubmit={() => {
        const problem = problemOf(duration)
        setError(problem)
        if (!problem)
          run(() => client.clock.advance(milliseconds(duration)), `Advanced by ${duration}.`)
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
      <SubmitButton isBusy={isBusy} label="Advance" />
      <p class="error" id="advance-error" role="alert">
        {error}
      </p>
    </Form>
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
  const move = (): void => {
    const isValid = parseInstant(time.trim()) !== undefined
    setError(isValid ? '' : 'Write it as 2030-12-05T00:00:00Z or 2030-12-05.')
    if (isValid) run(() => client.clock.set(time.trim()), 'The clock is set and frozen.', onMoved)
  }

  return (
    <Form class="row-form" onSubmit={move}>
      <Field
        label="Time (UTC)"
        value={time}
        onInput={setTime}
        error={error}
        placeholder="2030-12-05T00:00:00Z"
      />
      <SubmitButton isBusy={isBusy} label="Set and freeze" />
    </Form>
  )
}

function KeyForm({ onMoved }: MoveProps): JSX.Element | null {
  const { client } = usePage()
  const keys = useLoaded(() => client.keys()).value ?? []

  return (
    <MoveForm
      label="Key"
      choices={keys.map(({ key }) => key)}
      moves={{
        'To the next reset': (key, run) =>
          run(() => client.clock.advanceToReset(key), 'Moved to the next reset.', onMoved),
        'To the end of the ban': (key, run) =>
          run(() => client.clock.advanceToBanEnd(key), 'Moved to the end of the ban.', onMoved),
      }}
    />
  )
}

function RemovalForm({ onMoved }: MoveProps): JSX.Element | null {
  const { client } = usePage()
  const operations = useLoaded(() => client.operations({ behaviours: false })).value ?? []

  return (
    <MoveForm
      label="Deprecated operation"
      choices={operations.filter((one) => one.deprecated).map((one) => one.operation)}
      moves={{
        'To its removal': (id, run) =>
          run(() => client.clock.advanceToRemoval(id), `Moved to the removal of ${id}.`, onMoved),
      }}
    />
  )
}

interface MoveFormProps {
  readonly label: string
  readonly choices: readonly string[]
  /** What each button does with the choice. */
  readonly moves: Readonly<Record<string, (chosen: string, run: RunAction) => void>>
}

/** Moves the clock to a time that a choice has. Nothing without choices. */
function MoveForm({ label, choices, moves }: MoveFormProps): JSX.Element | null {
  const { run, isBusy } = useAction()
  const [chosen, choose] = useChoice(choices)
  if (chosen === undefined) return null

  return (
    <fieldset class="row-form">
      <Select label={label} value={chosen} choices={choices} onChange={choose} />
      {Object.entries(moves).map(([name, move]) => (
        <Button key={name} disabled={isBusy} onClick={() => move(chosen, run)}>
          {name}
        </Button>
      ))}
    </fieldset>
  )
}

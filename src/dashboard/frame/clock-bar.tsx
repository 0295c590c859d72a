import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { milliseconds } from '../../time/duration.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { usePage, useSandbox } from '../page.ts'
import { Icon } from '../parts/icon.tsx'
import { useAction } from '../parts/use-action.ts'
import { useSandboxTime } from '../parts/use-sandbox-time.ts'
import { ClockDialog } from './clock-dialog.tsx'

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

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Plan } from '../../../access/plan.ts'
import { usePage } from '../../page.ts'
import { Field } from '../../parts/field.tsx'
import { useAction } from '../../parts/use-action.ts'

interface PlanFormProps {
  readonly plans: readonly Plan[]
  readonly onSaved: () => Promise<void>
}

/** Adds a plan, or changes what a plan allows. */
export function PlanForm({ plans, onSaved }: PlanFormProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [name, setName] = useState('')
  const [minute, setMinute] = useState('')
  const [day, setDay] = useState('')
  const [isChecked, setChecked] = useState(false)
  const errors = {
    name: name.trim() === '' ? 'Give it a name.' : '',
    minute: problemOf(minute),
    day: problemOf(day),
  }
  const choose = (text: string): void => {
    setName(text)
    const known = plans.find((plan) => plan.name === text)
    if (!known) return
    setMinute(String(known.minute))
    setDay(String(known.day))
  }
  const save = async (): Promise<void> => {
    const isValid = Object.values(errors).every((error) => error === '')
    setChecked(!isValid)
    if (!isValid) return
    const windows = { minute: Number(minute), day: Number(day) }
    const done = `The plan ${name.trim()} is saved.`
    if (await run(() => client.setPlan(name.trim(), windows), done)) await onSaved()
  }

  return (
    <form
      class="row-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Field
        label="Name of the plan"
        value={name}
        onInput={choose}
        suggestions={plans.map((plan) => plan.name)}
        error={isChecked ? errors.name : ''}
      />
      <Field
        label="Requests per minute"
        value={minute}
        onInput={setMinute}
        error={isChecked ? errors.minute : ''}
      />
      <Field
        label="Requests per day"
        value={day}
        onInput={setDay}
        error={isChecked ? errors.day : ''}
      />
      <button type="submit" disabled={isBusy}>
        Save plan
      </button>
    </form>
  )
}

/** What is wrong with a number of requests; empty when it is valid. */
function problemOf(text: string): string {
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= 1 ? '' : 'It must be an integer ≥ 1.'
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Plan } from '../../../access/plan.ts'
import { isBearerToken } from '../../../http/bearer-token.ts'
import { usePage } from '../../page.ts'
import { Field, Select } from '../../parts/field.tsx'
import { useAction } from '../../parts/use-action.ts'

interface AddKeyProps {
  readonly plans: readonly Plan[]
  readonly onAdded: () => Promise<void>
}

/** Adds a key with a plan. */
export function AddKeyForm({ plans, onAdded }: AddKeyProps): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const [key, setKey] = useState('')
  const [chosen, choose] = useState('')
  const [error, setError] = useState('')
  const plan = chosen || plans[0]?.name || ''
  const add = async (): Promise<void> => {
    const isValid = isBearerToken(key.trim())
    setError(isValid ? '' : 'Use letters, digits and -._~+/ only.')
    if (!isValid) return
    if (!(await run(() => client.setKey(key.trim(), plan), 'The key is added.'))) return
    setKey('')
    await onAdded()
  }

  return (
    <form
      class="row-form"
      onSubmit={(event) => {
        event.preventDefault()
        void add()
      }}
    >
      <Field label="New key" value={key} onInput={setKey} error={error} />
      <Select
        label="Plan"
        value={plan}
        choices={plans.map(({ name }) => ({ value: name }))}
        onChange={choose}
      />
      <button type="submit" disabled={isBusy}>
        Add key
      </button>
    </form>
  )
}

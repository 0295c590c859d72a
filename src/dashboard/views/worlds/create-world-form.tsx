import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { usePage } from '../../page.ts'
import { Field, Select } from '../../parts/field.tsx'
import { useAction } from '../../parts/use-action.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import { worldHref } from './world-route.ts'

interface CreateProps {
  readonly worlds: SandboxState['worlds']
  readonly shown: string
}

/** What stands for the initial records in the list of worlds: no world has an empty name. */
const INITIAL = ''

/** Creates a world from the initial records, or as a fork of another world, and shows it. */
export function CreateWorldForm({ worlds, shown }: CreateProps): JSX.Element {
  const { client } = usePage()
  const [name, setName] = useState('')
  const [from, setFrom] = useState(INITIAL)
  const [problem, setProblem] = useState('')
  const { run, isBusy } = useAction((error) =>
    setProblem(error instanceof Error ? error.message : String(error)),
  )
  const others = worlds.map((world) => world.name).filter((one) => one !== shown)
  const create = async (): Promise<void> => {
    setProblem('')
    const exists = worlds.some((world) => world.name === name)
    const done = `The world "${name}" ${exists ? 'existed already' : 'is created'}.`
    const options = from === INITIAL ? {} : { from }
    if (await run(() => client.world(name, options), done)) location.hash = worldHref(name)
  }

  return (
    <form
      class="card"
      aria-label="Create a world"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <h2>Create a world</h2>
      <div class="field-grid">
        <Field label="Name" value={name} onInput={setName} error={problem} />
        <Select
          label="Starts with"
          value={from}
          choices={[
            { value: INITIAL, label: 'the initial records' },
            { value: shown, label: `a fork of ${shown}, which is shown` },
            ...others.map((value) => ({ value, label: `a fork of ${value}` })),
          ]}
          onChange={setFrom}
        />
      </div>
      <p class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {from === INITIAL ? 'Create world' : 'Fork world'}
        </button>
      </p>
    </form>
  )
}

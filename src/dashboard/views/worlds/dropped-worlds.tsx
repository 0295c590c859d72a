import type { JSX } from 'preact'
import { usePage } from '../../page.ts'
import { Pending } from '../../parts/empty.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { worldHref } from './world-route.ts'

/** Milliseconds between two readings of the names. */
const POLL_INTERVAL = 3000

/** The worlds that were dropped for newer worlds, the latest first. */
export function DroppedWorlds(): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { value, error } = useLoaded(() => client.worlds.dropped(), [client], {
    every: POLL_INTERVAL,
  })
  const names = [...new Set(value?.toReversed())]
  const create = async (name: string): Promise<void> => {
    const done = `The world "${name}" is created from the initial records.`
    if (await run(() => client.world(name), done)) location.hash = worldHref(name)
  }

  return (
    <section class="card" aria-label="Dropped worlds">
      <h2>Dropped worlds</h2>
      {!value && <Pending error={error} />}
      <p class="quiet">
        {value && names.length === 0 && 'No world was dropped. '}
        When there are too many worlds, the one that was used least recently is dropped with its
        state. A later request to it creates it again.
      </p>
      {names.length > 0 && (
        <ul class="rows dropped">
          {names.map((name) => (
            <li key={name}>
              <span class="long">{name}</span>
              <button
                type="button"
                class="small"
                aria-label={`Create again: ${name}`}
                disabled={isBusy}
                onClick={() => void create(name)}
              >
                Create again
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

import type { JSX } from 'preact'
import { usePage } from '../page.ts'
import { Empty } from '../parts/empty.tsx'
import { useAction } from '../parts/use-action.ts'
import { toHash } from '../route.ts'

/** Says that the world of the address does not exist. */
export function NoWorld(): JSX.Element {
  const { client, route } = usePage()
  const { run, isBusy } = useAction()
  const name = client.name

  return (
    <Empty title={`There is no world "${name}"`}>
      <p>It was dropped or deleted, or nothing has used it yet.</p>
      <p class="buttons">
        <a class="button primary" href={toHash({ ...(route.view && { view: route.view }) })}>
          Show the default world
        </a>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => void run(() => client.world(name), `The world "${name}" is created.`)}
        >
          Create this world
        </button>
      </p>
    </Empty>
  )
}

import type { JSX } from 'preact'
import { useLinks, usePage } from '../../page.ts'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { useAction } from '../../parts/use-action.ts'
import { SnapshotButtons } from './snapshot-buttons.tsx'
import { worldHref } from './world-route.ts'

/** What can be done with the world that the page shows. */
export function ShownWorld(): JSX.Element {
  const { client, toasts } = usePage()
  const { run, isBusy } = useAction()
  const linkTo = useLinks()
  const { name } = client
  const remove = async (): Promise<void> => {
    const deleting = async (): Promise<void> => {
      const existed = await client.worlds.delete(name)
      toasts.done(existed ? `The world "${name}" is deleted.` : `There was no world "${name}".`)
    }
    if (await run(deleting)) location.hash = worldHref('default')
  }

  return (
    <section class="card" aria-label="The world that is shown">
      <h2 class="long">World "{name}"</h2>
      <p class="buttons">
        <a class="button" href={linkTo({ view: 'traffic' })}>
          Show traffic
        </a>
        <ConfirmButton
          label="Reset world"
          question="Its records, counts, bans, forced outcomes, keys, clock and journal are again as at the start."
          isDisabled={isBusy}
          onConfirm={() => void run(() => client.reset(), `The world "${name}" is reset.`)}
        />
        {name !== 'default' && (
          <ConfirmButton
            label="Delete world"
            question={`The world "${name}" is removed with its records and its journal.`}
            isDisabled={isBusy}
            onConfirm={() => void remove()}
          />
        )}
      </p>
      <SnapshotButtons />
    </section>
  )
}

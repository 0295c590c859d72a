import type { JSX } from 'preact'
import { usePage } from '../../page.ts'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Empty, Pending } from '../../parts/empty.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useLoaded } from '../../parts/use-loaded.ts'

/** The scenarios, each with what it is for and a button that plays it. */
export function ScenarioList({
  onPlayed,
}: {
  readonly onPlayed: () => Promise<void>
}): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { value: scenarios, error } = useLoaded(() => client.scenarios(), [client])

  return (
    <section class="card" aria-label="Scenarios">
      <h2>Scenarios</h2>
      {!scenarios && <Pending error={error} />}
      {scenarios?.length === 0 && (
        <Empty title="There are no scenarios">
          <p>Give the sandbox scenarios of your own with the option --scenarios.</p>
        </Empty>
      )}
      <ul class="rows scenarios">
        {scenarios?.map(({ name, description }) => (
          <li key={name}>
            <div class="long">
              <b>{name}</b>
              <p class="quiet">{description}</p>
            </div>
            <ConfirmButton
              label="Play"
              subject={name}
              question="The world is reset to the start of the scenario: its records, counts, bans, forced outcomes, keys, clock and journal are replaced."
              isDisabled={isBusy}
              onConfirm={() =>
                void run(() => client.play(name), `The scenario "${name}" is played.`).then(
                  onPlayed,
                )
              }
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

import type { JSX } from 'preact'
import { usePage, useSandbox } from '../../page.ts'
import { CreateWorldForm } from './create-world-form.tsx'
import { DroppedWorlds } from './dropped-worlds.tsx'
import { ShownWorld } from './shown-world.tsx'
import { WorldList } from './world-list.tsx'

/** The worlds of the sandbox, and what can be done with the one that the page shows. */
export function WorldsView(): JSX.Element {
  const { client } = usePage()
  const { worlds } = useSandbox()

  return (
    <div class="view columns">
      <div class="column">
        <WorldList worlds={worlds} shown={client.name} />
        <CreateWorldForm worlds={worlds} shown={client.name} />
      </div>
      <div class="column">
        <ShownWorld />
        <DroppedWorlds />
      </div>
    </div>
  )
}

import type { JSX } from 'preact'
import { usePage, useSandbox } from '../page.ts'
import { Select } from '../parts/field.tsx'
import { toHash } from '../route.ts'

/** Chooses the world that the page shows. */
export function WorldChooser(): JSX.Element {
  const { client, route } = usePage()
  const { worlds } = useSandbox()
  const choices = worlds.map(({ name, requests }) => ({
    value: name,
    label: `${name} (${requests.toLocaleString('en')})`,
  }))

  return (
    <div class="world-chooser">
      <Select
        label="World"
        value={client.name}
        choices={choices}
        onChange={(name) => {
          location.hash = toHash({
            ...(route.view && { view: route.view }),
            ...(name !== 'default' && { world: name }),
          })
        }}
      />
    </div>
  )
}

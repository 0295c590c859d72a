import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLinks, usePage } from '../../page.ts'
import { Field } from '../../parts/field.tsx'
import { Panel } from '../../parts/panel.tsx'
import { fillPath, parametersOf } from './collection-rows.ts'

/** Asks for the ids of the parents, and opens the collection below them. */
export function ParentsPanel({ template }: { readonly template: string }): JSX.Element {
  const { route } = usePage()
  const linkTo = useLinks()
  const [ids, setIds] = useState<Readonly<Record<string, string>>>({})
  const names = parametersOf(template)
  const open = (): void => {
    const path = fillPath(template, ids).split('/')
    location.hash = linkTo({ view: 'records', path })
  }

  return (
    <Panel
      label={template}
      closeHref={linkTo({ view: 'records', query: { ...route.query, open: '' } })}
    >
      <h2 class="panel-title">
        <code>{template}</code>
      </h2>
      <p class="quiet">
        {names.length === 1 ? 'Each parent' : 'Each combination of parents'} has its own collection
        here. It gets its first records when it is opened.
      </p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          open()
        }}
      >
        {names.map((name) => (
          <Field
            key={name}
            label={name}
            isRequired
            value={ids[name] ?? ''}
            onInput={(id) => setIds({ ...ids, [name]: id })}
          />
        ))}
        <div class="buttons">
          <button type="submit" class="primary">
            Open collection
          </button>
        </div>
      </form>
    </Panel>
  )
}

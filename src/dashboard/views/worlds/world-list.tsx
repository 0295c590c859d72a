import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Badge } from '../../parts/badge.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import { worldHref } from './world-route.ts'

type World = SandboxState['worlds'][number]

interface ListProps {
  readonly worlds: readonly World[]
  /** The name of the world that the page shows. */
  readonly shown: string
}

/** Longer lists get a search field. */
const SEARCHED = 10

/** All worlds. A click shows the world. */
export function WorldList({ worlds, shown }: ListProps): JSX.Element {
  const [text, setText] = useState('')
  const found = worlds.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const columns: readonly Column<World>[] = [
    { label: 'World', cell: ({ name }) => name },
    {
      label: 'Shown',
      class: 'shown',
      cell: ({ name }) => name === shown && <Badge tone="good">shown</Badge>,
    },
    { label: 'Requests', class: 'number', cell: ({ requests }) => requests.toLocaleString('en') },
  ]

  return (
    <section class="card worlds" aria-label="Worlds">
      <header class="card-head">
        <h2>Worlds</h2>
        <span class="quiet">{worlds.length.toLocaleString('en')}</span>
      </header>
      {worlds.length > SEARCHED && (
        <Field
          label="Search worlds"
          isLabelHidden
          type="search"
          placeholder="Search worlds"
          value={text}
          onInput={setText}
        />
      )}
      <Table
        label="Worlds"
        columns={columns}
        count={found.length}
        rowAt={(index) => found[index]}
        keyOf={({ name }) => name}
        hrefOf={({ name }) => worldHref(name)}
        isSelected={({ name }) => name === shown}
        empty={<Empty title="No world matches" />}
      />
      <p class="hint">
        Each world has records, counts, bans, keys, a clock and a journal of its own. A client uses
        one by the path /worlds/NAME or by the header X-Sandbox-World.
      </p>
    </section>
  )
}

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatNumber } from '../../report/format.ts'
import { Badge } from '../../report/html/sections.tsx'
import {
  fileName,
  messageOf,
  saveFile,
  useAction,
  useFormAction,
  useLoaded,
  usePage,
  useSandbox,
} from '../page.ts'
import {
  Button,
  ConfirmButton,
  ConfirmDialog,
  Empty,
  ErrorText,
  FileButton,
  Form,
  Pending,
  SubmitButton,
} from '../parts/elements.tsx'
import { Field, Select, useSearch } from '../parts/field.tsx'
import { type Column, Table } from '../parts/table.tsx'
import type { SandboxState } from '../sandbox-store.ts'

/** The worlds of the sandbox, and what can be done with the one that the page shows. */
export function WorldsView(): JSX.Element {
  const { client } = usePage()
  const { worlds } = useSandbox()

  return (
    <div class="view columns">
      <div class="column">
        <WorldList worlds={worlds} shown={client.name} />
        <CreateWorldForm names={worlds.map(({ name }) => name)} shown={client.name} />
      </div>
      <div class="column">
        <ShownWorld />
        <DroppedWorlds />
      </div>
    </div>
  )
}

type World = SandboxState['worlds'][number]

interface ListProps {
  readonly worlds: readonly World[]
  /** The name of the world that the page shows. */
  readonly shown: string
}

/** Longer lists get a search field. */
const SEARCHED = 10

/** All worlds. A click shows the world. */
function WorldList({ worlds, shown }: ListProps): JSX.Element {
  const { linkTo } = usePage()
  const { isFound, field } = useSearch('Search worlds')
  const columns: readonly Column<World>[] = [
    { label: 'World', cell: ({ name }) => name },
    {
      label: 'Shown',
      class: 'shown',
      cell: ({ name }) => name === shown && <Badge tone="good">shown</Badge>,
    },
    { label: 'Requests', class: 'number', cell: ({ requests }) => formatNumber(requests) },
  ]

  return (
    <section class="card worlds" aria-label="Worlds">
      <header class="card-head">
        <h2>Worlds</h2>
        <span class="quiet">{formatNumber(worlds.length)}</span>
      </header>
      {worlds.length > SEARCHED && field}
      <Table
        label="Worlds"
        columns={columns}
        rows={worlds.filter(({ name }) => isFound(name))}
        keyOf={({ name }) => name}
        hrefOf={({ name }) => linkTo({ world: name })}
        selected={shown}
        empty={<Empty title="No world matches" />}
      />
      <p class="hint">
        Each world has records, counts, bans, keys, a clock and a journal of its own. A client uses
        one by the path /worlds/NAME or by the header X-Sandbox-World.
      </p>
    </section>
  )
}

interface CreateProps {
  /** The names of the worlds that exist. */
  readonly names: readonly string[]
  readonly shown: string
}

/** What stands for the initial records in the list of worlds: no world has an empty name. */
const INITIAL = ''

/** Creates a world from the initial records, or as a fork of another world, and shows it. */
function CreateWorldForm({ names, shown }: CreateProps): JSX.Element {
  const { client } = usePage()
  const [name, setName] = useState('')
  const [from, setFrom] = useState(INITIAL)
  const { run, isBusy, error } = useFormAction()
  const showWorld = useShowWorld()
  const create = (): void => {
    const done = `The world "${name}" ${names.includes(name) ? 'existed already' : 'is created'}.`
    const options = from === INITIAL ? {} : { from }
    run(
      () => client.world(name, options),
      done,
      () => showWorld(name),
    )
  }

  return (
    <Form class="card" aria-label="Create a world" onSubmit={create}>
      <h2>Create a world</h2>
      <div class="field-grid">
        <Field label="Name" value={name} onInput={setName} error={messageOf(error)} />
        <Select
          label="Starts with"
          value={from}
          choices={[
            { value: INITIAL, label: 'the initial records' },
            { value: shown, label: `a fork of ${shown}, which is shown` },
            ...names
              .filter((value) => value !== shown)
              .map((value) => ({ value, label: `a fork of ${value}` })),
          ]}
          onChange={setFrom}
        />
      </div>
      <p class="buttons">
        <SubmitButton
          isBusy={isBusy}
          isPrimary
          label={from === INITIAL ? 'Create world' : 'Fork world'}
        />
      </p>
    </Form>
  )
}

/** What can be done with the world that the page shows. */
function ShownWorld(): JSX.Element {
  const { client, linkTo } = usePage()
  const { run, isBusy } = useAction()
  const { name } = client
  const showWorld = useShowWorld()
  const remove = (): unknown =>
    run(
      () => client.worlds.delete(name),
      (existed) => (existed ? `The world "${name}" is deleted.` : `There was no world "${name}".`),
      () => showWorld('default'),
    )

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
          onConfirm={() => run(() => client.reset(), `The world "${name}" is reset.`)}
        />
        {name !== 'default' && (
          <ConfirmButton
            label="Delete world"
            question={`The world "${name}" is removed with its records and its journal.`}
            isDisabled={isBusy}
            onConfirm={remove}
          />
        )}
      </p>
      <SnapshotButtons />
    </section>
  )
}

/** Saves the state of the world that is shown as a file, and restores it from one. */
function SnapshotButtons(): JSX.Element {
  const { client } = usePage()
  const [chosen, choose] = useState<File | undefined>(undefined)
  const { run, isBusy, error } = useFormAction()
  const save = async (): Promise<void> => {
    const snapshot = await client.snapshot()
    const name = fileName(['snapshot', client.name], 'json')
    saveFile(name, 'application/json', JSON.stringify(snapshot, undefined, 2))
  }

  return (
    <section class="snapshot" aria-label="Snapshots">
      <h3>Snapshots</h3>
      <p class="quiet">A snapshot is the complete state of the world, without its journal.</p>
      <p class="buttons">
        <Button disabled={isBusy} onClick={() => run(save, 'The snapshot is saved.')}>
          Save snapshot
        </Button>
        <FileButton
          label="Restore snapshot…"
          fileLabel="Snapshot file"
          isDisabled={isBusy}
          onChoose={choose}
        />
      </p>
      {error !== undefined && <ErrorText class="error long">{messageOf(error)}</ErrorText>}
      {chosen && (
        <ConfirmDialog
          title="Restore the snapshot?"
          label="Restore snapshot"
          question={`The state of the world "${client.name}" is replaced by that of ${chosen.name}. Its journal is emptied: the requests that are listed now are lost.`}
          onClose={() => choose(undefined)}
          onConfirm={() =>
            run(async () => client.restore(await readJson(chosen)), 'The snapshot is restored.')
          }
        />
      )}
    </section>
  )
}

/** The value of a JSON file. Rejects with what is wrong with the file. */
async function readJson(file: File): Promise<unknown> {
  const text = await file.text()
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new TypeError(`Cannot read ${file.name}: it is not valid JSON.`, { cause })
  }
}

/** Milliseconds between two readings of the names. */
const POLL_INTERVAL = 3000

/** The worlds that were dropped for newer worlds, the latest first. */
function DroppedWorlds(): JSX.Element {
  const { client } = usePage()
  const { run, isBusy } = useAction()
  const { value, error } = useLoaded(() => client.worlds.dropped(), [], POLL_INTERVAL)
  const names = [...new Set(value?.toReversed())]
  const showWorld = useShowWorld()
  const create = (name: string): void => {
    const done = `The world "${name}" is created from the initial records.`
    run(
      () => client.world(name),
      done,
      () => showWorld(name),
    )
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
              <Button
                class="small"
                aria-label={`Create again: ${name}`}
                disabled={isBusy}
                onClick={() => create(name)}
              >
                Create again
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Shows this view for another world. */
function useShowWorld(): (name: string) => void {
  const { linkTo } = usePage()
  return (world) => {
    location.hash = linkTo({ world })
  }
}

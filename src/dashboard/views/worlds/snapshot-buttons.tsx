import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { usePage } from '../../page.ts'
import { ConfirmDialog } from '../../parts/dialog.tsx'
import { fileName, saveFile } from '../../parts/save-file.ts'
import { useAction } from '../../parts/use-action.ts'

/** Saves the state of the world that is shown as a file, and restores it from one. */
export function SnapshotButtons(): JSX.Element {
  const { client } = usePage()
  const [problem, setProblem] = useState('')
  const [chosen, choose] = useState<File | undefined>(undefined)
  const { run, isBusy } = useAction((error) =>
    setProblem(error instanceof Error ? error.message : String(error)),
  )
  const input = useRef<HTMLInputElement>(null)
  const save = async (): Promise<void> => {
    const snapshot = await client.snapshot()
    const name = fileName(['snapshot', client.name], 'json')
    saveFile(name, 'application/json', JSON.stringify(snapshot, undefined, 2))
  }
  const start = (task: () => Promise<void>, done: string): void => {
    setProblem('')
    void run(task, done)
  }

  return (
    <section class="snapshot" aria-label="Snapshots">
      <h3>Snapshots</h3>
      <p class="quiet">A snapshot is the complete state of the world, without its journal.</p>
      <p class="buttons">
        <button
          type="button"
          disabled={isBusy}
          onClick={() => start(save, 'The snapshot is saved.')}
        >
          Save snapshot
        </button>
        <button type="button" disabled={isBusy} onClick={() => input.current?.click()}>
          Restore snapshot…
        </button>
        <input
          ref={input}
          type="file"
          accept=".json,application/json"
          aria-label="Snapshot file"
          hidden
          onChange={({ currentTarget }) => {
            choose(currentTarget.files?.[0])
            // The same file can be chosen again.
            currentTarget.value = ''
          }}
        />
      </p>
      {problem && (
        <p class="error long" role="alert">
          {problem}
        </p>
      )}
      {chosen && (
        <ConfirmDialog
          title="Restore the snapshot?"
          label="Restore snapshot"
          question={`The state of the world "${client.name}" is replaced by that of ${chosen.name}.`}
          onClose={() => choose(undefined)}
          onConfirm={() =>
            start(async () => client.restore(await readJson(chosen)), 'The snapshot is restored.')
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

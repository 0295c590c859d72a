import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describeSystemError } from './system-error.ts'
import { printable } from './terminal.ts'

/** Editors save in several steps. The files are compared when nothing has happened for this time, in milliseconds. */
const QUIET_MS = 100

/**
 * Calls `onChange` when one of several files has changed. Watches their folders: a watched file is lost when an editor saves by
 * renaming a new file to its name.
 */
export class FileWatcher {
  readonly #onChange: () => Promise<void>
  readonly #folders = new Map<string, FSWatcher>()
  /** The state of each watched file when it was last read. */
  #read: ReadonlyMap<string, string> = new Map()
  #timer: NodeJS.Timeout | undefined
  #isBusy = false

  constructor(onChange: () => Promise<void>) {
    this.#onChange = onChange
  }

  /** Watches these files from now on, also those that do not exist yet, instead of earlier ones. */
  async watch(files: Iterable<string>): Promise<void> {
    const watched = [...new Set(files)]
    const folders = new Set(watched.map((file) => dirname(file)))
    for (const [folder, watcher] of this.#folders) {
      if (folders.has(folder)) continue
      watcher.close()
      this.#folders.delete(folder)
    }
    for (const folder of folders) if (!this.#folders.has(folder)) this.#watchFolder(folder)
    // A known file may have changed since it was read.
    const read = this.#read
    this.#read = new Map([...(await states(watched)), ...known(read, watched)])
    this.#schedule()
  }

  /** Ends the watching. */
  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #watchFolder(folder: string): void {
    try {
      // The command keeps the process alive.
      const watcher = watch(folder, { persistent: false }, this.#schedule)
      watcher.on('error', (error) => printWatchError(folder, error))
      this.#folders.set(folder, watcher)
    } catch (error) {
      printWatchError(folder, error)
    }
  }

  readonly #schedule = (): void => {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#compare(), QUIET_MS)
  }

  /** Other files of the folder cause events, too. A change during `onChange` is found afterwards. */
  async #compare(): Promise<void> {
    if (this.#isBusy) return this.#schedule()
    this.#isBusy = true
    const before = this.#read
    const now = await states(before.keys())
    if ([...now].some(([file, state]) => state !== before.get(file))) {
      this.#read = now
      await this.#onChange()
    }
    this.#isBusy = false
  }
}

/** The time, the size and the number of each file. A file that does not exist has none. */
async function states(files: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const entries = [...files].map(async (file) => {
    const found = await stat(file).catch(() => undefined)
    return [file, `${found?.mtimeMs} ${found?.size} ${found?.ino}`] as const
  })

  return new Map(await Promise.all(entries))
}

function known(
  states: ReadonlyMap<string, string>,
  files: readonly string[],
): readonly (readonly [string, string])[] {
  return [...states].filter(([file]) => files.includes(file))
}

function printWatchError(folder: string, error: unknown): void {
  const reason = describeSystemError(error)
  process.stderr.write(
    `pet-sandbox: Cannot watch ${printable(folder)}: ${reason}. Restart after changes in it.\n`,
  )
}

import type { Sandbox } from '../../sandbox/sandbox.ts'
import { SandboxWorld } from '../../sandbox/sandbox-world.ts'
import type { Snapshot } from '../../sandbox/snapshot.ts'
import { UsageError } from '../../validation/usage-error.ts'
import type { ServeSettings } from '../settings.ts'
import { lock } from './lock.ts'
import { StateFile } from './state-file.ts'

/** The state of a sandbox that is saved to a file. */
export interface OpenedState {
  /** The file name as the developer wrote it. */
  readonly name: string
  /** The number of restored records in all worlds; `undefined` when there was no file. */
  readonly restoredRecords: number | undefined
  /** Resolves when all changes until now are on the disk. Rejects with a UsageError when the file cannot be written. */
  readonly flush: () => Promise<void>
  /** Writes pending changes and releases the file. Returns whether all changes are written. */
  readonly close: () => Promise<boolean>
}

/** Settings that override the state in the file. */
type CurrentSettings = Pick<ServeSettings, 'plans' | 'keys'>

/**
 * Restores a sandbox from a file and saves all later changes to it. Creates a missing file. Rejects with a UsageError, and does
 * not change the file, if it contains no state of this contract, another process uses it, or it cannot be written.
 */
export async function openState(
  name: string,
  sandbox: Sandbox,
  settings: CurrentSettings,
): Promise<OpenedState> {
  const file = await StateFile.at(name)
  const release = await lock(file, report)
  const writer = new StateWriter(file, sandbox.snapshot, report)
  try {
    await file.removeTemporaryFiles()
    const saved = await file.read()
    if (saved === undefined) await writer.flush()
    else await restore(sandbox, saved, file, settings)
    const restoredRecords = saved === undefined ? undefined : countRecords(await sandbox.snapshot())
    sandbox.worlds.onExchange(writer.scheduleWrite)
    SandboxWorld.handleOf(sandbox)().state.service.changed.add(writer.scheduleWrite)
    writer.scheduleWrite()

    return {
      name,
      restoredRecords,
      flush: writer.flush,
      close: () => writer.close().finally(release),
    }
  } catch (error) {
    release()
    throw error
  }
}

function report(line: string): void {
  process.stderr.write(`pet-sandbox: ${line}\n`)
}

async function restore(
  sandbox: Sandbox,
  saved: unknown,
  file: StateFile,
  { plans = {}, keys = {} }: CurrentSettings,
): Promise<void> {
  try {
    await sandbox.restore(saved)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw file.refuse(error.reason, error, HELP[error.code])
  }
  for (const [plan, windows] of Object.entries(plans)) sandbox.setPlan(plan, windows)
  for (const [key, given] of Object.entries(keys)) sandbox.setKey(key, given)
}

/** The help for states that are valid. */
const HELP: Readonly<Record<string, string>> = {
  too_many_worlds: 'Increase --worlds.',
}

function countRecords({ state, worlds = {} }: Snapshot): number {
  const lists = [state, ...Object.values(worlds)].flatMap(({ records }) => Object.values(records))
  return lists.reduce((sum, { rows }) => sum + rows.length, 0)
}

/** The minimum delay of a scheduled write, in milliseconds. */
const MIN_DELAY_MS = 250
/**
 * The delay in multiples of how long a write takes, so that writing takes at most a twentieth of the time. Of two writes, the quicker one
 * counts: a machine that was paused during one would not save for twenty times the pause.
 */
const DELAY_FACTOR = 20

/** Writes a state to a file when it changes. */
export class StateWriter {
  readonly #file: StateFile
  readonly #takeSnapshot: () => Promise<unknown>
  readonly #report: (line: string) => void
  /** The write in progress; it does not reject. */
  #current: Promise<void> = Promise.resolve()
  /** The next write, which has not taken its snapshot yet. */
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** How long the latest write and the one before took. */
  #durationsMs: readonly [number, number] = [0, 0]
  #isChanged = false
  #isFailing = false

  /** `report` receives a line when writing fails for the first time, and when it succeeds again. */
  constructor(
    file: StateFile,
    takeSnapshot: () => Promise<unknown>,
    report: (line: string) => void,
  ) {
    this.#file = file
    this.#takeSnapshot = takeSnapshot
    this.#report = report
  }

  /**
   * Resolves when all changes until now are on the disk. Calls during a write share the next write. Rejects with a UsageError
   * when the file cannot be written.
   */
  readonly flush = (): Promise<void> => {
    this.#next ??= this.#current.then(() => this.#write())
    this.#current = this.#next.catch(() => undefined)
    return this.#next
  }

  /** Schedules a write for a change that nobody waits for. */
  readonly scheduleWrite = (): void => {
    this.#isChanged = true
    this.#timer ??= setTimeout(
      this.#writeScheduled,
      Math.max(MIN_DELAY_MS, Math.min(...this.#durationsMs) * DELAY_FACTOR),
    ).unref()
  }

  /** Writes pending changes, and returns whether all changes are written. A failure is reported again. */
  async close(): Promise<boolean> {
    clearTimeout(this.#timer)
    await this.#current
    this.#isFailing = false
    if (this.#isChanged) await this.flush().catch(() => undefined)
    return !this.#isChanged
  }

  readonly #writeScheduled = (): void => {
    this.#timer = undefined
    // `#write` has reported the failure.
    if (this.#isChanged) this.flush().catch(() => undefined)
  }

  async #write(): Promise<void> {
    this.#next = undefined
    this.#isChanged = false
    const start = performance.now()
    const noteDuration = (): void => {
      this.#durationsMs = [performance.now() - start, this.#durationsMs[0]]
    }
    try {
      await this.#file.write(`${JSON.stringify(await this.#takeSnapshot())}\n`)
      if (this.#isFailing) this.#report(`The state is saved to ${this.#file.name} again.`)
      this.#isFailing = false
    } catch (error) {
      noteDuration()
      this.scheduleWrite()
      if (!this.#isFailing) this.#report(String(error instanceof Error ? error.message : error))
      this.#isFailing = true
      throw error
    }
    noteDuration()
  }
}

import type { StateFile } from './state-file.ts'

/** The minimum delay of a scheduled write, in milliseconds. */
const MIN_DELAY_MS = 250
/** The delay in multiples of the duration of the last write, so that writing takes at most a twentieth of the time. */
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
  #lastDurationMs = 0
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
      Math.max(MIN_DELAY_MS, this.#lastDurationMs * DELAY_FACTOR),
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
    try {
      await this.#file.write(`${JSON.stringify(await this.#takeSnapshot())}\n`)
      if (this.#isFailing) this.#report(`The state is saved to ${this.#file.name} again.`)
      this.#isFailing = false
    } catch (error) {
      this.#lastDurationMs = performance.now() - start
      this.scheduleWrite()
      if (!this.#isFailing) this.#report(String(error instanceof Error ? error.message : error))
      this.#isFailing = true
      throw error
    }
    this.#lastDurationMs = performance.now() - start
  }
}

import type { StateFile } from './state-file.ts'

/** The least pause before changes that nobody waits for are written, in milliseconds. */
const PAUSE = 250
/** How many times as long as the last write took that pause is, for writing to take a twentieth of the time at most. */
const SHARE = 20

/** Writes what `take` gives into a file, whenever it changes. */
export class Keeper {
  readonly #file: StateFile
  readonly #take: () => Promise<unknown>
  readonly #tell: (line: string) => void
  /** The write under way; it does not reject. */
  #present: Promise<void> = Promise.resolve()
  /** The write after it, which has not taken yet. */
  #next: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #milliseconds = 0
  #isChanged = false
  #isFailing = false

  /** `tell` gets a line when writing begins to fail, and when it succeeds again. */
  constructor(file: StateFile, take: () => Promise<unknown>, tell: (line: string) => void) {
    this.#file = file
    this.#take = take
    this.#tell = tell
  }

  /**
   * Resolves once all that has happened until now is on the disk. Those who ask during a write share the next one. Rejects
   * with a UsageError when it cannot be written.
   */
  readonly settle = (): Promise<void> => {
    this.#next ??= this.#present.then(() => this.#write())
    this.#present = this.#next.catch(() => undefined)
    return this.#next
  }

  /** Something has changed that nobody waits for: it is written soon. */
  readonly touch = (): void => {
    this.#isChanged = true
    this.#timer ??= setTimeout(this.#catchUp, Math.max(PAUSE, this.#milliseconds * SHARE)).unref()
  }

  /** Writes what is not written yet; whether it could. What was told of a disk that fails is told again. */
  async close(): Promise<boolean> {
    clearTimeout(this.#timer)
    await this.#present
    this.#isFailing = false
    if (this.#isChanged) await this.settle().catch(() => undefined)
    return !this.#isChanged
  }

  readonly #catchUp = (): void => {
    this.#timer = undefined
    // Who reads the log is told already.
    if (this.#isChanged) this.settle().catch(() => undefined)
  }

  async #write(): Promise<void> {
    this.#next = undefined
    this.#isChanged = false
    const start = performance.now()
    try {
      await this.#file.write(`${JSON.stringify(await this.#take())}\n`)
      if (this.#isFailing) this.#tell(`The state is kept in ${this.#file.name} again.`)
      this.#isFailing = false
    } catch (error) {
      this.#milliseconds = performance.now() - start
      this.touch()
      if (!this.#isFailing) this.#tell(String(error instanceof Error ? error.message : error))
      this.#isFailing = true
      throw error
    }
    this.#milliseconds = performance.now() - start
  }
}

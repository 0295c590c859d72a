import { StoreUnavailableError } from '../records/stored-records.ts'

// What others do at the same time: they change what a task was decided on, or wait for the same.

/** How often a task runs at least. */
const MIN_ATTEMPTS = 50

/** The longest pause before another attempt is that of this attempt: one who has waited long must not wait longer than others. */
const MAX_PAUSE = 10

/** The longest pause before another attempt, in milliseconds, for each attempt before. */
const PAUSE_MS = 1

/** The original timer. Fake timers of a test must not stop a response. */
const { setTimeout: startTimer } = globalThis

/**
 * Runs a task until it resolves with a result. It resolves with `undefined` when others have changed what it depends on. Rejects with a
 * StoreUnavailableError after 50 attempts that took `patience` milliseconds.
 */
export async function untilKept<Result>(
  world: string,
  task: () => Promise<Result | undefined>,
  patience = 0,
): Promise<Result> {
  const start = performance.now()
  for (
    let attempt = 1;
    attempt <= MIN_ATTEMPTS || performance.now() - start < patience;
    attempt += 1
  ) {
    const result = await task()
    if (result !== undefined) return result
    if (attempt > 1) await pause(Math.min(attempt, MAX_PAUSE))
  }
  throw new StoreUnavailableError(`Too many changes of the world "${world}" at the same time.`)
}

/** Waits for a random time, so that those who hinder each other do not go on at the same time. */
function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => startTimer(resolve, Math.random() * PAUSE_MS * attempt))
}

/** Lets tasks of this instance that change the same wait for each other: otherwise they would conflict. Nothing depends on it but speed. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<void>>()

  /** Waits for those that came before. Resolves with the function that releases the lock. */
  async acquire(name: string): Promise<() => void> {
    const before = this.#last.get(name)
    let resolve = (): void => undefined
    const turn = new Promise<void>((end) => {
      resolve = end
    })
    this.#last.set(name, turn)
    await before

    return () => {
      if (this.#last.get(name) === turn) this.#last.delete(name)
      resolve()
    }
  }
}

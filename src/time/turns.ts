/** The original timer. Fake timers of a test must not stop a response. */
const { setTimeout: startTimer } = globalThis

/** Milliseconds of work after which other requests get a turn. A request needs several, such as one for each file that it reads. */
const LONGEST_TURN = 10

/** What waits for its next turn. */
const waiting: (() => void)[] = []

/** One at a time, so that requests do not wait for the turns of all that takes long. */
function takeTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) startTimer(takeTurn, 0)
}

/** Lets other requests be answered in between, while something takes long, such as the first records of many collections. */
export class Turns {
  readonly #pause: (() => Promise<void>) | undefined
  #start: number = performance.now()

  /** `pause` is waited for between two turns, such as until no requests come. */
  constructor(pause?: () => Promise<void>) {
    this.#pause = pause
  }

  /** Waits until other requests had a turn, if the present turn was long. */
  async yield(): Promise<void> {
    if (performance.now() - this.#start < LONGEST_TURN) return
    await this.#pause?.()
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) startTimer(takeTurn, 0)
    })
    this.#start = performance.now()
  }
}

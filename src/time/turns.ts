/** The original timer. Fake timers of a test must not stop a response. */
const { setTimeout: startTimer } = globalThis

/** Milliseconds of work after which other requests get a turn. */
const LONGEST_TURN = 20

/** Lets other requests be answered in between, while something takes long, such as the first records of many collections. */
export class Turns {
  #start: number = performance.now()

  /** Waits until other requests had a turn, if the present turn was long. */
  async yield(): Promise<void> {
    if (performance.now() - this.#start < LONGEST_TURN) return
    await new Promise((resolve) => startTimer(resolve, 0))
    this.#start = performance.now()
  }
}

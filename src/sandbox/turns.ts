/** The order of deeds that may take a while: the one that was asked for last holds, whichever is ready last. */
export class Turns {
  #last = 0
  #done = 0

  /** Takes the next turn; what it gives does a deed, unless one of a later turn was done. */
  next(): (deed: () => void) => void {
    this.#last += 1
    const turn = this.#last
    return (deed) => {
      if (turn < this.#done) return
      this.#done = turn
      deed()
    }
  }
}

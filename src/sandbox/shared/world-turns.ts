/**
 * Lets the tasks of this instance on a world take turns when they run again, because each of them changes what the others were decided
 * on. Nothing depends on it but speed.
 */
export class WorldTurns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs a task after those that came before it. */
  async take<Result>(world: string, task: () => Promise<Result>): Promise<Result> {
    const run = (this.#last.get(world) ?? Promise.resolve()).then(task)
    const ended = run.catch(() => undefined)
    this.#last.set(world, ended)
    try {
      return await run
    } finally {
      if (this.#last.get(world) === ended) this.#last.delete(world)
    }
  }
}

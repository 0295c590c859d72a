/** Whether a server can answer requests to the API: until it stops, and while what it depends on answers. */
export class Readiness {
  readonly #check: () => Promise<unknown>
  #isStopping = false
  #pending: Promise<boolean> | undefined

  /** `check` rejects while the server cannot answer. Default: it always can. */
  constructor(check: () => Promise<unknown> = async () => undefined) {
    this.#check = check
  }

  /** From now on the server is not ready, so that load balancers send its requests elsewhere. */
  stop(): void {
    this.#isStopping = true
  }

  /** Probes at the same time share one check. */
  readonly isReady = async (): Promise<boolean> => {
    if (this.#isStopping) return false
    this.#pending ??= this.#check()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#pending = undefined
      })
    const isAnswering = await this.#pending

    return isAnswering && !this.#isStopping
  }
}

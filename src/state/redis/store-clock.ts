/** How many estimates are kept. A cluster has one for each world, because its nodes have clocks of their own. */
const MAX_ESTIMATES = 10_000

/** Estimates the time of the store: never later than it is, because a reply that tells it takes a while. */
export class StoreClock {
  readonly #leads = new Map<string, number>()
  readonly #isCluster: boolean

  constructor(isCluster: boolean) {
    this.#isCluster = isCluster
  }

  /** The time of the store in epoch milliseconds; `undefined` before its first reply. */
  estimate(key: string): number | undefined {
    const lead = this.#leads.get(this.#nameOf(key))
    return lead === undefined ? undefined : performance.now() + lead
  }

  /**
   * Notes the time that a reply told. `sentAt` is when its command was sent, so that the store had this time after it. A reply that
   * was read late does not make the estimate worse, unless the clock of the store has been set back.
   */
  set(key: string, time: number, sentAt: number): void {
    if (this.#leads.size > MAX_ESTIMATES) this.#leads.clear()
    const name = this.#nameOf(key)
    const lead = time - performance.now()
    const known = this.#leads.get(name) ?? lead
    this.#leads.set(name, known <= time - sentAt ? Math.max(known, lead) : lead)
  }

  #nameOf(key: string): string {
    return this.#isCluster ? key : ''
  }
}

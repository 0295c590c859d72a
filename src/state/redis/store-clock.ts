/** How many estimates are kept. A cluster has one for each world, because its nodes have clocks of their own. */
const MAX_ESTIMATES = 10_000

/** Estimates the time of the store: never later than it is, because the reply that told it took a while. */
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

  /** Notes the time that a reply told. */
  set(key: string, time: number): void {
    if (this.#leads.size > MAX_ESTIMATES) this.#leads.clear()
    this.#leads.set(this.#nameOf(key), time - performance.now())
  }

  #nameOf(key: string): string {
    return this.#isCluster ? key : ''
  }
}

import type { RedisClient } from './redis-client.ts'
import { type StoreScript, storeScript } from './scripts/store-script.ts'
import { expired, isUnknownScript, listIn, numberIn, storeError } from './store-errors.ts'
import { KeptRecords } from './stored-texts.ts'

/** How long a script may take from its call to its end, in milliseconds of awake time. */
const LIMIT = 1500

/** How long it may take in a process that is paused or hardly gets the processor, in milliseconds. After that, it writes nothing. */
const MAX_TIME = 10_000

/** How often a script is sent that came too late. */
const MAX_ATTEMPTS = 10

const TIME = storeScript('time', 'reads', 'return {time}')

/** Called with the name of each command, and how many milliseconds it took. */
export type CallListener = (call: string, milliseconds: number) => void

/** Sends commands and scripts. All errors are StoreUnavailableErrors. */
export class RedisConnection {
  /** The records that were read through this connection lately. */
  readonly records: KeptRecords = new KeptRecords()
  readonly #client: RedisClient
  readonly #clock: StoreClock
  readonly #onCall: CallListener

  constructor(client: RedisClient, isCluster: boolean, onCall: CallListener) {
    this.#client = client
    this.#clock = new StoreClock(isCluster)
    this.#onCall = onCall
  }

  /** Runs a script on the keys that start with `key`. Resolves with its reply. Rejects when it came too late, and wrote nothing. */
  async run(
    script: StoreScript,
    key: string,
    args: readonly (string | number)[] = [],
  ): Promise<readonly unknown[]> {
    const start = performance.now()
    const awakeSince = this.#client.awakeTime()
    if (this.#clock.estimate(key) === undefined) await this.#send(TIME, key, '', [])
    // It came too late when this process was busy or paused after it had set the deadline.
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const left = Math.min(
        LIMIT - (this.#client.awakeTime() - awakeSince),
        MAX_TIME - (performance.now() - start),
      )
      if (left <= 0) break
      const deadline = Math.floor((this.#clock.estimate(key) ?? 0) + left)
      const reply = await this.#send(script, key, deadline, args)
      if (reply[0] !== 'expired') return reply
    }
    throw expired()
  }

  /** Sends a command. */
  async command(name: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const start = performance.now()
    try {
      return await this.#client.call(name, ...args)
    } catch (error) {
      throw storeError(error)
    } finally {
      this.#onCall(name, performance.now() - start)
    }
  }

  servers(): ReturnType<RedisClient['servers']> {
    return this.#client.servers()
  }

  /** A connection for commands that wait, and for nothing else. */
  forWaiting(): RedisClient {
    return this.#client.forWaiting()
  }

  close(): void {
    this.#client.close()
  }

  async #send(
    { name, sha, lua }: StoreScript,
    key: string,
    deadline: number | '',
    args: readonly (string | number)[],
  ): Promise<readonly unknown[]> {
    const start = performance.now()
    try {
      const reply = await this.#client.call('evalsha', sha, 1, key, deadline, ...args).catch(
        // A script that the store does not know has not run.
        (error) => {
          if (!isUnknownScript(error)) throw error
          return this.#client.call('eval', lua, 1, key, deadline, ...args)
        },
      )
      const [time, ...rest] = listIn(reply, key)
      this.#clock.set(key, numberIn(time, key), start)

      return rest
    } catch (error) {
      throw storeError(error)
    } finally {
      this.#onCall(name, performance.now() - start)
    }
  }
}

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

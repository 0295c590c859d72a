import { KeptRecords } from './kept-records.ts'
import type { RedisClient } from './redis-client.ts'
import { listIn, numberIn } from './reply.ts'
import { StoreClock } from './store-clock.ts'
import { expired, storeError } from './store-errors.ts'
import { isUnknownScript } from './store-refusal.ts'
import type { StoreScript } from './store-script.ts'
import { storeScript } from './store-script.ts'

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
    const reply = await this.attempt(script, key, args)
    if (!reply) throw expired()
    return reply
  }

  /** Runs a script, and resolves with `undefined` when it came too late, and wrote nothing. */
  async attempt(
    script: StoreScript,
    key: string,
    args: readonly (string | number)[],
  ): Promise<readonly unknown[] | undefined> {
    const start = performance.now()
    const awakeSince = this.#client.awakeTime()
    if (this.#clock.estimate(key) === undefined) await this.#send(TIME, key, '', [])
    // It came too late when this process was busy or paused after it had set the deadline.
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const left = Math.min(
        LIMIT - (this.#client.awakeTime() - awakeSince),
        MAX_TIME - (performance.now() - start),
      )
      if (left <= 0) return undefined
      const deadline = Math.floor((this.#clock.estimate(key) ?? 0) + left)
      const reply = await this.#send(script, key, deadline, args)
      if (reply[0] !== 'expired') return reply
    }
    return undefined
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

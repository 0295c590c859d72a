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

const TIME = storeScript('time', 'reads', 'return {}')

/** A call of a script, which waits for its reply. */
interface ScriptCall {
  readonly args: readonly (string | number)[]
  readonly resolve: (reply: readonly unknown[]) => void
  readonly reject: (error: unknown) => void
}

/** The calls of a script on a key in one turn of the event loop, which are one command. */
interface CallBatch {
  readonly script: StoreScript
  readonly key: string
  deadline: number | ''
  readonly calls: ScriptCall[]
}

/** So many calls are one command at most: the store does nothing else meanwhile. */
const MAX_CALLS = 32

/** Called with the name of each command, and how many milliseconds it took. */
export type CallListener = (call: string, milliseconds: number) => void

/** Sends commands and scripts. All errors are StoreUnavailableErrors. */
export class RedisConnection {
  /** The records that were read through this connection lately. */
  readonly records: KeptRecords = new KeptRecords()
  readonly #client: RedisClient
  readonly #clock: StoreClock
  readonly #onCall: CallListener
  readonly #batches = new Map<string, CallBatch>()

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

  /** Calls a script. Those that call it in the same turn of the event loop share a command. */
  #send(
    script: StoreScript,
    key: string,
    deadline: number | '',
    args: readonly (string | number)[],
  ): Promise<readonly unknown[]> {
    const batch = this.#batchOf(script, key)
    if (deadline !== '') batch.deadline = Math.min(batch.deadline || deadline, deadline)
    return new Promise((resolve, reject) => {
      batch.calls.push({ args, resolve, reject })
    })
  }

  #batchOf(script: StoreScript, key: string): CallBatch {
    const name = `${script.name} ${key}`
    const begun = this.#batches.get(name)
    if (begun && begun.calls.length < MAX_CALLS) return begun
    const batch: CallBatch = { script, key, deadline: '', calls: [] }
    this.#batches.set(name, batch)
    this.#client.atEndOfTurn(() => {
      if (this.#batches.get(name) === batch) this.#batches.delete(name)
      void this.#sendBatch(batch)
    })
    return batch
  }

  async #sendBatch({ script, key, deadline, calls }: CallBatch): Promise<void> {
    const start = performance.now()
    const args = calls.flatMap((call) => [call.args.length, ...call.args])
    try {
      const [time, ...replies] = listIn(
        await this.#evaluate(script, [1, key, deadline, ...args]),
        key,
      )
      this.#clock.set(key, numberIn(time, key), start)
      for (const [at, { resolve, reject }] of calls.entries()) {
        // A command that came too late has one reply for all calls.
        const reply = replies[0] === 'expired' ? replies : replies[at]
        if (reply instanceof Error) reject(storeError(reply))
        else resolve(listIn(reply, key))
      }
    } catch (error) {
      for (const { reject } of calls) reject(storeError(error))
    } finally {
      this.#onCall(script.name, performance.now() - start)
    }
  }

  async #evaluate({ sha, lua }: StoreScript, args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await this.#client.call('evalsha', sha, ...args)
    } catch (error) {
      // A script that the store does not know has not run.
      if (!isUnknownScript(error)) throw error
      return this.#client.call('eval', lua, ...args)
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

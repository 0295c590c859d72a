/** A connection to a node of the store. It has no stream before it connects. */
interface Connection {
  readonly stream?: {
    readonly bytesRead: number
    destroy(error: Error): void
  }
  /** The commands that were sent and not answered. */
  readonly commandQueue: { readonly length: number }
}

/** How long the store may take, in milliseconds of awake time. */
export interface AnswerLimits {
  /** The longest time until a command is answered. */
  readonly command: number
  /** The longest time without data from a node that is to answer. */
  readonly silence: number
}

/** How much awake time a tick counts, in milliseconds. */
const TICK = 100

/** The original timers. Fake timers of a test must not stop a command. */
const { setTimeout: startTimer, setImmediate: afterTurn } = globalThis

/**
 * Limits how long the store may take to answer. It counts awake time: while commands are under way, each tick counts the same,
 * however late it comes. So an answer that waits in the socket while this process is busy, or does not get the processor, is in time.
 * Awake time is never longer than the time that has passed.
 */
export class AnswerLimit {
  readonly #limits: AnswerLimits
  readonly #connections: () => Iterable<Connection>
  /** In the order of their ends. */
  readonly #awaited = new Set<{ readonly end: number; readonly fail: () => void }>()
  readonly #silences = new Map<Connection, { readonly bytesRead: number; readonly since: number }>()
  #awakeTime = 0
  #isTicking = false

  constructor(limits: AnswerLimits, connections: () => Iterable<Connection>) {
    this.#limits = limits
    this.#connections = connections
  }

  /** The awake time so far, in milliseconds. */
  get awakeTime(): number {
    return this.#awakeTime
  }

  /** Settles as `answer` does, or rejects when it takes too long. */
  apply<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.watch()
    return new Promise((resolve, reject) => {
      const awaited = {
        // The first tick may come at once.
        end: this.#awakeTime + TICK + this.#limits.command,
        fail: () => reject(new Error('Command timed out')),
      }
      this.#awaited.add(awaited)
      const settle = <Value>(settled: (value: Value) => void, value: Value): void => {
        this.#awaited.delete(awaited)
        settled(value)
      }
      answer.then(
        (value) => settle(resolve, value),
        (error) => settle(reject, error),
      )
    })
  }

  /** Counts until nothing is awaited. Each command that is sent otherwise than by `apply` needs a call. */
  watch(): void {
    if (this.#isTicking) return
    this.#isTicking = true
    // What has arrived is read between the timers of a turn and its end.
    startTimer(() => afterTurn(() => this.#tick()), TICK)
  }

  #tick(): void {
    this.#isTicking = false
    this.#awakeTime += TICK
    for (const awaited of this.#awaited) {
      if (awaited.end > this.#awakeTime) break
      this.#awaited.delete(awaited)
      awaited.fail()
    }
    const awaitedNodes = [...this.#connections()].filter((one) => one.commandQueue.length > 0)
    this.#endSilences(awaitedNodes)
    if (this.#awaited.size > 0 || awaitedNodes.length > 0) this.watch()
  }

  /** Drops the connections that do not answer. */
  #endSilences(connections: readonly Connection[]): void {
    const before = new Map(this.#silences)
    this.#silences.clear()
    for (const connection of connections) {
      const bytesRead = connection.stream?.bytesRead ?? 0
      const known = before.get(connection)
      const silence = known?.bytesRead === bytesRead ? known : { bytesRead, since: this.#awakeTime }
      if (this.#awakeTime - silence.since < this.#limits.silence) {
        this.#silences.set(connection, silence)
      } else connection.stream?.destroy(new Error('timeout'))
    }
  }
}

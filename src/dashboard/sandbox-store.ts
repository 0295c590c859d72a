import type { SandboxClient } from '../client/sandbox-client.ts'
import { UsageError } from '../validation/usage-error.ts'
import { Traffic } from './traffic.ts'

/**
 * Whether the sandbox answers. `connecting`: before the first answer. `lost`: it answered before, and does not now.
 * `unauthorized`: it needs a token. `no-world`: there is no world with this name.
 */
type ConnectionState = 'connecting' | 'live' | 'lost' | 'unauthorized' | 'no-world'

type Health = Awaited<ReturnType<SandboxClient['health']>>
type RuleList = Awaited<ReturnType<SandboxClient['forced']>>
type WorldList = Awaited<ReturnType<SandboxClient['worlds']['list']>>

/** What is known of a sandbox, apart from its traffic. */
export interface SandboxState {
  readonly connection: ConnectionState
  /** Why the last request failed; empty when it did not. */
  readonly problem: string
  readonly health?: Health
  readonly clock?: ClockReading
  readonly worlds: WorldList
  /** The id of the last exchange whose details the journal has dropped; 0 before. */
  readonly dropped: number
  /** The rules in force. */
  readonly rules: RuleList
  /** Changes with each reset of the world. What a view loaded before is out of date. */
  readonly generation: number
}

/** The state before the first answer. */
const UNKNOWN_STATE: SandboxState = {
  connection: 'connecting',
  problem: '',
  worlds: [],
  dropped: 0,
  rules: [],
  generation: 0,
}

/** The part of a client that the store needs. */
type StoreClient = Pick<
  SandboxClient,
  'clock' | 'forced' | 'health' | 'journal' | 'name' | 'onExchange' | 'worlds'
>

/** What the store needs of its surroundings. Tests replace it. */
interface Surroundings {
  /** Calls `draw` soon, such as before the next frame. */
  readonly schedule: (draw: () => void) => void
  /** Milliseconds of a timer that never goes back. */
  readonly now: () => number
}

/** Milliseconds between two readings of the clock and the worlds. They also show whether the server answers. */
const POLL_INTERVAL = 1000

/** The codes of requests that the token would allow. */
const NEEDS_TOKEN: ReadonlySet<string> = new Set(['unauthorized', 'forbidden'])

/** The live model of one world: whether it answers, its clock, and its traffic. */
export class SandboxStore {
  readonly traffic: Traffic = new Traffic()
  readonly #client: StoreClient
  readonly #surroundings: Surroundings
  readonly #listeners = new Set<() => void>()
  #state: SandboxState = UNKNOWN_STATE
  /** The numbers of the read that started last, and of the one that the state is from. */
  readonly #reads = { started: 0, latest: 0 }
  #isScheduled = false
  #isStopped = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #following: Promise<() => void> | undefined

  constructor(client: StoreClient, surroundings: Surroundings) {
    this.#client = client
    this.#surroundings = surroundings
  }

  get state(): SandboxState {
    return this.#state
  }

  /** Calls `listener` after changes, at most once per frame. Returns a function that stops it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads the state every second, until the store is stopped. */
  async start(): Promise<void> {
    if (this.#isStopped) return
    await this.refresh()
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.start(), POLL_INTERVAL)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#unfollow()
    this.#listeners.clear()
  }

  /** Reads the state now, such as after a change of the clock. Never rejects: the state says what failed. */
  async refresh(): Promise<void> {
    try {
      await this.#read()
    } catch (error) {
      if (!this.#isStopped) this.#fail(error)
    }
  }

  async #read(): Promise<void> {
    this.#reads.started += 1
    const number = this.#reads.started
    const { clock, journal, name, worlds: all } = this.#client
    const { generation, last: seen } = this.traffic
    const listed = all.list()
    if (name !== 'default') {
      const worlds = await listed
      if (worlds.every((world) => world.name !== name)) {
        this.#change({ worlds })
        this.#loseWorld()
        return
      }
    }
    const [worlds, health, rules, now, isFrozen, last, dropped] = await Promise.all([
      listed,
      this.#client.health(),
      this.#client.forced(),
      clock.now(),
      clock.isFrozen(),
      journal.last(),
      journal.dropped(),
    ])
    // A later read may have ended before.
    if (this.#isStopped || number < this.#reads.latest) return
    this.#reads.latest = number
    this.#clearAfterRestart(health)
    // An exchange that has arrived since the read began is not what a reset removed.
    const isReset = last === 0 && seen > 0 && generation === this.traffic.generation
    if (isReset) this.traffic.clear()
    this.#change({
      connection: 'live',
      problem: '',
      worlds,
      dropped,
      rules,
      clock: { now, isFrozen, readAt: this.#surroundings.now() },
      health,
      generation: this.traffic.generation,
    })
    this.#following ??= this.#follow(last)
    await this.#following
  }

  /** Another journal may have the same ids. Its stream, which continues after the last id that was seen, may lack some. */
  #clearAfterRestart({ run }: Health): void {
    const known = this.#state.health?.run
    if (known !== undefined && known !== run) this.#unfollow()
  }

  /** `recorded` is the id of the latest exchange that the journal has already. */
  #follow(recorded: number): Promise<() => void> {
    let isPast = recorded > 0
    const following = this.#client.onExchange(
      (exchange) => {
        if (this.#isStopped) return
        this.traffic.add(exchange, isPast ? undefined : this.#surroundings.now())
        if (exchange.id >= recorded) isPast = false
        this.#tell()
      },
      { after: 0 },
    )
    following.catch(() => {
      if (this.#following === following) this.#following = undefined
    })
    return following
  }

  #unfollow(): void {
    this.#following?.then(
      (stop) => stop(),
      () => undefined,
    )
    this.#following = undefined
    this.traffic.clear()
  }

  #loseWorld(): void {
    this.#unfollow()
    this.#change({ connection: 'no-world', problem: '' })
  }

  #fail(error: unknown): void {
    if (error instanceof UsageError && error.code === 'unknown_world') {
      this.#loseWorld()
      return
    }
    const problem = error instanceof Error ? error.message : String(error)
    const isUnauthorized = error instanceof UsageError && NEEDS_TOKEN.has(error.code)
    const wasSeen = this.#state.health !== undefined
    const lost = wasSeen ? 'lost' : 'connecting'
    this.#change({ connection: isUnauthorized ? 'unauthorized' : lost, problem })
  }

  #change(changes: Partial<SandboxState>): void {
    this.#state = { ...this.#state, ...changes }
    this.#tell()
  }

  #tell(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#surroundings.schedule(() => {
      this.#isScheduled = false
      for (const listener of this.#listeners) listener()
    })
  }
}

/** The time of a sandbox, as it was read. */
interface ClockReading {
  /** The sandbox's time, in epoch milliseconds. */
  readonly now: number
  readonly isFrozen: boolean
  /** When it was read, in milliseconds of the page's own timer. */
  readonly readAt: number
}

/** The sandbox's time at `now` of the page's own timer. It runs on between two readings, unless the clock is frozen. */
export function timeAt({ now: time, isFrozen, readAt }: ClockReading, now: number): number {
  return isFrozen ? time : time + Math.max(0, now - readAt)
}

import type { Forward } from '../events/delivery.ts'
import { connectedTo, type HeldReceiver, withReceivers } from './held-receivers.ts'
import type { HostedWorld } from './hosted-worlds.ts'
import type { WorldTasks } from './shared-host.ts'
import { StoredEvents } from './stored-events.ts'

/** A receiver that is connected to this server. */
interface ConnectedReceiver {
  readonly url: string
  readonly forward: Forward
  /** Called when the world ends. */
  readonly end: () => void
}

/** The receivers that are connected to this server. The configurations of their worlds say so, until this server is killed. */
export class ConnectedReceivers {
  readonly #tasks: WorldTasks
  readonly #holder: string
  /** By the names of their worlds. */
  readonly #worlds = new Map<string, Set<ConnectedReceiver>>()

  constructor(tasks: WorldTasks, holder: string) {
    this.#tasks = tasks
    this.#holder = holder
  }

  /** Adds a receiver. Resolves, when all servers know it, with a function that removes it. */
  async add(world: string, receiver: ConnectedReceiver): Promise<() => void> {
    const { url } = receiver
    const own = this.#worlds.get(world) ?? new Set()
    this.#worlds.set(world, own.add(receiver))
    const remove = (): void => {
      if (!own.delete(receiver)) return
      if (own.size === 0 && this.#worlds.get(world) === own) this.#worlds.delete(world)
      if (!this.#urlsIn(world).includes(url)) void this.#release(world, url)
    }
    try {
      await this.#write(world, {}, (held, now) => connectedTo(held, url, this.#holder, now))
    } catch (error) {
      remove()
      throw error
    }
    return remove
  }

  /** What sends the deliveries of a receiver: the latest one at this address; `undefined` when none is connected to this server. */
  at(world: string, url: string): Forward | undefined {
    const own = [...(this.#worlds.get(world) ?? [])]
    return own.findLast((one) => one.url === url)?.forward
  }

  /** Prolongs the receivers in the configurations of their worlds, and adds them again where a restore has dropped them. */
  async renew(): Promise<void> {
    for (const [world, receivers] of this.#worlds) {
      const urls = this.#urlsIn(world)
      const isThere = await this.#write(world, { isUpkeep: true }, (held, now) =>
        withReceivers(held, urls, this.#holder, now),
      ).catch(() => true)
      if (!isThere) for (const { end } of [...receivers]) end()
    }
  }

  #urlsIn(world: string): readonly string[] {
    return [...new Set([...(this.#worlds.get(world) ?? [])].map(({ url }) => url))]
  }

  /** Notes that nobody receives at an address any more. What the store does not learn ends soon. */
  async #release(world: string, url: string): Promise<void> {
    await this.#write(world, { isUpkeep: true }, (held) =>
      held.filter((one) => one.url !== url || one.holder !== this.#holder),
    ).catch(() => undefined)
  }

  /** Changes the receivers in the configuration of a world. Resolves with whether the world exists. */
  async #write(
    world: string,
    options: { readonly isUpkeep?: boolean },
    change: (held: readonly HeldReceiver[], now: number) => readonly HeldReceiver[],
  ): Promise<boolean> {
    const used = await this.#tasks.use(world, options, ({ world: hosted }) => {
      const { events, storeTime } = eventsIn(hosted)
      events.held = change(events.held, storeTime)
    })
    return used !== undefined
  }
}

/** The events of a world in a store, and the time of the store when it was loaded. */
export function eventsIn({ opened: { state, loaded } }: HostedWorld): {
  readonly events: StoredEvents
  readonly storeTime: number
} {
  if (!(state.events instanceof StoredEvents)) throw new TypeError('The events are not stored')
  return { events: state.events, storeTime: loaded.storeTime }
}

import type { Contract } from '../contract/contract.ts'
import type { Service } from '../engine/service.ts'
import type { Listeners, WorldState } from '../engine/world-state.ts'
import type { Store } from '../resources/store/store.ts'
import { Clock } from '../time/clock.ts'
import { UsageError } from '../validation/usage-error.ts'
import { restoreStore } from './restore.ts'
import { restoreWorldState, SNAPSHOT_VERSION, type Snapshot } from './snapshot.ts'

/** Keeps a sandbox's state in the tab's `sessionStorage`. Throws a UsageError when the page has none. */
export class Session {
  readonly #storage = findStorage()
  readonly #key: string
  #take: (() => Snapshot | undefined) | undefined
  #isDue = false

  constructor({ title, version }: Contract) {
    this.#key = `pet-sandbox ${title} ${version}`
  }

  /** The state that was kept, without waiting. A state that cannot be restored is dropped with a warning. */
  load(service: Service, listeners: Listeners): WorldState | undefined {
    const text = this.#storage.getItem(this.#key)
    if (text === null) return undefined
    let isDropped = false
    const drop = (why: unknown): void => {
      if (!isDropped) warn(`The kept session is dropped: ${why}`)
      isDropped = true
      this.#storage.removeItem(this.#key)
    }
    const first = (why: unknown): Promise<Store> => {
      drop(why)
      return service
        .firstStore(service.settings.records, new Clock().now())
        .then((store) => store.createWorldStore())
    }
    try {
      // Only a sandbox writes here: unless the text is damaged, only its version can be wrong.
      const { version, state }: Snapshot = JSON.parse(text)
      if (version !== SNAPSHOT_VERSION) throw new TypeError(`its version is ${version}`)
      const store = restoreStore(service, state)
      return restoreWorldState(service, listeners, state, store.catch(first))
    } catch (error) {
      drop(error)
      return undefined
    }
  }

  /** Keeps the snapshot that `take` returns: at each `save`, and when the user leaves the page. */
  keep(take: () => Snapshot | undefined): void {
    this.#take = take
    globalThis.addEventListener?.('pagehide', () => this.#write())
  }

  /** Saves soon, and once for all changes until then. */
  readonly save = (): void => {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => this.#write(), 0)
  }

  #write(): void {
    this.#isDue = false
    // Before the first records exist, there is nothing to keep.
    const snapshot = this.#take?.()
    if (!snapshot) return
    try {
      this.#storage.setItem(this.#key, JSON.stringify(snapshot))
    } catch (error) {
      warn(`The session cannot be kept: ${error}.`)
    }
  }
}

function findStorage(): Storage {
  try {
    // This throws in a page that may not use storage.
    const { sessionStorage } = globalThis
    if (sessionStorage) return sessionStorage
  } catch {}
  throw new UsageError({
    code: 'no_session_storage',
    task: 'persist the session',
    reason: 'sessionStorage is not available',
    help: 'Run it in a page that may use sessionStorage, or leave the option persist out.',
  })
}

function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: A page has no other place for warnings.
  console.warn(`pet-sandbox: ${message}`)
}

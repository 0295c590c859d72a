import type { Contract } from '../contract/contract.ts'
import { UsageError } from '../usage-error.ts'
import { readSnapshot } from './check-snapshot.ts'
import type { Snapshot } from './snapshot.ts'

/** Keeps a sandbox's state in the tab's `sessionStorage`. Throws a UsageError where there is none. */
export class Session {
  readonly #storage = findStorage()
  readonly #contract: Contract
  readonly #key: string
  #take: (() => Snapshot | undefined) | undefined
  #isDue = false

  constructor(contract: Contract) {
    this.#contract = contract
    this.#key = `pet-sandbox ${contract.title} ${contract.version}`
  }

  /** What was kept; what cannot be read is dropped, with a warning. */
  load(): Snapshot | undefined {
    const text = this.#storage.getItem(this.#key)
    if (text === null) return undefined
    try {
      return readSnapshot(JSON.parse(text), this.#contract)
    } catch (error) {
      this.drop(error)
      return undefined
    }
  }

  /** Forgets what was kept, and says why. */
  readonly drop = (why: unknown): void => {
    this.#storage.removeItem(this.#key)
    warn(`The kept session is dropped: ${why}`)
  }

  /** Keeps what `take` gives, when the page is left, too. */
  keep(take: () => Snapshot | undefined): void {
    this.#take = take
    globalThis.addEventListener?.('pagehide', () => this.#write())
  }

  /** Saves soon, once for all that happens until then. */
  readonly save = (): void => {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => this.#write(), 0)
  }

  #write(): void {
    this.#isDue = false
    // Before the first records are in, there is nothing to keep.
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
    // A page whose storage is forbidden throws here.
    const { sessionStorage } = globalThis
    if (sessionStorage) return sessionStorage
  } catch {}
  throw new UsageError(
    'no_session_storage',
    'Cannot persist the session: there is no sessionStorage here. Use it in a page that may store, or leave persist out.',
  )
}

function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: There is nobody else in a page to tell.
  console.warn(`pet-sandbox: ${message}`)
}

import type { Contract } from '../contract/contract.ts'
import type { ExchangeListener } from '../exchange.ts'
import { UsageError } from '../usage-error.ts'
import { type Kept, type Parts, type Snapshot, takeSnapshot } from './parts.ts'

/** Of the form in which snapshots are kept; another one's are not read. */
const VERSION = 1

/** Keeps a sandbox's state in the tab's `sessionStorage`. Throws a UsageError where there is none. */
export class Session {
  readonly #storage = findStorage()
  readonly #key: string
  #partsOf: (() => Parts) | undefined
  #isDue = false

  constructor({ title, version }: Contract) {
    this.#key = `pet-sandbox ${title} ${version}`
  }

  /** What was kept; what cannot be read is dropped, with a warning. */
  load(): Kept | undefined {
    const text = this.#storage.getItem(this.#key)
    if (text === null) return undefined
    const kept = parse(text)
    const drop = (why: unknown): void => {
      this.#storage.removeItem(this.#key)
      warn(`The kept session is dropped: ${why}.`)
    }
    if (isKept(kept)) return { snapshot: kept.snapshot, drop }

    drop('it is damaged or of another version')
    return undefined
  }

  /** Saves after each exchange, and when the page is left. */
  keep(partsOf: () => Parts, listeners: Set<ExchangeListener>): void {
    this.#partsOf = partsOf
    listeners.add(() => this.save())
    globalThis.addEventListener?.('pagehide', () => this.#write())
  }

  /** Saves soon, once for all that happens until then. */
  save(): void {
    if (this.#isDue) return
    this.#isDue = true
    setTimeout(() => this.#write(), 0)
  }

  #write(): void {
    this.#isDue = false
    const parts = this.#partsOf?.()
    const store = parts?.opened()
    // Before the first records are in, there is nothing to keep.
    if (!(parts && store)) return
    try {
      const kept = { version: VERSION, snapshot: takeSnapshot(parts, store) }
      this.#storage.setItem(this.#key, JSON.stringify(kept))
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isKept(value: unknown): value is { readonly snapshot: Snapshot } {
  if (!isObject(value) || value.version !== VERSION || !isObject(value.snapshot)) return false
  const { clock, limits, bans, records } = value.snapshot

  return (
    isObject(clock) &&
    typeof clock.offset === 'number' &&
    isEntries(limits) &&
    isEntries(bans) &&
    isObject(records) &&
    Object.values(records).every((one) => isObject(one) && Array.isArray(one.rows))
  )
}

function isEntries(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => Array.isArray(entry) && isObject(entry[1]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function warn(message: string): void {
  // biome-ignore lint/suspicious/noConsole: There is nobody else in a page to tell.
  console.warn(`pet-sandbox: ${message}`)
}

/** How many values are kept. */
const MAX = 200

/**
 * The values that were used lately, by their keys, and those that something still uses. The others can be made again: which ones are here
 * must not change any answer.
 */
export class RecentCollections<Value extends object> {
  /** From the least recently used one to the latest. */
  readonly #recent = new Map<string, Value>()
  /** Those that are here no more. A request that still has one must not have another one than the next request. */
  readonly #used = new Map<string, WeakRef<Value>>()
  readonly #unused = new FinalizationRegistry<string>((key) => {
    if (!this.#used.get(key)?.deref()) this.#used.delete(key)
  })

  get(key: string): Value | undefined {
    const found = this.#recent.get(key) ?? this.#used.get(key)?.deref()
    if (found) this.#put(key, found)
    return found
  }

  set(key: string, value: Value): void {
    this.#put(key, value)
  }

  delete(key: string): void {
    this.#recent.delete(key)
    this.#used.delete(key)
  }

  #put(key: string, value: Value): void {
    this.#recent.delete(key)
    this.#used.delete(key)
    this.#recent.set(key, value)
    if (this.#recent.size <= MAX) return
    const [oldest] = this.#recent
    if (!oldest) return
    const [name, dropped] = oldest
    this.#recent.delete(name)
    this.#used.set(name, new WeakRef(dropped))
    this.#unused.register(dropped, name)
  }
}

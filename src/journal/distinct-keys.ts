/** Names for API keys that are shown by their last characters, where several keys have the same ones. */
export class DistinctKeys {
  /** The clients with each of these ends, in the order of their first requests. */
  readonly #clients = new Map<string, Map<string, number>>()

  /**
   * `…test` for the first client of a recording whose key ends like this, `…test (2)` for the second. `client` is the id of the key; the
   * empty text when it is unknown.
   */
  nameOf(key: string, client: string, recording = 1): string {
    const end = `${recording} ${key}`
    const clients = this.#clients.get(end) ?? new Map<string, number>()
    this.#clients.set(end, clients)
    const number = clients.get(client) ?? clients.size + 1
    clients.set(client, number)

    return number === 1 ? key : `${key} (${number})`
  }
}

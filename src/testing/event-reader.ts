/** Reads a stream of server-sent events piece by piece. */
export class EventReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  #buffer = ''

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (!body) throw new TypeError('The response has no body')
    this.#reader = body.getReader()
  }

  /** The text before the next empty line; `undefined` at the end of the stream. */
  async next(): Promise<string | undefined> {
    while (!this.#buffer.includes('\n\n')) {
      const { done, value } = await this.#reader.read()
      if (done) return undefined
      this.#buffer += new TextDecoder().decode(value)
    }
    const end = this.#buffer.indexOf('\n\n')
    const block = this.#buffer.slice(0, end)
    this.#buffer = this.#buffer.slice(end + 2)
    return block
  }

  /** The ids of the next events. */
  async ids(count: number): Promise<number[]> {
    const ids: number[] = []
    while (ids.length < count) {
      const id = /^id: (\d+)$/m.exec((await this.next()) ?? 'id: 0')?.[1]
      if (id !== undefined) ids.push(Number(id))
    }
    return ids
  }

  /** The fields of the next events, without their ids, and these. Fewer at the end of the stream. */
  async events(count: number): Promise<readonly ReadEvent[]> {
    const events: ReadEvent[] = []
    while (events.length < count) {
      const block = await this.next()
      if (block === undefined) return events
      const fields = Object.fromEntries(
        block.split('\n').map((line) => {
          const [name = '', ...value] = line.split(': ')
          return [name, value.join(': ')]
        }),
      )
      const { event, id = '', data } = fields
      if (data !== undefined) events.push({ event, id, data: JSON.parse(data) })
    }
    return events
  }

  cancel(): Promise<void> {
    return this.#reader.cancel()
  }
}

/** A server-sent event with JSON as its data. */
export interface ReadEvent {
  readonly event: string | undefined
  readonly id: string
  readonly data: unknown
}

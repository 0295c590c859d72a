/** The headers of one of Node's requests. */
interface Headers {
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
}

/** What the core reads and Node keeps the first of. */
const FIRST_KEPT: ReadonlySet<string> = new Set(['authorization', 'content-type'])

/** A header's value by its lower-case name. Joined, as the Fetch API has them, several keys are no key, and several types are none. */
export function headerOf({ headers, rawHeaders }: Headers, name: string): string | undefined {
  const sent = headers[name]
  const known = Array.isArray(sent) ? sent.join(', ') : sent
  if (known === undefined || !FIRST_KEPT.has(name)) return known
  let joined: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const rawName = rawHeaders[at] ?? ''
    if (rawName.length !== name.length || rawName.toLowerCase() !== name) continue
    joined = joined === undefined ? rawHeaders[at + 1] : `${joined}, ${rawHeaders[at + 1]}`
  }
  // Another handler may have set it.
  return joined ?? known
}

/** All headers as they were sent. The list holds on to nothing else of the request. */
export function headersOf({
  rawHeaders,
}: Headers): Iterable<readonly [name: string, value: string]> {
  const isSame = rawHeaders.length === latest.length
  if (!(isSame && rawHeaders.every((text, at) => text === latest[at]))) latest = rawHeaders
  return new HeaderList(latest)
}

/** The headers that came last: a client mostly sends the same ones, and the journal then holds them once. */
let latest: readonly string[] = []

/** Node's flat list, in pairs. */
class HeaderList implements Iterable<readonly [name: string, value: string]> {
  readonly #raw: readonly string[]

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  *[Symbol.iterator](): Generator<readonly [name: string, value: string], void> {
    const raw = this.#raw
    for (let at = 0; at < raw.length; at += 2) yield [raw[at] ?? '', raw[at + 1] ?? '']
  }
}

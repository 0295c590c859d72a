/** The headers of one of Node's requests. */
interface Headers {
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
}

/** Headers that the core reads, and of which Node keeps only the first when they are repeated. */
const FIRST_KEPT: ReadonlySet<string> = new Set(['authorization', 'content-type'])

/**
 * A header's value by its lower-case name, repeated ones joined as the Fetch API joins them: several keys are no valid key,
 * and several types no media type.
 */
export function joinedHeader({ headers, rawHeaders }: Headers, name: string): string | undefined {
  const sent = headers[name]
  const known = Array.isArray(sent) ? sent.join(', ') : sent
  if (known === undefined || !FIRST_KEPT.has(name)) return known
  let joined: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const rawName = rawHeaders[at] ?? ''
    if (rawName.length !== name.length || rawName.toLowerCase() !== name) continue
    joined = joined === undefined ? rawHeaders[at + 1] : `${joined}, ${rawHeaders[at + 1]}`
  }
  // Where it was not sent, another handler has set it.
  return joined ?? known
}

import type { CoreRequest } from '../http/message.ts'

/** What a request's `Prefer` header (RFC 7240) asks the sandbox for. */
export interface Preference {
  /** The status that the client would like, as `429`. */
  readonly code?: number
  /** The outcome that the client would like, as `banned`. */
  readonly outcome?: string
  /** Seconds for `Retry-After`, from 1 up. */
  readonly retryAfter?: number
}

const NAMES: ReadonlySet<string> = new Set(['code', 'outcome', 'retry-after'])

/** Text up to a comma outside of quotes. An unclosed quote reaches to the end of the text, so that none is read twice. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const NAME_AND_VALUE = /^\s*([\w-]+)\s*=\s*(?:"([\w-]+)"|([\w-]+))\s*$/

/** What a request prefers, if anything that the sandbox knows. Of repeated ones the first counts (RFC 7240, section 2). */
export function readPreference(request: CoreRequest): Preference | undefined {
  const header = request.header('prefer')
  if (header === undefined) return undefined
  const wishes = new Map<string, string>()
  for (const [element] of header.matchAll(ELEMENT)) {
    for (const [name, value] of wishesOf(element)) if (!wishes.has(name)) wishes.set(name, value)
  }
  const outcome = wishes.get('outcome')
  const code = wholeNumber(wishes.get('code'))
  const retryAfter = wholeNumber(wishes.get('retry-after'))
  if (outcome === undefined && code === undefined) return undefined

  return {
    ...(code !== undefined && { code }),
    ...(outcome !== undefined && { outcome }),
    ...(retryAfter !== undefined && { retryAfter }),
  }
}

/**
 * One preference as name and value; `code=429; retry-after=1` is taken for two. Those that the sandbox does not know are
 * none.
 */
function wishesOf(element: string): [name: string, value: string][] {
  const parts = element.split(';').map((part) => NAME_AND_VALUE.exec(part) ?? [])
  const wishes = parts.map(([, name = '', quoted, bare = '']): [string, string] => [
    name.toLowerCase(),
    quoted ?? bare,
  ])
  return NAMES.has(wishes[0]?.[0] ?? '') ? wishes.filter(([name]) => NAMES.has(name)) : []
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}

import type { CoreRequest } from '../http/message.ts'

/** The preferences in the `Prefer` header of a request (RFC 7240). */
export interface Preference {
  /** The preferred status, such as 429. */
  readonly code?: number
  /** The preferred outcome, such as `banned`. */
  readonly outcome?: string
  /** The seconds for `Retry-After`, ≥ 1. */
  readonly retryAfter?: number
}

const NAMES: ReadonlySet<string> = new Set(['code', 'outcome', 'retry-after', 'handling'])

/** Text up to a comma outside quotes. An unclosed quote extends to the end of the text, so that no text is read twice. */
const ELEMENT = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g
const NAME_AND_VALUE = /^\s*([\w-]+)\s*=\s*(?:"([\w-]+)"|([\w-]+))\s*$/

/** The preferences of a request that the sandbox supports. The first one of a repeated preference applies (RFC 7240, section 2). */
export function readPreference(request: CoreRequest): Preference | undefined {
  const preferences = preferencesOf(request)
  const outcome = preferences.get('outcome')
  const code = parseInteger(preferences.get('code'))
  const retryAfter = parseInteger(preferences.get('retry-after'))
  if (outcome === undefined && code === undefined) return undefined

  return {
    ...(code !== undefined && { code }),
    ...(outcome !== undefined && { outcome }),
    ...(retryAfter !== undefined && { retryAfter }),
  }
}

/** How strictly a client wants its request to be checked (RFC 7240, section 4.4). */
export type Handling = 'lenient' | 'strict'

export function readHandling(request: CoreRequest): Handling | undefined {
  const handling = preferencesOf(request).get('handling')
  return handling === 'lenient' || handling === 'strict' ? handling : undefined
}

function preferencesOf(request: CoreRequest): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  for (const [element] of (request.header('prefer') ?? '').matchAll(ELEMENT)) {
    for (const [name, value] of parseElement(element)) {
      if (!preferences.has(name)) preferences.set(name, value)
    }
  }
  return preferences
}

/**
 * The names and values in one element of the header. A parameter counts as a preference of its own, as in
 * `code=429; retry-after=1`. An unknown preference has none.
 */
function parseElement(element: string): [name: string, value: string][] {
  const parts = element.split(';').map((part) => NAME_AND_VALUE.exec(part) ?? [])
  const pairs = parts.map(([, name = '', quoted, bare = '']): [string, string] => [
    name.toLowerCase(),
    quoted ?? bare,
  ])
  return NAMES.has(pairs[0]?.[0] ?? '') ? pairs.filter(([name]) => NAMES.has(name)) : []
}

function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}

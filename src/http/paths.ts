import { digitsOf } from '../validation/large-integers.ts'
import { shortened, UsageError } from '../validation/usage-error.ts'

/** The request header that chooses a world when the path chooses none. Its value is percent-encoded, as in a path. */
export const WORLD_HEADER = 'X-Sandbox-World'

/** The start of the paths of named worlds. */
export const WORLDS_PATH = '/worlds/'

/** In lower case, as headers are read. */
const HEADER_KEY = WORLD_HEADER.toLowerCase()

/** The maximum length of a name, in Unicode code points. */
const MAX_NAME_LENGTH = 200

/** The world that a request chooses. */
interface WorldChoice {
  /** The name; absent when the request chooses no world, and goes to the sandbox's own. */
  readonly name?: string
  /** Why the name is not valid. The request must be refused. */
  readonly nameError?: UsageError
  /** The start of the path that chooses the world, as it was sent: `/worlds/a%20b`. Empty when the path chooses none. */
  readonly prefix: string
  /** The rest of the path. */
  readonly rest: string
}

/** Reads a header by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined

interface ChoiceOptions {
  /** Whether the path belongs to the API, which may have paths that start with `/worlds/`. */
  readonly isOwnPath?: boolean
}

/**
 * Finds the world that a request chooses: by its path (`/worlds/{name}/…`), else by its header, else none. This is the only
 * place that knows how a request names a world.
 */
export function chooseWorld(
  pathname: string,
  header?: ReadHeader,
  { isOwnPath = false }: ChoiceOptions = {},
): WorldChoice {
  if (pathname.startsWith(WORLDS_PATH) && !isOwnPath) {
    const end = pathname.indexOf('/', WORLDS_PATH.length)
    const prefix = end === -1 ? pathname : pathname.slice(0, end)
    const chosen = decodeName(prefix.slice(WORLDS_PATH.length), '')
    return { ...chosen, prefix, rest: pathname.slice(prefix.length) }
  }
  const sent = header?.(HEADER_KEY)
  const chosen = sent === undefined ? {} : decodeName(sent, ` in the header ${WORLD_HEADER}`, ',')
  return { ...chosen, prefix: '', rest: pathname }
}

/** The start of the paths of a world, such as `/worlds/a%20b`. */
export function worldPath(name: string): string {
  return WORLDS_PATH + encodeURIComponent(name)
}

/** The error of a value that cannot be the name of a world; `undefined` for a valid name. */
export function worldNameError(name: unknown, place = ''): UsageError | undefined {
  const fault = typeof name === 'string' ? faultOfText(name) : NOT_TEXT
  return fault && faultOf(name, place, fault)
}

/** The reason why a name is refused, and what to do. */
type Fault = readonly [reason: string, help: string]

const NOT_TEXT: Fault = ['it is not a string', 'Give a string of 1 to 200 characters.']

/** Decodes a percent-encoded name. A `separator` in it means that several names were sent. */
function decodeName(
  encoded: string,
  place: string,
  separator?: string,
): Pick<WorldChoice, 'name' | 'nameError'> {
  if (separator !== undefined && encoded.includes(separator)) {
    return {
      nameError: faultOf(encoded, place, ['it has a comma, as a list of names has', ENCODE]),
    }
  }
  const name = /^[ -~]*$/.test(encoded) ? decoded(encoded) : undefined
  if (name === undefined) {
    return { nameError: faultOf(encoded, place, ['it is not percent-encoded UTF-8', ENCODE]) }
  }
  const fault = worldNameError(name, place)

  return fault === undefined ? { name } : { nameError: fault }
}

const ENCODE = 'Send one name as encodeURIComponent(name) makes it.'

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function faultOfText(name: string): Fault | undefined {
  if (name === '') return ['it is empty', 'Give a string of 1 to 200 characters.']
  if (name === '.' || name === '..') {
    return [
      'URLs drop the segments "." and "..", so its requests would reach another world',
      'Choose another name.',
    ]
  }
  // A character has at most two code units. Counting the characters of a very long name would take long.
  if (name.length > 2 * MAX_NAME_LENGTH || [...name].length > MAX_NAME_LENGTH) {
    return [`it has more than ${MAX_NAME_LENGTH} characters`, 'Shorten it.']
  }
  if (/\p{Surrogate}/u.test(name)) {
    return ['it has half of a surrogate pair, which no URL can carry', 'Give whole characters.']
  }
  return undefined
}

function faultOf(name: unknown, place: string, [reason, help]: Fault): UsageError {
  const task = `use ${JSON.stringify(shortened(String(name)))}${place} as the name of a world`
  return new UsageError({ code: 'invalid_world', task, reason, help })
}

/** The path of the control interface, next to the API. Its OpenAPI document has the same path. */
export const CONTROL_PATH = '/__sandbox'

/** The request header with which the dashboard proves that it is the dashboard. */
export const PAGE_HEADER = 'x-sandbox-page'

/**
 * Masks a path below `/__sandbox` for the log: `/keys/sk_secret` becomes `/keys/…`. Without its operation, any segment after
 * the first may be an API key, also in the path of a world.
 */
export function maskedPath(path: string): string {
  const { prefix, rest } = chooseWorld(path)
  const [first = '', ...others] = rest.split('/').slice(1)
  const shown = rest === '' ? '' : `/${first}`

  return prefix + shown + (others.some((segment) => segment !== '') ? '/…' : '')
}

/** Half of a character, which JSON can contain and URLs cannot. */
const LONE_SURROGATE = /\p{Surrogate}/gu

/**
 * Encodes a part of a URL. Unlike `encodeURIComponent`, it throws for no text: half of a character becomes U+FFFD. Of an integer that
 * JavaScript does not hold exactly, it writes the digits.
 */
export function encodePart(text: string): string {
  return encodeURIComponent(digitsOf(text).replace(LONE_SURROGATE, '\uFFFD'))
}

import { cookieHeader } from '../http/headers.ts'
import type { OutgoingRequest } from './outgoing-request.ts'

/** A request that is written as a command. The media type of its body may be among the headers. */
interface CurlRequest extends Pick<OutgoingRequest, 'method' | 'url' | 'headers' | 'user'> {
  readonly cookies?: OutgoingRequest['cookies']
  readonly body?: { readonly text: string; readonly type?: string }
}

/** Writes a word of a command. */
type Quote = (text: string) => string

/** A curl command that can be pasted into a POSIX shell. */
export function curlCommand(request: CurlRequest, quote: Quote = shellQuoted): string {
  const { url } = request
  const words = ['curl -i', ...methodOption(request, quote), ...optionsOf(request, quote)]
  return [...words, quote(url)].join(' ')
}

/**
 * The same with a line for each header, for a request whose texts others wrote: no part of it can run a command, read a file, or be
 * obeyed by a terminal.
 */
export function longCurlCommand(request: CurlRequest): string {
  const { url, body, ...rest } = request
  const isPiped = body !== undefined && OBEYED.test(body.text)
  const words = [
    'curl -i',
    ...(isAltered(url) ? ['--path-as-is'] : []),
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...methodOption(request, quotedWord),
    quotedWord(url),
  ]
  const options = isPiped
    ? [...optionsOf({ url, ...rest }, quotedWord), '--data-binary @-']
    : optionsOf(request, quotedWord)
  const command = [words.join(' '), ...options].join(' \\\n  ')

  return isPiped ? `${printed(body.text)} | ${command}` : command
}

function methodOption({ method, body }: CurlRequest, quote: Quote): readonly string[] {
  if (method === 'GET' && !body) return []
  if (method === 'HEAD') return ['-I']
  // A method of OpenAPI 3.2 may have characters that a shell interprets, such as `.
  return [`-X ${/^[A-Z]+$/.test(method) ? method : quote(method)}`]
}

/** The user, the headers, the cookies and the body. */
function optionsOf(
  { headers, user, cookies = [], body }: CurlRequest,
  quote: Quote,
): readonly string[] {
  const all = body?.type === undefined ? headers : [...headers, ['Content-Type', body.type]]
  return [
    ...(user === undefined ? [] : [`-u ${quote(user)}`]),
    // Without a colon and a value, curl would leave out the header.
    ...all.map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...(cookies.length > 0 ? [`-b ${quote(cookieHeader(cookies))}`] : []),
    ...(body ? [`--data-raw ${quote(body.text)}`] : []),
  ]
}

/** Whether clients alter the path of a URL. They resolve dot segments, and leave out what follows a hash sign. */
export function isAltered(url: string): boolean {
  if (!URL.canParse(url)) return true
  const [, path = ''] = /^\w+:\/\/[^/?#]*([^?]*)/.exec(url) ?? []
  return escaped(new URL(url).pathname) !== escaped(path || '/')
}

/** A path whose characters are escaped, as far as they can be. Escaping it again changes nothing. */
function escaped(path: string): string {
  return encodeURI(path.replace(/\p{Surrogate}/gu, '\uFFFD')).replaceAll('%25', '%')
}

/** Characters that a terminal obeys when a command is pasted, such as the end of the input. Ends of lines are safe in quotes. */
const OBEYED = /[^\P{Control}\n]/u
/** What `printf` or the shell would interpret in a format. */
const INTERPRETED = /^-|[!\p{Control}]/gu

/** Text in single quotes, in which a POSIX shell changes nothing. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** A word of a POSIX shell that contains no character that a terminal obeys. */
export function quotedWord(text: string): string {
  if (/^[\w./:=-]+$/.test(text)) return text
  return OBEYED.test(text) ? `"$(${printed(text)})"` : shellQuoted(text)
}

/** The command that prints a text, without a character that a terminal obeys. */
function printed(text: string): string {
  const format = text
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replace(INTERPRETED, (character) => octal(character))
  return `printf ${shellQuoted(format)}`
}

function octal(character: string): string {
  const bytes = new TextEncoder().encode(character)
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

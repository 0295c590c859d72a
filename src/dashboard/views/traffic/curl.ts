import { isAltered } from '../../sandbox/request-address.ts'
import type { Replay } from './replay.ts'

/** Characters that a terminal obeys when a command is pasted, such as the end of the input. Ends of lines are safe in quotes. */
const OBEYED = /[^\P{Control}\n]/u
/** What `printf` or the shell would interpret in a format. */
const INTERPRETED = /^-|[!\p{Control}]/gu

/** The command of a POSIX shell that sends the request. No part of the request can run a command or read a file. */
export function toCurl({ url, method, headers, body }: Replay): string {
  const isPiped = body !== undefined && OBEYED.test(body)
  const options = [
    'curl -i',
    ...(isAltered(url) ? ['--path-as-is'] : []),
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    ...(method === 'GET' ? [] : ['-X', quote(method)]),
    quote(url),
  ]
  const lines = [
    options.join(' '),
    ...headers.map(
      ([name, value]) => `  -H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`,
    ),
    ...(body === undefined ? [] : [isPiped ? '  --data-binary @-' : `  --data-raw ${quote(body)}`]),
  ]
  const command = lines.join(' \\\n')

  return isPiped ? `${printed(body)} | ${command}` : command
}

/** A word of a POSIX shell. */
function quote(text: string): string {
  if (/^[\w./:=-]+$/.test(text)) return text
  return OBEYED.test(text) ? `"$(${printed(text)})"` : `'${escapeQuotes(text)}'`
}

/** The command that prints a text, without a character that a terminal obeys. */
function printed(text: string): string {
  const format = text
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replace(INTERPRETED, (character) => octal(character))
  return `printf '${escapeQuotes(format)}'`
}

function octal(character: string): string {
  const bytes = new TextEncoder().encode(character)
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

function escapeQuotes(text: string): string {
  return text.replaceAll("'", "'\\''")
}

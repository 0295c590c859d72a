import type { LoadedDocument } from '../../document/load-document.ts'
import { shellQuoted } from '../../requests/curl.ts'
import { count } from '../../validation/usage-error.ts'
import type { ServeSettings } from '../settings.ts'
import { shellWord } from '../shell.ts'

/** The settings that say how a document is read. */
type DocumentSettings = Pick<ServeSettings, 'headers' | 'overlay' | 'remoteRefs' | 'outsideRefs'>

/**
 * The command that lists the mistakes of a document. `file` is the name of the document without credentials. The values of
 * headers are not in the command, because they may be secret.
 */
export function diagnosticsCommand(
  file: string,
  { headers = {}, overlay = [], remoteRefs = false, outsideRefs = false }: DocumentSettings,
): string {
  return [
    'pet-sandbox explain',
    // A name that begins with a dash would be read as an option.
    shellWord(/^-./.test(file) ? `./${file}` : file),
    ...Object.keys(headers).map((name) => `-H ${shellQuoted(`${name}: …`)}`),
    ...overlay.map((file) => `--overlay ${shellWord(file)}`),
    ...(remoteRefs ? ['--allow-remote-refs'] : []),
    ...(outsideRefs ? ['--allow-outside-refs'] : []),
    '--diagnostics',
  ].join(' ')
}

/** The mistakes of a served document that are known until now. */
export interface KnownMistakes {
  readonly count: number
  /** The command that lists all mistakes. */
  readonly command: string
}

/** The known mistakes of a document; `undefined` when there are none. */
export function knownMistakes(
  { name, diagnostics: { count } }: LoadedDocument,
  settings: DocumentSettings,
): KnownMistakes | undefined {
  return count === 0 ? undefined : { count, command: diagnosticsCommand(name, settings) }
}

/** `12 mistakes in the document. List them: pet-sandbox explain books.yaml --diagnostics` */
export function describeMistakes({ count: number, command }: KnownMistakes): string {
  const [mistakes, them] = [count(number, 'mistake'), number === 1 ? 'it' : 'them']

  return `${mistakes} in the document. List ${them}: ${command}`
}

import type { Pointer } from './json-pointer.ts'
import { lineAndColumn, lineStarts } from './line-and-column.ts'
import { type AliasHelp, parseDocumentText, WITH_REFS } from './parse-document-text.ts'
import { findOffsets, type Part, type Wanted } from './positions.ts'

export { WITHOUT_REFS } from './parse-document-text.ts'

/** A parsed YAML or JSON file that can find the location of each of its values. */
export interface Source {
  /** The name of the file as the developer typed it. */
  readonly name: string
  readonly url: URL
  readonly value: unknown
  readonly text: string
  /**
   * `file:line:column` of each value or of its key; of the nearest ancestor when the value does not exist. Each call reads the
   * whole text again, because positions are rarely needed.
   */
  locateAll(wanted: readonly Wanted[]): readonly string[]
  /** The location of one value. */
  locate(pointer: Pointer, part?: Part): string
}

/** Parses a file. Its value is `null` when the file is empty. Throws `Mistakes` when it is not YAML or JSON. */
export function parseSource(
  name: string,
  url: URL,
  text: string,
  help: AliasHelp = WITH_REFS,
): Source {
  return createSource(name, url, parseDocumentText(name, text, help), text)
}

/** A source whose value stands in for that of its text, as after a conversion. Its locations are those in the text. */
export function createSource(name: string, url: URL, value: unknown, text: string): Source {
  const locateAll: Source['locateAll'] = (wanted) => {
    const lines = lineStarts(text)
    return findOffsets(text, wanted).map((offset) => `${name}:${lineAndColumn(lines, offset)}`)
  }

  return {
    name,
    url,
    value,
    text,
    locateAll,
    locate: (pointer, part) => locateAll([{ pointer, part }])[0] ?? name,
  }
}

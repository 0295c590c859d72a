import type { Source } from '../source.ts'
import { lineAndColumn, lineStarts } from './line-and-column.ts'
import { type AliasHelp, parseDocumentText, WITH_REFS } from './parse-document-text.ts'
import { findOffsets } from './positions.ts'

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
function createSource(name: string, url: URL, value: unknown, text: string): Source {
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

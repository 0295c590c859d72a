import { throwMistakes } from './mistake.ts'
import type { Source } from './source.ts'
import { findDuplicateKeys } from './text/duplicate-keys.ts'
import { WITHOUT_REFS } from './text/parse-document-text.ts'
import { parseSource } from './text/parse-source.ts'

/** Parses a file of settings. Unlike in a document, a duplicate key is a mistake that it must not have. Throws `Mistakes`. */
export function parseSettings(name: string, url: URL, text: string): Source {
  const source = parseSource(name, url, text, WITHOUT_REFS)
  throwMistakes(findDuplicateKeys(source).map(({ assumed: _, ...mistake }) => mistake))

  return source
}

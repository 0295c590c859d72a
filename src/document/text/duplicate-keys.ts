import type { Mistake } from '../mistake.ts'
import type { Source } from '../source.ts'
import { lineAndColumn, lineStarts } from './line-and-column.ts'
import { readText } from './read-text.ts'

/** Finds keys that an object has twice. Parsing keeps only the value of the last one. Reads the whole text again. */
export function findDuplicateKeys({ name, text }: Source): readonly Mistake[] {
  const mistakes: Mistake[] = []
  const open: Set<string>[] = []
  const lines = lineStarts(text)

  readText(text, {
    open: () => {
      open.push(new Set())
    },
    close: () => {
      open.pop()
    },
    value: () => undefined,
    key: (key, offset) => {
      const keys = open.at(-1)
      // Several `<<` merge several mappings.
      if (keys?.has(key) && key !== '<<') {
        mistakes.push({
          reason: `the key "${key}" is duplicated`,
          location: `${name}:${lineAndColumn(lines, offset)}`,
          assumed: 'the last one counts',
          help: 'Remove one of the two keys.',
        })
      }
      keys?.add(key)
    },
  })

  return mistakes
}

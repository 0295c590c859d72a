import type { ContentWriter } from './content-writer.ts'

/** Values as lines of JSON (NDJSON, JSON Lines). */
export const linesWriter: ContentWriter = {
  takesText: true,
  isSequence: true,
  write: (value) => ({
    body: [value]
      .flat()
      .map((item) => `${JSON.stringify(item)}\n`)
      .join(''),
  }),
}

/** Values as JSON text sequences (RFC 7464). */
export const sequenceWriter: ContentWriter = {
  takesText: true,
  isSequence: true,
  write: (value) => ({
    body: [value]
      .flat()
      .map((item) => `\u001e${JSON.stringify(item)}\n`)
      .join(''),
  }),
}

import type { ContentWriter } from './content-writer.ts'

/** How content of each media type is written. The first entry that fits counts. */
const WRITERS: readonly (readonly [mediaType: RegExp, load: () => Promise<ContentWriter>])[] = [
  [/[/+]json$/, async () => (await import('./write-json.ts')).jsonWriter],
  [/./, async () => (await import('./write-text.ts')).textWriter],
]

/** The writer of a media type, which is in lower case and without parameters. It is loaded when it is first needed. */
export function loadWriter(mediaType: string): Promise<ContentWriter> {
  const [, load] = WRITERS.find(([pattern]) => pattern.test(mediaType)) ?? []
  if (!load) throw new Error(`No writer fits ${mediaType}`)

  return load()
}

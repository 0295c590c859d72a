import { asUsageError, type Mistake, Mistakes } from './mistake.ts'
import { copyDocument, MAX_VALUES, TooManyValuesError } from './references/copy-document.ts'
import type { Source } from './source.ts'
import type { LoadOptions } from './sources/load-options.ts'
import { readRoot } from './sources/read-source.ts'
import { isSwagger2 } from './swagger/swagger.ts'

/** A document that is ready for its `$ref`s to be resolved, and what is wrong with it so far. */
export interface ReadDocument {
  readonly source: Source
  readonly mistakes: readonly Mistake[]
}

/** Reads the document that the developer named, applies the overlays, and converts Swagger 2.0 to OpenAPI 3.0. */
export async function readDocument(file: string, options: LoadOptions): Promise<ReadDocument> {
  const root = await readRoot(file, options)
  try {
    const overlaid = await withOverlays(root, options)
    if (!isSwagger2(overlaid.source.value)) return overlaid
    // Loads the converter only for a Swagger document.
    const { convertSource } = await import('./swagger/convert-source.ts')
    const { readFiles } = await import('./swagger/read-files.ts')
    const single = await readFiles(overlaid.source, options)
    const { source, mistakes } = await convertSource(single)

    return { source, mistakes: [...overlaid.mistakes, ...mistakes] }
  } catch (error) {
    if (!(error instanceof TooManyValuesError)) throw error
    const reason = `it contains more than ${MAX_VALUES.toLocaleString('en')} values`
    const help = 'Use $ref instead of *aliases.'
    throw new Mistakes([{ reason, location: root.locate([]), help }])
  }
}

/** Values that overlays add are located at the nearest value that the document has. */
async function withOverlays(
  source: Source,
  { overlays: files = [], onRead }: LoadOptions,
): Promise<ReadDocument> {
  if (files.length === 0) return { source, mistakes: [] }
  // Loads the JSONPath parser only for overlays.
  const { applyOverlay } = await import('./overlay/apply-overlay.ts')
  const { parseOverlay } = await import('./overlay/parse-overlay.ts')
  const { createPathCompiler } = await import('./overlay/path-compiler.ts')
  const paths = createPathCompiler()
  const mistakes: Mistake[] = []
  let value = copyDocument(source.value)

  for (const file of files) {
    try {
      const applied = applyOverlay(
        value,
        parseOverlay(await readRoot(file, { ...(onRead && { onRead }) }), paths.compile),
        paths,
      )
      value = applied.document
      mistakes.push(...applied.mistakes)
    } catch (error) {
      throw error instanceof Mistakes ? asUsageError(file, error, 'invalid_overlay') : error
    }
  }

  return { source: { ...source, value }, mistakes }
}

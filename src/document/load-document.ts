import { readBasePath, withBasePath } from '../contract/base-paths.ts'
import type { Contract, MissingRecords, MissingResponse } from '../contract/contract.ts'
import type { OperationDocumentation } from '../contract/documentation.ts'
import { bundleFiles } from './bundle-files.ts'
import { checkDocument } from './checks/check-document.ts'
import { validateOperations } from './checks/validate-operations.ts'
import { validateVersion } from './checks/validate-version.ts'
import { compileContract } from './compile-contract.ts'
import type { Diagnostic, OperationDiagnostics } from './diagnostic.ts'
import { type Diagnostics, DiagnosticsCollector } from './diagnostics.ts'
import { recordsMistake, responseMistake } from './generation-mistakes.ts'
import { hintsOverlay } from './hints/hints-overlay.ts'
import { validateGivenHints } from './hints/read-hints.ts'
import { resourceMistakes } from './hints/resource-mistakes.ts'
import { setMistakes } from './hints/value-mistakes.ts'
import { copyDocument, MAX_VALUES, TooManyValuesError } from './json-value.ts'
import type { LoadOptions } from './load-options.ts'
import { asUsageError, type Mistake, Mistakes, throwDiagnostics } from './mistake.ts'
import { createOperationDiagnostics } from './operation-diagnostics.ts'
import { documentationOf } from './operation-documentation.ts'
import { findDuplicateKeys } from './positions.ts'
import { readRoot, splitCredentials } from './read-source.ts'
import type { SchemaMistake } from './schemas/schema-mistake.ts'
import { validateSecurity } from './security.ts'
import type { Source } from './source.ts'
import { isSwagger2 } from './swagger/prepare-swagger.ts'

export type { Diagnostic }

/** A document that is ready to be served. */
export interface LoadedDocument {
  /** The name of the document: a file, or a URL without credentials. */
  readonly name: string
  readonly contract: Contract
  /** The document in one piece, with overlays applied, in the OpenAPI version that is served. */
  document(): Promise<Readonly<Record<string, unknown>>>
  /** The mistakes that are known. Those inside schemas are found when the schemas are used for the first time. */
  readonly diagnostics: Diagnostics
  /** What was inferred about the records of the document, as an OpenAPI Overlay in YAML that can be corrected. */
  hints(): string
  /** All mistakes of the document, those that OpenAPI's own schema finds included. Checks every schema and example. */
  check(): Promise<readonly Diagnostic[]>
  /**
   * The same mistakes by the ids of the operations that they concern. They are not added to `diagnostics`, so that nobody is told who
   * has not asked.
   */
  operationDiagnostics(): Promise<OperationDiagnostics>
  /** What the document says about the operation with this id; `undefined` when it has none. */
  documentation(operation: string): Promise<OperationDocumentation | undefined>
}

/**
 * Loads a document as `loadContract` does, and returns what is wrong with it, too. `onServing` gets the mistakes because of which
 * first records or responses cannot be generated.
 */
export async function loadDocument(
  named: string,
  given: LoadOptions = {},
  onServing: (mistake: Mistake) => void = () => undefined,
): Promise<LoadedDocument> {
  const { file, options } = splitCredentials(named, given)
  const basePath = given.basePath === undefined ? undefined : readBasePath(given.basePath)
  try {
    const { source: root, mistakes: lost } = await readDocument(file, options)
    const version = [...validateVersion(root), ...lost]
    const { document, mistakes } = await bundleFiles(root, options)
    const diagnostics = new DiagnosticsCollector(document)
    diagnostics.add(
      ...version,
      ...mistakes,
      ...validateGivenHints(document),
      ...validateSecurity(document),
      ...validateOperations(document),
    )
    const findMistakes = async (): Promise<readonly (Mistake | SchemaMistake)[]> => [
      ...document.sources.flatMap(findDuplicateKeys),
      ...(await checkDocument(document)),
    ]
    let isChecked = false
    const check = async (): Promise<readonly Diagnostic[]> => {
      // Finds all mistakes of schemas, also those that were found when a schema was used.
      diagnostics.add(...(await findMistakes()))
      isChecked = true
      return diagnostics.list()
    }
    if (options.strict) throwDiagnostics(file, await check())
    const report = (mistake: Mistake): void => {
      diagnostics.add(mistake)
      onServing(mistake)
    }
    const onSchema = (mistake: SchemaMistake): void => {
      if (!isChecked) diagnostics.add(mistake)
    }
    const reports = {
      onRecordsMissing: (missing: MissingRecords) => report(recordsMistake(document, missing)),
      onResponseMissing: (missing: MissingResponse) => report(responseMistake(document, missing)),
    }
    const compiled = compileContract(document, onSchema, reports, options)
    diagnostics.add(...resourceMistakes(document, compiled), ...setMistakes(document, compiled))
    const contract = basePath === undefined ? compiled : withBasePath(compiled, basePath)

    return {
      name: file,
      contract,
      document: async () => document.root,
      diagnostics,
      hints: () => hintsOverlay(compiled, document),
      check: () => (isChecked ? Promise.resolve(diagnostics.list()) : check()),
      operationDiagnostics: createOperationDiagnostics(document, diagnostics, findMistakes),
      documentation: async (operation) => documentationOf(document, operation),
    }
  } catch (error) {
    throw error instanceof Mistakes ? asUsageError(file, error) : error
  }
}

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
    const { convertSource } = await import('./swagger/convert-swagger.ts')
    const { readFiles } = await import('./swagger/internalize-files.ts')
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
  const { applyOverlay, createPathCompiler, parseOverlay } = await import('./overlay.ts')
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

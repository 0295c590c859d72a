import { readBasePath, withBasePath } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import type { MissingRecords } from '../contract/missing-records.ts'
import type { MissingResponse } from '../contract/missing-response.ts'
import { checkDocument } from './checks/check-document.ts'
import { validateOperations } from './checks/validate-operations.ts'
import { validateSecurity } from './checks/validate-security.ts'
import { compileContract } from './compile/compile-contract.ts'
import type { Diagnostic, OperationDiagnostics } from './diagnostic.ts'
import { type Diagnostics, DiagnosticsCollector } from './diagnostics.ts'
import type { Document } from './document.ts'
import { hintsOverlay } from './hints/hints-overlay.ts'
import { validateGivenHints } from './hints.ts'
import { locateProperty } from './locate-property.ts'
import { locateResponse } from './locate-response.ts'
import { asUsageError, type Mistake, Mistakes, throwDiagnostics } from './mistake.ts'
import { createOperationDiagnostics } from './operation-diagnostics.ts'
import { readDocument } from './read-document.ts'
import { bundleFiles } from './references/bundle-files.ts'
import type { SchemaMistake } from './schemas/schema-mistake.ts'
import type { LoadOptions } from './sources/load-options.ts'
import { splitCredentials } from './sources/split-credentials.ts'
import { findDuplicateKeys } from './text/duplicate-keys.ts'
import { validateVersion } from './validate-version.ts'

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
    const diagnostics = new DiagnosticsCollector()
    diagnostics.setDocument(document)
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
    const contract = basePath === undefined ? compiled : withBasePath(compiled, basePath)

    return {
      name: file,
      contract,
      document: async () => document.root,
      diagnostics,
      hints: () => hintsOverlay(compiled, document),
      check: () => (isChecked ? Promise.resolve(diagnostics.list()) : check()),
      operationDiagnostics: createOperationDiagnostics(document, diagnostics, findMistakes),
    }
  } catch (error) {
    throw error instanceof Mistakes ? asUsageError(file, error) : error
  }
}

function recordsMistake(
  document: Document,
  { path, property, reason, count }: MissingRecords,
): Mistake {
  return {
    reason: `records of ${path} cannot be generated: ${reason}`,
    location: locateProperty(document, path, property),
    assumed: count === 0 ? 'the collection starts empty' : `the collection starts with ${count}`,
    help: 'Correct the schema, or give the property an x-faker hint.',
  }
}

function responseMistake(document: Document, missing: MissingResponse): Mistake {
  const { operation, status, mediaType, reason } = missing
  return {
    reason: `no value matches the schema of the ${status} response of ${operation} in ${mediaType}: ${reason}`,
    location: locateResponse(document, missing),
    assumed: 'the response has no valid body',
    help: 'Correct the schema, or add an example that matches it.',
  }
}

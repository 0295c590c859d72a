import { withBasePath } from '../contract/base-paths.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import type { LoadOptions } from '../document/load-options.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { UsageError } from '../validation/usage-error.ts'

/**
 * A document with its contract and its mistakes, or the shipped one, which has none. Loads the parser and Ajv only for a document.
 */
export async function openDocument(
  openapi: string | undefined,
  options: LoadOptions,
): Promise<LoadedDocument> {
  if (openapi === undefined) {
    refuseOverlays(options)
    const { basePath } = options
    const contract =
      basePath === undefined ? shippedContract : withBasePath(shippedContract, basePath)
    return {
      name: 'openapi.yaml',
      contract,
      document: shippedDocument,
      diagnostics: NO_DIAGNOSTICS,
      hints: refuseHints,
      check: async () => [],
      operationDiagnostics: async () => new Map(),
      documentation: async (operation) => {
        const { documentationOf } = await import('../document/operation-documentation.ts')
        return documentationOf({ root: await shippedDocument(), sources: [] }, operation)
      },
    }
  }
  refuseStoreAddress(openapi)
  const { loadDocument } = await import('../document/load-document.ts')

  return loadDocument(openapi, options)
}

/** Loaded when it is shown, because serving does not need it. */
async function shippedDocument(): Promise<Readonly<Record<string, unknown>>> {
  const { document } = await import('../generated/document.ts')
  return JSON.parse(document)
}

const NO_DIAGNOSTICS: LoadedDocument['diagnostics'] = {
  count: 0,
  list: () => [],
  onFound: () => undefined,
}

/** The shipped contract is compiled, so its document is not read. */
function refuseHints(): never {
  throw new UsageError({
    code: 'invalid_overlay',
    task: 'print hints',
    reason: 'they need a document that they are for',
    help: 'Name the OpenAPI document, for example pet-sandbox explain api.yaml --hints.',
  })
}

/** The shipped contract is compiled, so an overlay cannot change it. */
function refuseOverlays({ overlays = [] }: LoadOptions): void {
  if (overlays.length === 0) return
  throw new UsageError({
    code: 'invalid_overlay',
    task: `apply ${overlays.join(', ')}`,
    reason: 'an overlay needs a document that it changes',
    help: 'Name the OpenAPI document as well, for example api.yaml --overlay hints.yaml.',
  })
}

/** Throws a UsageError for the address of a store in place of a document. It does not quote it, because of the password. */
function refuseStoreAddress(document: string): void {
  if (!/^rediss?(?:\+\w+)?:/i.test(document)) return
  throw new UsageError({
    code: 'invalid_store',
    task: 'load the document',
    reason: 'it is the address of a store',
    help: 'Give it with --store, or in PET_SANDBOX_STORE.',
  })
}

import { withBasePath } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import type { LoadedDocument } from '../document/load-document.ts'
import type { LoadOptions } from '../document/sources/read-source.ts'
import { contract as shippedContract } from '../generated/contract.ts'
import { UsageError } from '../validation/usage-error.ts'

/** The shipped contract, or the contract of a document. Loads the parser and Ajv only for a document. */
export async function openContract(
  openapi: string | undefined,
  options: LoadOptions,
): Promise<Contract> {
  const { contract } = await openDocument(openapi, options)
  return contract
}

/** The same with the mistakes of the document. The shipped document has none. */
export async function openDocument(
  openapi: string | undefined,
  options: LoadOptions,
): Promise<LoadedDocument> {
  if (openapi === undefined) {
    refuseOverlays(options)
    const { basePath } = options
    const contract =
      basePath === undefined ? shippedContract : withBasePath(shippedContract, basePath)
    return { name: 'openapi.yaml', contract, diagnostics: NO_DIAGNOSTICS, check: async () => [] }
  }
  const { loadDocument } = await import('../document/load-document.ts')

  return loadDocument(openapi, options)
}

const NO_DIAGNOSTICS: LoadedDocument['diagnostics'] = {
  count: 0,
  list: () => [],
  onFound: () => undefined,
}

/** The shipped contract is compiled, so an overlay cannot change it. */
function refuseOverlays({ overlays = [] }: LoadOptions): void {
  if (overlays.length === 0) return
  throw new UsageError({
    code: 'invalid_overlay',
    task: `apply ${overlays.join(', ')}`,
    reason: 'an overlay needs a document that it changes',
    help: 'Name the OpenAPI document, for example pet-sandbox api.yaml --overlay hints.yaml.',
  })
}

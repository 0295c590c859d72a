import type { Contract } from '../contract/contract.ts'
import { loadDocument } from './load-document.ts'
import type { LoadOptions } from './load-options.ts'
import { type Mistake, toDiagnostics } from './mistake.ts'

export type { LoadOptions }

/**
 * Loads an OpenAPI document (3.0, 3.1, 3.2, or Swagger 2.0) in YAML or JSON, with the files of its folder that it refers to.
 * `named` is a file, an http or https URL, or `-` for standard input. Mistakes of the document do not prevent this, unless
 * `strict` is `true`. Throws a `UsageError` for a file that cannot be read, or is no OpenAPI document.
 */
export async function loadContract(named: string, options: LoadOptions = {}): Promise<Contract> {
  const { contract } = await loadDocument(named, options, warn)
  return contract
}

/** Without records, tests fail for no visible reason. */
function warn(mistake: Mistake): void {
  for (const { location, reason, assumed, help } of toDiagnostics([mistake])) {
    const line = `pet-sandbox: ${location}: ${reason}; ${assumed}. ${help}`
    // Names of the document may contain escape sequences.
    // biome-ignore lint/suspicious/noConsole: A program that loads a document has no other place for warnings.
    console.warn(line.replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd'))
  }
}

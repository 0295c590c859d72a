import { readBasePath, withBasePath } from '../contract/base-paths.ts'
import type { Contract } from '../contract/contract.ts'
import { bundleFiles } from './bundle-files.ts'
import { compileContract } from './compile-contract.ts'
import { validateServiceHints } from './hints.ts'
import { findInfiniteRecursion } from './infinite-recursion.ts'
import { asUsageError, Mistakes, throwMistakes } from './mistake.ts'
import { readDocument } from './read-document.ts'
import { type LoadOptions, splitCredentials } from './read-source.ts'
import { validateOperations } from './validate-operations.ts'
import { validateSchemas } from './validate-schemas.ts'
import { validateStructure } from './validate-structure.ts'
import { validateVersion } from './validate-version.ts'

export type { LoadOptions }

/**
 * Loads an OpenAPI 3.0 or 3.1 document, or a Swagger 2.0 document, in YAML or JSON, with the files of its folder that it
 * refers to. `named` is a file, an http or https URL, or `-` for standard input. Throws a `UsageError` that lists the mistakes
 * of the document, each with its location (file:line:column) and what to do.
 */
export async function loadContract(named: string, given: LoadOptions = {}): Promise<Contract> {
  const { file, options } = splitCredentials(named, given)
  const basePath = given.basePath === undefined ? undefined : readBasePath(given.basePath)
  try {
    const { source: root } = await readDocument(file, options)
    validateVersion(root)
    const document = await bundleFiles(root, options)
    await validateStructure(document)
    throwMistakes([
      ...validateServiceHints(document),
      ...validateOperations(document),
      ...validateSchemas(document),
      ...findInfiniteRecursion(document),
    ])

    const contract = compileContract(document)
    return basePath === undefined ? contract : withBasePath(contract, basePath)
  } catch (error) {
    throw error instanceof Mistakes ? asUsageError(file, error) : error
  }
}

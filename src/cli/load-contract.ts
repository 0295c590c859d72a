import type { Contract } from '../contract/contract.ts'
import { compile } from './document/compile.ts'
import { join } from './document/join.ts'
import { lintOperations } from './document/lint-operations.ts'
import { lintSchemas } from './document/lint-schemas.ts'
import { asUsageError, Mistakes, refuse } from './document/mistake.ts'
import { type LoadOptions, readRoot } from './document/read-source.ts'
import { validate } from './document/validate.ts'
import { checkVersion } from './document/version.ts'

export type { LoadOptions }

/**
 * Reads an OpenAPI document, 3.0 or 3.1, YAML or JSON, with the files of its folder that it refers
 * to. Throws a `UsageError` that says where each mistake stands (file:line:column) and what to do
 * about it.
 */
export async function loadContract(file: string, options: LoadOptions = {}): Promise<Contract> {
  try {
    const root = await readRoot(file)
    checkVersion(root)
    const document = await join(root, options)
    await validate(document)
    refuse([...lintOperations(document), ...lintSchemas(document)])

    return compile(document)
  } catch (error) {
    throw error instanceof Mistakes ? asUsageError(file, error) : error
  }
}

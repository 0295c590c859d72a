import type { Contract } from '../contract/contract.ts'
import { compile } from './compile.ts'
import { join } from './join.ts'
import { lintOperations } from './lint-operations.ts'
import { lintSchemas } from './lint-schemas.ts'
import { asUsageError, Mistakes, refuse } from './mistake.ts'
import { type LoadOptions, readRoot } from './read-source.ts'
import { validate } from './validate.ts'
import { checkVersion } from './version.ts'

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

import type { Contract } from '../contract/contract.ts'
import { compile } from './compile.ts'
import { joinFiles } from './join.ts'
import { lint } from './lint.ts'
import { asUsageError, Mistakes, refuse } from './mistake.ts'
import { type LoadOptions, readRoot } from './read-source.ts'
import { checkVersion, validate } from './validate.ts'

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
    const document = await joinFiles(root, options)
    await validate(document)
    refuse(lint(document))

    return compile(document)
  } catch (error) {
    throw error instanceof Mistakes ? asUsageError(file, error) : error
  }
}

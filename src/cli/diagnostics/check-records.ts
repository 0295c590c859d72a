import type { LoadedDocument } from '../../document/load-document.ts'
import type { Diagnostic } from '../../document/mistake.ts'
import { bind } from '../../resources/bind.ts'
import { createSandbox } from '../../sandbox/sandbox.ts'

/** How long the generation of first records may take, in milliseconds. */
const TIME_LIMIT = 5000

/**
 * All mistakes of a document, and the collections whose first records cannot be generated. Generates the records of each collection
 * once, as a sandbox does when they are first needed.
 */
export async function checkWithRecords(document: LoadedDocument): Promise<readonly Diagnostic[]> {
  const { contract, name, diagnostics } = document
  await document.check()
  const sandbox = createSandbox({ contract })
  const resources = bind(contract).flatMap((one) => ('resource' in one ? [one.resource.name] : []))
  const end = Date.now() + TIME_LIMIT
  for (const resource of new Set(resources)) {
    if (Date.now() > end) return [...diagnostics.list(), unchecked(name)]
    await sandbox.collection(resource).count()
  }

  return diagnostics.list()
}

function unchecked(location: string): Diagnostic {
  return {
    reason: 'the first records of some collections were not checked, because there are too many',
    location,
    assumed: 'they can be generated',
    help: 'Check a smaller document.',
    isUnchecked: true,
  }
}

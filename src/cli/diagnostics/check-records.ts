import type { Diagnostic } from '../../document/diagnostic.ts'
import type { LoadedDocument } from '../../document/load-document.ts'
import { resourcesIn } from '../../resources/bind.ts'
import { collectionName, findCollection } from '../../resources/collection-name.ts'
import type { Resource } from '../../resources/resource.ts'
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
  const end = Date.now() + TIME_LIMIT
  const resources = resourcesIn(contract)
  for (const resource of resources) {
    if (Date.now() > end) return [...diagnostics.list(), unchecked(name)]
    const collection = someCollection(resource)
    // Of two parameters in one segment, such as /items(a={a},b={b}), it is not known where one ends.
    if (findCollection(resources, collection)) await sandbox.collection(collection).count()
  }

  return diagnostics.list()
}

/** The collection of a resource; of one with parents, that below the parents with the id 1. */
function someCollection(resource: Resource): string {
  const parameters = (resource.parents ?? []).map((name) => [name, '1'] as const)
  const name = collectionName(resource, Object.fromEntries(parameters))

  return parameters.length > 0 ? `/${name}` : name
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

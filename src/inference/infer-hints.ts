import type { Operation } from '../contract/contract.ts'
import type { Inference } from './apply-hints.ts'
import { type Group, groupOperations, namesOf } from './groups.ts'
import { inferOperation, type KnownResources } from './infer-operation.ts'
import { type InferredResource, inferResource } from './infer-resource.ts'

/** Infers what operations do to records, by their methods, paths and schemas. */
export function inferHints(operations: readonly Operation[]): Inference {
  const groups = groupOperations(operations)
  const names = namesOf([...groups.keys()])
  const paths = new Map([...names].map(([path, name]) => [name, path]))
  const found = new Map<string, InferredResource | undefined>()
  const known: KnownResources = {
    group: (path) => groups.get(path),
    resource: (path) => {
      const group = groups.get(path)
      if (!group) return undefined
      if (!found.has(path)) found.set(path, resourceIn(group, names))
      return found.get(path)
    },
  }

  return {
    of: (operation) => inferOperation(operation, known),
    names: [...paths.keys()],
    resource: (name) => known.resource(paths.get(name) ?? '')?.hints,
  }
}

function resourceIn(
  group: Group,
  names: ReadonlyMap<string, string>,
): InferredResource | undefined {
  return inferResource(group, names.get(group.path) ?? group.path)
}

import { MemoryTable } from '../records/memory-table.ts'
import type { PathValues } from './collection-name.ts'
import { createIdGenerator, type IdGenerator } from './id-generator.ts'
import { Records } from './records.ts'
import type { Resource } from './resource.ts'

/** Creates the first records of a collection. `parameters` are the ids of its parents, by the names of the path parameters. */
export type OpenRecords = (
  resource: Resource,
  name: string,
  parameters: PathValues,
) => Promise<Records>

/** The records of a collection, without any yet. */
export function createRecords(
  resource: Resource,
  seed: number,
  name: string = resource.name,
): Records {
  const ids = idsOf(resource, seed, name)
  return new Records(resource, ids, new MemoryTable(resource.filters, ids.start), name)
}

/** The generator of the ids of a collection. */
export function idsOf(resource: Resource, seed: number, name: string): IdGenerator {
  return resource.ids?.create(seed, name) ?? idGeneratorOf(resource, seed)
}

function idGeneratorOf(resource: Resource, seed: number): IdGenerator {
  const generator = createIdGenerator(resource.idSchema, seed)
  if (!generator) throw new TypeError(`Cannot generate ids for ${resource.name}`)
  return generator
}

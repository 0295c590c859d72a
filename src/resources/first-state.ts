import { decodeComponent } from '../contract/parse-text.ts'
import type { Id } from '../records/record-table.ts'
import type { FirstState, StoredRecords } from '../records/stored-records.ts'
import { hasParents } from './collection-name.ts'
import { typedId } from './documented/sent-record.ts'
import { idOf } from './id-generator.ts'
import type { Records } from './records.ts'

/** What a collection in a shared store starts with: the present state of these records. */
export async function firstStateOf(
  records: Records,
  emptied: readonly Id[] | undefined = undefined,
): Promise<FirstState> {
  const { resource } = records
  const { records: rows } = await records.page({})
  const { ids = 0, removed = [] } = await records.snapshot()
  const known = new Map((emptied ?? []).map((id) => [String(id), id]))

  return {
    rows: await Promise.all(
      rows.map(async (record) => {
        const id = idOf(record, resource.id) ?? ''
        return { id, record, generation: await records.generation(id) }
      }),
    ),
    removed: await Promise.all(
      removed.map(async (text) => ({
        id: known.get(text) ?? typedId(text, resource),
        generation: await records.generation(text),
      })),
    ),
    ids,
    filters: resource.filters,
    orders: resource.sorts ?? [],
    ...(hasParents(resource) && { isNested: true }),
    ...(emptied && { emptied }),
  }
}

/** Writes collections to an epoch of a shared store. Those of the parents must be among them. */
export async function writeCollections(
  opened: readonly Records[],
  stored: StoredRecords,
): Promise<void> {
  const byPath = new Map(opened.map((records) => [pathOf(records), records]))
  for (const records of opened) {
    const path = pathOf(records)
    const generation = hasParents(records.resource) ? await generationAbove(path, byPath) : 0
    await stored.open(storedName(path, generation), await firstStateOf(records))
  }
}

/** The name of a collection in a shared store: its path, and how often its parents were removed and created again. */
export function storedName(path: string, generation: number): string {
  return `${path}@${generation}`
}

/** The path of a collection without the first slash. */
function pathOf({ resource, name }: Records): string {
  return hasParents(resource) ? name : resource.path.slice(1)
}

async function generationAbove(
  path: string,
  byPath: ReadonlyMap<string, Records>,
): Promise<number> {
  const segments = path.split('/')
  let sum = 0
  for (const end of segments.keys()) {
    const parent = byPath.get(segments.slice(0, end).join('/'))
    sum += (await parent?.generation(decodeComponent(segments[end] ?? ''))) ?? 0
  }
  return sum
}

import type { FilterHints, OperationHints } from '../../contract/hints.ts'
import { idsLike } from '../../records/record-table.ts'
import { bothSelections } from '../aliases.ts'
import { resourceNamed } from '../bind.ts'
import { readFilters } from '../paging/read-filters.ts'
import { queryValue } from '../paging/read-page.ts'
import type { RecordRequest } from './record-request.ts'

/**
 * The hints of a list without the filters of values that nothing has: neither one of its records, nor, as its key, one of the records that
 * the filter is about. What a client names in such a parameter need not exist.
 */
export async function knownFilters(listed: RecordRequest): Promise<OperationHints> {
  const { hints } = listed.binding
  const filters: Record<string, string | FilterHints> = {}
  for (const [name, filter] of Object.entries(hints.filters ?? {}))
    if (await isKnown(name, filter, listed)) filters[name] = filter

  return { ...hints, filters }
}

async function isKnown(
  name: string,
  filter: string | FilterHints,
  { admitted, records, part, scope, store }: RecordRequest,
): Promise<boolean> {
  if (typeof filter === 'string' || filter.unknown === undefined) return true
  const { request, input, service } = admitted
  const { query } = input
  const { schema } = records.resource
  const own = await readFilters({ [name]: filter }, { request, query, schema })
  const around = [part?.selection, scope?.selection].flatMap((one) => one ?? [])
  if ((await records.count(around.reduce(bothSelections, own))) > 0) return true
  const of =
    filter.of === undefined ? undefined : resourceNamed(service.settings.contract, filter.of)
  if (!of) return false
  const named = await store.open(of)
  for (const value of [queryValue(query, name)].flat()) {
    const ids = idsLike(await named.idNamed(String(value)))
    for (const id of ids) if (await named.get(id)) return true
  }
  return false
}

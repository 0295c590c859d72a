import type { FilterHints, OperationHints } from '../../contract/hints.ts'
import { type Id, idsLike } from '../../records/record-table.ts'
import type { RecordSelection } from '../../records/selection.ts'
import { resourceNamed } from '../bind.ts'
import { idOf } from '../id-generator.ts'
import { isExpression, readFilters } from '../paging/read-filters.ts'
import { queryValue } from '../paging/read-page.ts'
import { shownBy } from '../resource.ts'
import type { Records } from '../store/records.ts'
import { bothSelections } from '../views/aliases.ts'
import { callerId } from '../views/caller-record.ts'
import { idsWithMember } from '../views/united-records.ts'
import type { RecordRequest } from './record-request.ts'

/** The hints of a list, and the records that its other filters select. */
interface KnownFilters {
  readonly hints: OperationHints
  readonly among?: RecordSelection
}

/**
 * The hints of a list with the filters that its records alone decide, and what the members of other records select: `?team_id=1` those that
 * `/teams/1/users` has.
 */
export async function knownFilters(listed: RecordRequest): Promise<KnownFilters> {
  const { hints } = listed.binding
  const filters: Record<string, string | FilterHints> = {}
  const where: Record<string, unknown> = {}
  for (const [name, filter] of Object.entries(hints.filters ?? {})) {
    if (typeof filter === 'object' && filter.members !== undefined) {
      const ids = await memberIds(name, filter, listed)
      if (ids) where[String(filter.property)] = ids
    } else if (await isKnown(name, filter, listed)) filters[name] = filter
  }
  if (hints.members !== undefined) {
    const { id } = listed.records.resource
    where[id] = await idsOfCaller(hints.members, listed)
  }
  const isChosen = Object.keys(where).length > 0
  return { hints: { ...hints, filters }, ...(isChosen && { among: { where } }) }
}

/** So many of the first records may have the caller as a member. */
const MOST_FIRST = 50

/** The ids of the records that have the caller among their members. */
async function idsOfCaller(
  members: string,
  { admitted: { service, caller }, store, records, parameters }: RecordRequest,
): Promise<readonly Id[]> {
  const below = resourceNamed(service.settings.contract, members)
  const callers = below && shownBy(below)
  if (!below || !callers) return []
  const key = await callerId(callers, store, caller)
  const record = key === undefined ? undefined : await (await store.open(callers)).get(key)
  const member = (record && idOf(record, below.id)) ?? key
  const { records: page } = await records.page({ limit: MOST_FIRST })
  const first = page.flatMap((one) => idOf(one, records.resource.id) ?? [])

  return idsWithMember({ below, member, first, own: parameters }, store)
}

/** The ids of the members of the records that a parameter names; `undefined` when the request has no such parameter. */
async function memberIds(
  name: string,
  { members = '', of }: FilterHints,
  { admitted: { input, service }, store }: RecordRequest,
): Promise<readonly unknown[] | undefined> {
  const resource = resourceNamed(service.settings.contract, members)
  const value = queryValue(input.query, name)
  const parameter = resource?.parents?.at(-1)
  if (!resource || parameter === undefined || value === undefined || value === '') return undefined
  const above = of === undefined ? undefined : resourceNamed(service.settings.contract, of)
  const named = typeof value === 'string' ? value.split(',') : [value].flat()
  const found: unknown[] = []
  for (const one of named) {
    const key = above ? await knownKey(String(one), await store.open(above)) : one
    if (key === undefined) continue
    const { records } = await (await store.open(resource, { [parameter]: key })).page({})
    found.push(...records.flatMap((record) => idsLike(String(idOf(record, resource.id)))))
  }
  return found
}

/** The id of the record that a text names; `undefined` when there is none. */
async function knownKey(text: string, records: Records): Promise<Id | undefined> {
  for (const id of idsLike(await records.idNamed(text))) if (await records.get(id)) return id

  return undefined
}

/**
 * Whether something has the value of a filter: one of the records, or, as its key, one of the records that the filter is about. What a client
 * names in such a parameter need not exist.
 */
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
  // What compares properties is understood: it may select none.
  if (own.tests && isExpression(filter, queryValue(query, name))) return true
  const around = [part?.selection, scope?.selection].flatMap((one) => one ?? [])
  if ((await records.count(around.reduce((all, one) => bothSelections(all, one), own))) > 0)
    return true
  const of =
    filter.of === undefined ? undefined : resourceNamed(service.settings.contract, filter.of)
  if (!of) return false
  const named = await store.open(of)
  for (const value of [queryValue(query, name)].flat())
    if ((await knownKey(String(value), named)) !== undefined) return true

  return false
}

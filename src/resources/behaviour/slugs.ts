import { sluggedIn } from '../../contract/hints.ts'
import { matches } from '../../generate/matches.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { getOwn } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'
import type { Records } from '../store/records.ts'
import { rulesOf } from '../views/service-values.ts'

// Texts that addresses have for the names of records, such as `old-town` of `Old Town`.

/** The texts that follow the names in new values, by the names of their properties. Texts that were sent are not among them. */
function slugsIn(sent: StoredRecord, resource: Resource): readonly (readonly [string, string])[] {
  return rulesOf(resource).flatMap(({ rule, schema, place: [name = ''] }) => {
    const property = sluggedIn(rule)
    if (property === undefined || Object.hasOwn(sent, name)) return []
    const slug = slugOf(getOwn(sent, property))
    return slug !== undefined && matches(schema, slug) ? [[name, slug] as const] : []
  })
}

/** A name in lower case, with hyphens between its words; `undefined` without letters or digits of ASCII. */
function slugOf(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return plain.match(/[a-z0-9]+/g)?.join('-')
}

/** The id that follows the name in new values; `undefined` where ids do not. */
export function slugId(sent: StoredRecord, resource: Resource): Id | undefined {
  return slugsIn(sent, resource).find(([name]) => name === resource.id)?.[1]
}

/**
 * The texts that follow the name of a new record. Where paths find records by one that another record has, it gets a number:
 * `old-town-2` beside `old-town`.
 */
export async function freeSlugs(sent: StoredRecord, records: Records): Promise<StoredRecord> {
  const { id, keys = [] } = records.resource
  const free: Record<string, string> = {}
  for (const [name, slug] of slugsIn(sent, records.resource)) {
    const isKey = [id, ...keys].includes(name)
    let own = slug
    for (let next = 2; isKey && (await isNamed(own, records)); next += 1) own = `${slug}-${next}`
    free[name] = own
  }
  return free
}

/** Whether a path with a name leads to a record. */
async function isNamed(name: string, records: Records): Promise<boolean> {
  const id = await records.idNamed(name)
  return id !== name || (await records.get(id)) !== undefined
}

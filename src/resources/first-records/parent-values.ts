import { propertiesOf } from '../../contract/schema.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/known-values.ts'
import { getOwn } from '../../validation/objects.ts'
import type { Resource } from '../resource.ts'
import { referenceName, singular } from './property-words.ts'

/**
 * The values of a record that its concrete path names: `org`, `org_id` and `organization_id` of a record below `/organizations/{org}`.
 */
export function parentValues(
  { path, schema, id }: Pick<Resource, 'path' | 'schema' | 'id'>,
  parameters: Readonly<Record<string, unknown>>,
): StoredRecord {
  const known = parentsIn(path).flatMap(({ parameter, names }) => {
    const value = getOwn(parameters, parameter)
    const properties = [...propertiesOf(schema)].filter(
      ([property]) => property !== id && names.includes(referenceName(property).of),
    )
    return properties.map(([property, own]) => [property, asType(value, own)] as const)
  })
  return Object.fromEntries(known.filter(([, value]) => value !== undefined))
}

/** The parameters of a path, and what properties with their values are called: `{key}` in `/orgs/{key}` is a `key` and an `org`. */
function parentsIn(
  path: string,
): readonly { readonly parameter: string; readonly names: readonly string[] }[] {
  const segments = path.split('/')
  return segments.flatMap((segment, at) => {
    const parameter = /^\{([^{}]+)\}$/.exec(segment)?.[1]
    if (parameter === undefined) return []
    const before = segments[at - 1] ?? ''
    const collection = before.startsWith('{') ? [] : [singular(before)]

    return [{ parameter, names: [referenceName(parameter).of, ...collection] }]
  })
}

/** Whether a record says that it belongs to another parent than the one of its collection. */
export function belongsElsewhere(record: StoredRecord, parents: StoredRecord): boolean {
  return Object.entries(parents).some(([name, value]) => {
    const own = getOwn(record, name)
    return (typeof own === 'string' || typeof own === 'number') && String(own) !== String(value)
  })
}

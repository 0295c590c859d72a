import type { Contract, Schema } from '../contract/contract.ts'
import { itemsOf, propertiesOf, withBranches } from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import { resourcesAt } from './bind.ts'
import { hasParents } from './collection-name.ts'
import { referenceName, singular } from './reference-names.ts'
import type { Resource } from './resource.ts'

/** A property whose values are ids of records of a collection. */
interface RecordLink {
  readonly property: string
  readonly to: Resource
}

/**
 * The properties of a resource that contain ids of other records, such as `customer_id` and `customers`, by their names and types. Only
 * collections that are not below records are found.
 */
export function linksOf(resource: Resource, resources: readonly Resource[]): readonly RecordLink[] {
  return linksWhere(resource, resources, containsIds)
}

/** The resources that the properties of a resource may refer to by their names. Others are not read, which takes long in a large document. */
export function linkTargets({ schema }: Resource, contract: Contract): readonly Resource[] {
  const called = new Set([...propertiesOf(schema).keys()].map((name) => referenceName(name).of))
  return resourcesAt(contract, (path) => !hasParents({ path }) && called.has(recordWord(path)))
}

/**
 * Those, and the texts with the name of one record, such as `customer`: they may contain its id or its name, which only the service
 * knows.
 */
export function possibleLinksOf(
  resource: Resource,
  resources: readonly Resource[],
): readonly RecordLink[] {
  return linksWhere(resource, resources, (schema) => containsIds(schema, true))
}

function linksWhere(
  resource: Resource,
  resources: readonly Resource[],
  mayLink: typeof containsIds,
): readonly RecordLink[] {
  return [...propertiesOf(resource.schema)].flatMap(([property, schema]) => {
    const to = property === resource.id ? undefined : targetOf(property, schema, resources, mayLink)
    return to === undefined || to === resource ? [] : [{ property, to }]
  })
}

/** The properties of other collections that contain ids of a resource's records. Reads the schemas of all resources. */
export function linksTo(
  resource: Resource,
  resources: readonly Resource[],
): readonly { readonly from: Resource; readonly property: string }[] {
  return resources
    .filter((one) => one !== resource && !hasParents(one))
    .flatMap((from) =>
      linksOf(from, resources)
        .filter(({ to }) => to === resource)
        .map(({ property }) => ({ from, property })),
    )
}

function targetOf(
  property: string,
  schema: Schema,
  resources: readonly Resource[],
  mayLink: typeof containsIds,
): Resource | undefined {
  const { of, hasIdSuffix } = referenceName(property)
  const target = topBySingular(resources).get(of)

  return target && mayLink(itemsOf(schema) ?? schema, hasIdSuffix) ? target : undefined
}

/** A text such as `category: garden` is rather a name than an id. */
function containsIds(schema: Schema, hasIdSuffix: boolean): boolean {
  return withBranches(schema).some(({ type, format }) => {
    const types = [type].flat()
    if (types.includes('integer')) return true
    return types.includes('string') && (hasIdSuffix || format === 'uuid')
  })
}

/** The resources that are not below records, by the name of one record. */
const topBySingular = once(
  (resources: readonly Resource[]): ReadonlyMap<string, Resource> =>
    new Map(
      resources
        .filter((one) => !(hasParents(one) || one.isSingle))
        .map((one) => [recordWord(one.path), one]),
    ),
)

/** What one record of the collection at a path is called. */
function recordWord(path: string): string {
  return singular(path.slice(path.lastIndexOf('/') + 1))
}

import type { Contract, Schema } from '../contract/contract.ts'
import { parseText } from '../contract/parse-text.ts'
import { plainSchema, propertiesOf } from '../contract/schema.ts'
import { encodePart } from '../http/paths.ts'
import { type Problem, problems } from '../http/problem.ts'
import type { RecordCollection } from '../resources/behaviour/record-collection.ts'
import {
  pathsOf,
  readCollection,
  readNames,
  readResources,
  resourcesAt,
} from '../resources/bind.ts'
import { hasParents, resourceLabel } from '../resources/collection-name.ts'
import { typedId } from '../resources/id-generator.ts'
import { linksOf, linksTo, linkTargets } from '../resources/record-links.ts'
import type { Resource } from '../resources/resource.ts'
import { isCollectionOf } from '../resources/start-of.ts'
import type { Records } from '../resources/store/records.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import type { World } from '../sandbox/world.ts'
import { Turns } from '../time/turns.ts'
import { suggest } from '../validation/usage-error.ts'
import { type Call, type Handlers, located, stateOf } from './call.ts'
import { withUnknownName } from './errors.ts'
import type {
  CollectionCount,
  CollectionDetails,
  CollectionName,
  RecordProperty,
} from './outputs.ts'

/** The handlers for collections and their records. */
export const recordHandlers: Handlers<
  | 'listCollections'
  | 'describeCollection'
  | 'listRecords'
  | 'createRecord'
  | 'getRecord'
  | 'updateRecord'
  | 'removeRecord'
> = {
  listCollections: async ({ world, input: { query } }) => {
    const { collection: name, to, counts = true, wait } = query
    if (to !== undefined) return collectionsOnPath(world, to)
    if (name === undefined) return counts ? countAll(world, wait) : namesOf(world, wait)
    const { collection } = await openCollection(world, name)

    return [{ name, count: await collection.count() }]
  },

  describeCollection: async ({ world, input: { path, query } }) => {
    const { collection, name, resource } = await openCollection(world, path.collection)
    const { contract } = world

    return {
      name,
      count: await collection.count(),
      ...describeRecords(resource, linksOf(resource, linkTargets(resource, contract))),
      ...(query.links && (await recordLinks(resource, contract))),
    }
  },

  listRecords: async ({ world, request, input: { path, query } }) => {
    const { collection, schema } = await openCollection(world, path.collection)
    return collection.list({ where: readFilters(request.query, schema), ...query })
  },

  createRecord: async ({ world, base, registerUndo, input: { path, body } }) => {
    const { collection, id, name } = await openCollection(world, path.collection, registerUndo)
    const record = await collection.create(body)

    return located(201, record, `${base}/records/${name}/${encodePart(String(record[id]))}`)
  },

  getRecord: async ({ world, input: { path } }) => {
    const { collection, parseId } = await openCollection(world, path.collection)
    const record = await collection.get(parseId(path.id))
    if (record) return record
    throw unknownRecord(path)
  },

  updateRecord: async ({ world, registerUndo, input: { path, body } }) => {
    const { collection, parseId } = await openCollection(world, path.collection, registerUndo)
    const id = parseId(path.id)
    if (await collection.get(id)) return collection.update(id, body)
    throw unknownRecord(path)
  },

  removeRecord: async ({ world, registerUndo, input: { path } }) => {
    const { collection, parseId } = await openCollection(world, path.collection, registerUndo)
    if (!(await collection.remove(parseId(path.id)))) throw unknownRecord(path)
    return undefined
  },
}

/** The collections on the path to one. Of `/api/v1` and `/api/v1/books`, the first has no record `books`, and is not read. */
function collectionsOnPath(world: World, to: string): readonly CollectionName[] {
  const segments = to.replace(/^\//, '').split('/')
  const starts = segments.map((_, at) => segments.slice(0, at + 1).join('/'))
  const paths = new Set(Object.values(pathsOf(world.contract)))
  const isOnPath = (path: string): boolean =>
    starts.some(
      (start, at) =>
        isCollectionOf({ name: path, path }, start) && !paths.has(`${path}/${segments[at + 1]}`),
    )

  return resourcesAt(world.contract, isOnPath).map(({ path }) => ({ name: path.slice(1) }))
}

/** The collections without the number of their records, which makes the first records of each. */
async function namesOf(world: World, wait?: number): Promise<readonly CollectionName[]> {
  const named = await readNames(world.contract, wait)
  return named.map((one) => ({ name: resourceLabel(one) }))
}

/**
 * The number of records of each resource: of one below records, in the collections that were changed until now. After `wait` milliseconds,
 * the others are not counted.
 */
async function countAll(
  world: World,
  wait: number = Number.POSITIVE_INFINITY,
): Promise<readonly (CollectionCount | CollectionName)[]> {
  const end = performance.now() + wait
  const named = await readNames(world.contract, wait)
  const known = await readResources(world.contract, end - performance.now())
  // To open one, others may have to be read.
  const canCount = known.length === named.length
  const nested = await nestedCollections(world)
  const counts: (CollectionCount | CollectionName)[] = []
  const turns = new Turns()
  for (const one of named) {
    const isLate = !canCount || performance.now() > end
    counts.push(isLate ? { name: resourceLabel(one) } : await countRecords(world, one, nested))
    await turns.yield()
  }
  return counts
}

async function countRecords(
  world: World,
  named: Pick<Resource, 'name' | 'path'>,
  nested: readonly Records[],
): Promise<CollectionCount> {
  const name = resourceLabel(named)
  if (!hasParents(named)) return { name, count: await world.collection(name).count() }
  const own = nested
    .filter((records) => records.resource.path === named.path)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const opened = await Promise.all(
    own.map(async (records) => ({ name: records.name, count: await records.count() })),
  )
  return { name, count: opened.reduce((sum, { count }) => sum + count, 0), opened }
}

/** The collections below records that were changed until now. */
async function nestedCollections(world: World): Promise<readonly Records[]> {
  if (!(world instanceof SandboxWorld)) return []
  const store = await stateOf(world).openStore()
  const opened = await store.opened()
  return opened.filter(({ resource }) => resource.parents)
}

/** A collection, with its name in paths, and with the id and the property schemas of its records. */
interface OpenCollection extends Pick<Resource, 'id'> {
  readonly name: string
  readonly resource: Resource
  readonly collection: RecordCollection
  readonly schema: ReadonlyMap<string, Schema>
  readonly parseId: (text: string) => number | string
}

async function openCollection(
  world: World,
  given: string,
  note?: Call['registerUndo'],
): Promise<OpenCollection> {
  const found = await readCollection(world.contract, given)
  const collection = withUnknownName('collection', () =>
    SandboxWorld.collectionOf(world, given, note),
  )
  if (!found) throw new TypeError(`${given} is not bound`)
  const { resource } = found
  const schema = propertiesOf(resource.schema)
  const { id } = resource

  return {
    name: found.name,
    resource,
    collection,
    id,
    schema,
    parseId: (text) => typedId(text, resource),
  }
}

function unknownRecord(path: { readonly collection: string; readonly id: string }): Problem {
  return problems.notFound(
    `The collection "${path.collection}" has no record with the id ${path.id}.`,
  )
}

/**
 * The filter values by property. Every query parameter except `limit` and `skip` is a filter. Throws a 400 for an unknown property, and
 * for a value that the property cannot have.
 */
function readFilters(
  query: string,
  schema: ReadonlyMap<string, Schema>,
): Record<string, readonly unknown[]> {
  const where = new Map<string, unknown[]>()
  for (const [name, text] of new URLSearchParams(query)) {
    if (name === 'limit' || name === 'skip') continue
    const property = schema.get(name)
    if (!property) {
      const message = 'is not a property of these records'
      const suggestion = suggest(name, [...schema.keys(), 'limit', 'skip'])
      throw problems.invalidInput([{ location: `query.${name}`, message, ...suggestion }])
    }
    where.set(name, [...(where.get(name) ?? []), filterValue(name, text, property)])
  }
  return Object.fromEntries(where)
}

function filterValue(name: string, text: string, { type, ...rest }: Schema): unknown {
  const value = parseText(text, { ...rest, ...(type !== undefined && { type }) })
  const types = type === undefined ? ['string'] : [type].flat()
  if (rest.enum && !rest.enum.includes(value)) {
    const message = `must be one of ${rest.enum.join(', ')}`
    throw problems.invalidInput([{ location: `query.${name}`, message }])
  }
  if (typeof value === 'string' && !types.includes('string')) {
    const message = `must be ${types.join(' or ')}`
    throw problems.invalidInput([{ location: `query.${name}`, message }])
  }
  return value
}

/** Whether each record of `other` has a collection of the resource right below it. */
function isBelow({ path }: Resource, other: Resource): boolean {
  return (
    path.startsWith(other.path) && /^\/\{[^{}/]+\}\/[^{}]+$/.test(path.slice(other.path.length))
  )
}

/** The collections below the records of a resource, and those whose records refer to it. To find the latter reads all schemas. */
async function recordLinks(
  resource: Resource,
  contract: Contract,
): Promise<Pick<CollectionDetails, 'below' | 'referredBy'>> {
  const resources = await readResources(contract)
  return {
    below: resources.filter((one) => isBelow(one, resource)).map(resourceLabel),
    referredBy: linksTo(resource, resources).map(({ from, property }) => ({
      collection: resourceLabel(from),
      property,
    })),
  }
}

/** What the records of a resource consist of. */
function describeRecords(
  resource: Resource,
  links: ReturnType<typeof linksOf>,
): Pick<CollectionDetails, 'id' | 'properties' | 'schema'> {
  const { id, schema, creation } = resource
  const creatable = creation && propertiesOf(creation.schema)
  const required = new Set(requiredOf(creation?.schema ?? schema))
  const properties = [...propertiesOf(schema)].map(([name, property]): RecordProperty => {
    const isOfService = name === id || property.readOnly === true
    const readOnly = creatable ? !creatable.has(name) : isOfService
    const isFilled = readOnly || property.default !== undefined
    const link = links.find((one) => one.property === name)

    return {
      name,
      schema: plainSchema(property),
      required: required.has(name) && !isFilled,
      readOnly,
      ...(link && { refersTo: resourceLabel(link.to) }),
    }
  })

  return { id, properties, schema: plainSchema(schema) }
}

/** The names of the required properties of a schema and of the schemas in its `allOf`. */
function requiredOf({ required = [], allOf = [] }: Schema): readonly string[] {
  return [...required, ...allOf.flatMap(requiredOf)]
}

import type { Schema } from '../contract/contract.ts'
import { parseText } from '../contract/parse-text.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { json } from '../http/message.ts'
import { encodePart } from '../http/paths.ts'
import { type Problem, problems } from '../http/problem.ts'
import { resourcesIn } from '../resources/bind.ts'
import { resourceLabel } from '../resources/check-collection.ts'
import { findCollection } from '../resources/collection-name.ts'
import type { RecordCollection } from '../resources/record-collection.ts'
import type { Records } from '../resources/records.ts'
import type { Resource } from '../resources/resource.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import type { World } from '../sandbox/world.ts'
import { suggest } from '../validation/usage-error.ts'
import { type Call, type Handlers, NO_CONTENT } from './call.ts'
import { describeRecords } from './collection-details.ts'
import { withUnknownName } from './field-errors.ts'
import { Turns } from './turns.ts'

/** Handlers for collections and their records. */
export const records: Handlers<
  | 'listCollections'
  | 'describeCollection'
  | 'listRecords'
  | 'createRecord'
  | 'getRecord'
  | 'updateRecord'
  | 'removeRecord'
> = {
  listCollections: async ({ world, input: { query } }) => {
    const { collection: name } = query
    if (name === undefined) return json(200, await countAll(world))
    const { collection } = openCollection(world, name)

    return json(200, [{ name, count: await collection.count() }])
  },

  describeCollection: async ({ world, input: { path } }) => {
    const { collection, name, resource } = openCollection(world, path.collection)

    return json(200, { name, count: await collection.count(), ...describeRecords(resource) })
  },

  listRecords: async ({ world, request, input: { path, query } }) => {
    const { collection, schema } = openCollection(world, path.collection)
    const where = readFilters(request.query, schema)
    const { limit, skip } = query
    const range = { ...(skip !== undefined && { skip }), ...(limit !== undefined && { limit }) }

    return json(200, await collection.list({ where, ...range }))
  },

  createRecord: async ({ world, base, registerUndo: note, input: { path, body } }) => {
    const { collection, id, name } = openCollection(world, path.collection, note)
    const record = await collection.create(body)
    const recordPath = `${name}/${encodePart(String(record[id]))}`

    return json(201, record, { Location: `${base}/records/${recordPath}` })
  },

  getRecord: async ({ world, input: { path } }) => {
    const { collection, parseId: idFrom } = openCollection(world, path.collection)
    const record = await collection.get(idFrom(path.id))
    if (record) return json(200, record)
    throw unknownRecord(path)
  },

  updateRecord: async ({ world, registerUndo: note, input: { path, body } }) => {
    const { collection, parseId: idFrom } = openCollection(world, path.collection, note)
    const key = idFrom(path.id)
    if (!(await collection.get(key))) throw unknownRecord(path)

    return json(200, await collection.update(key, body))
  },

  removeRecord: async ({ world, registerUndo: note, input: { path } }) => {
    const { collection, parseId: idFrom } = openCollection(world, path.collection, note)
    if (await collection.remove(idFrom(path.id))) return NO_CONTENT
    throw unknownRecord(path)
  },
}

/** The number of records of each resource: of one below records, in the collections that were changed until now. */
async function countAll(world: World): Promise<readonly CollectionCount[]> {
  const nested = await nestedCollections(world)
  const counts: CollectionCount[] = []
  const turns = new Turns()
  for (const resource of resourcesIn(world.contract)) {
    counts.push(await countRecords(world, resource, nested))
    await turns.yield()
  }
  return counts
}

async function countRecords(
  world: World,
  resource: Resource,
  nested: readonly Records[],
): Promise<CollectionCount> {
  const name = resourceLabel(resource)
  if (!resource.parents) return { name, count: await world.collection(name).count() }
  const own = nested
    .filter((records) => records.resource.path === resource.path)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
  const opened = await Promise.all(
    own.map(async (records) => ({ name: records.name, count: await records.count() })),
  )
  return { name, count: opened.reduce((sum, { count }) => sum + count, 0), opened }
}

/** The collections below records that were changed until now. */
async function nestedCollections(world: World): Promise<readonly Records[]> {
  if (!(world instanceof SandboxWorld)) return []
  const store = await SandboxWorld.handleOf(world)().state.store
  const opened = await store.opened()
  return opened.filter(({ resource }) => resource.parents)
}

interface CollectionCount {
  readonly name: string
  readonly count: number
  readonly opened?: readonly CollectionCount[]
}

/** A collection, with its name in paths, and with the id and the property schemas of its records. */
interface OpenCollection extends Pick<Resource, 'id'> {
  readonly name: string
  readonly resource: Resource
  readonly collection: RecordCollection
  readonly schema: ReadonlyMap<string, Schema>
  readonly parseId: (text: string) => number | string
}

function openCollection(world: World, given: string, note?: Call['registerUndo']): OpenCollection {
  const found = findCollection(resourcesIn(world.contract), given)
  const collection = withUnknownName('collection', () =>
    SandboxWorld.collectionOf(world, given, note ? { note } : { isRead: true }),
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
    parseId: (text) => {
      const value = parseText(text, schema.get(id) ?? {})
      return typeof value === 'number' ? value : text
    },
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

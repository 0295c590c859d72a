import type { Schema } from '../contract/contract.ts'
import { parseText } from '../contract/parse-text.ts'
import { propertiesOf } from '../contract/schema-properties.ts'
import { json } from '../http/message.ts'
import { type Problem, problems } from '../http/problem.ts'
import { resourcesIn } from '../resources/bind.ts'
import type { RecordCollection } from '../resources/record-collection.ts'
import type { Resource } from '../resources/resource.ts'
import { SandboxWorld } from '../sandbox/sandbox-world.ts'
import type { World } from '../sandbox/world.ts'
import { suggest } from '../validation/suggestion.ts'
import { type Call, type Handlers, NO_CONTENT } from './call.ts'
import { refuseUnknownName } from './field-errors.ts'

/** Handlers for collections and their records. */
export const records: Handlers<
  'listCollections' | 'listRecords' | 'createRecord' | 'getRecord' | 'updateRecord' | 'removeRecord'
> = {
  listCollections: async ({ world }) => {
    const counts = world.collections.map(async (name) => {
      return { name, count: await world.collection(name).count() }
    })
    return json(200, await Promise.all(counts))
  },

  listRecords: async ({ world, request, input: { path, query } }) => {
    const { collection, schema } = openCollection(world, path.collection)
    const where = readFilters(request.query, schema)
    const { limit } = query

    return json(200, await collection.list({ where, ...(limit !== undefined && { limit }) }))
  },

  createRecord: async ({ world, base, registerUndo: note, input: { path, body } }) => {
    const { collection, id } = openCollection(world, path.collection, note)
    const record = await collection.create(body)
    const recordPath = [path.collection, String(record[id])].map(encodeURIComponent).join('/')

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

/** A collection, with the id and the property schemas of its records. */
interface OpenCollection extends Pick<Resource, 'id'> {
  readonly collection: RecordCollection
  readonly schema: ReadonlyMap<string, Schema>
  readonly parseId: (text: string) => number | string
}

function openCollection(world: World, name: string, note?: Call['registerUndo']): OpenCollection {
  refuseUnknownName('collection', name, world.collections)
  const resource = resourcesIn(world.contract).find((one) => one.name === name)
  if (!resource) throw new TypeError(`${name} is not bound`)
  const schema = propertiesOf(resource.schema)
  const { id } = resource

  return {
    collection: SandboxWorld.collectionOf(world, name, note),
    id,
    schema,
    parseId: (text) => {
      const value = parseText(text, schema.get(id) ?? {})
      return typeof value === 'number' ? value : text
    },
  }
}

function unknownRecord(path: { readonly collection: string; readonly id: string }): Problem {
  return problems.notFound(`There is no record ${path.id} of ${path.collection}.`)
}

/**
 * The filter values by property. Every query parameter except `limit` is a filter. Throws a 400 for an unknown property, and
 * for a value that the property cannot have.
 */
function readFilters(
  query: string,
  schema: ReadonlyMap<string, Schema>,
): Record<string, readonly unknown[]> {
  const where = new Map<string, unknown[]>()
  for (const [name, text] of new URLSearchParams(query)) {
    if (name === 'limit') continue
    const property = schema.get(name)
    if (!property) {
      const message = 'is not a property of these records'
      const suggestion = suggest(name, [...schema.keys(), 'limit'])
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

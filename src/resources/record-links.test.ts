import { expect, test } from 'vitest'
import type { Schema } from '../contract/contract.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { resourcesIn } from './bind.ts'
import { linksOf, linksTo, linkTargets } from './record-links.ts'

const ID: Schema = { type: 'integer', readOnly: true }
const TEXT: Schema = { type: 'string' }
const COLLECTIONS: Readonly<Record<string, Schema>> = {
  '/zoos': record({ name: TEXT }),
  '/animals': record({
    zooId: { type: ['integer', 'null'] },
    keeper_ids: { type: 'array', items: TEXT },
    zoo: TEXT,
    animalId: { type: 'integer' },
    cageId: TEXT,
  }),
  '/keepers': record({ zoo: { allOf: [{ type: 'integer' }] } }),
}

function record(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', required: ['id'], properties: { id: ID, ...properties } }
}

const { contract, resources } = await load()

async function load() {
  const content = (schema: Schema) => ({ 'application/json': { schema } })
  const paths = Object.entries(COLLECTIONS).flatMap(([path, schema]) => [
    [
      path,
      {
        get: {
          responses: {
            '200': { description: 'All', content: content({ type: 'array', items: schema }) },
          },
        },
      },
    ],
    [
      `${path}/{id}`,
      {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { responses: { '200': { description: 'One', content: content(schema) } } },
      },
    ],
  ])
  const contract = await loadDocumentOf(Object.fromEntries(paths))

  return { contract, resources: resourcesIn(contract) }
}

function named(name: string) {
  const found = resources.find((one) => one.name === name)
  if (found) return found
  throw new Error(`There is no resource ${name}`)
}

test('finds the properties that contain ids of other collections, by their names and types', () => {
  const links = linksOf(named('animals'), resources).map(({ property, to }) => [property, to.name])

  expect(links).toEqual([
    ['zooId', 'zoos'],
    ['keeper_ids', 'keepers'],
  ])
  expect(linksOf(named('zoos'), resources)).toEqual([])
})

test('finds what properties may refer to without reading the other resources', () => {
  const targets = linkTargets(named('animals'), contract)

  expect(targets.map(({ name }) => name)).toEqual(['zoos', 'animals', 'keepers'])
  expect(linkTargets(named('keepers'), contract).map(({ name }) => name)).toEqual(['zoos'])
  expect(linksOf(named('animals'), targets)).toEqual(linksOf(named('animals'), resources))
})

test('finds the properties of others that contain ids of a collection', () => {
  const links = linksTo(named('zoos'), resources).map(({ from, property }) => [from.name, property])

  expect(links).toEqual([
    ['animals', 'zooId'],
    ['keepers', 'zoo'],
  ])
})

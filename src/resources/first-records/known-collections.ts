import type { Id } from '../../records/record-table.ts'
import { getOwn } from '../../validation/objects.ts'
import { idOf } from '../id-generator.ts'
import type { Resource } from '../resource.ts'
import { type ConcreteCollection, type PlannedIds, planIds } from './planned-ids.ts'
import { singular } from './property-words.ts'
import { FEWEST_RECORDS } from './record-count.ts'
import type { Start } from './start-of.ts'

/** A resource by its name, without what is needed to read its schemas. */
export interface NamedResource {
  readonly name: string
  readonly path: string
  readonly get: () => Resource | undefined
}

/** The ids that other collections start with, without opening these collections. */
export interface KnownCollections {
  /** The collection that a property refers to, for a record with these path parameters. */
  find(
    reference: string,
    parameters: Readonly<Record<string, unknown>>,
  ): ConcreteCollection | undefined
  /** Its first ids, and how many of them are those of examples. */
  firstIds(collection: ConcreteCollection): {
    readonly ids: readonly Id[]
    readonly examples: number
  }
}

/** What a collection starts with, by its concrete name. */
export type StartOf = (resource: Resource, name: string) => Start

/** The collections of a contract. `startOf` tells what each of them starts with. */
export function createKnownCollections(
  resources: readonly NamedResource[],
  startOf: StartOf,
  seed: number,
): KnownCollections {
  const bySingular = new Map<string, NamedResource[]>()
  for (const resource of resources) {
    const segments = resource.path.split('/').filter((one) => one !== '' && !one.startsWith('{'))
    const name = singular(segments.at(-1) ?? resource.name)
    bySingular.set(name, [...(bySingular.get(name) ?? []), resource])
  }
  const plans = new Map<string, PlannedIds>()
  const planOf = (collection: ConcreteCollection): PlannedIds => {
    const plan = plans.get(collection.name) ?? planIds(collection, seed)
    if (plans.size > MAX_PLANS) plans.clear()
    plans.set(collection.name, plan)
    return plan
  }

  return {
    find: (reference, parameters) => {
      const found = (bySingular.get(reference) ?? [])
        .flatMap(({ name, path: template, get }) => {
          const path = concretePath(template, parameters)
          return path === undefined ? [] : [{ name, path, get }]
        })
        // The order of resources may differ when hints name them, and must not matter.
        .sort((one, two) => two.path.length - one.path.length || (one.path < two.path ? -1 : 1))
      for (const { name, path, get } of found) {
        const resource = get()
        if (!resource) continue
        const isNested = resource.path.includes('{')
        return { resource, name: isNested ? path.replace(/^\//, '') : name, parameters }
      }
      return undefined
    },
    firstIds: (collection) => {
      const { resource, name } = collection
      const start = startOf(resource, name)
      if (typeof start === 'object') {
        return { ids: start.flatMap((row) => idOf(row, resource.id) ?? []), examples: start.length }
      }
      const plan = planOf(collection)
      const count = typeof start === 'number' ? Math.min(start, FEWEST_RECORDS) : FEWEST_RECORDS
      return { ids: plan.take(count).ids, examples: plan.examples.length }
    },
  }
}

/** Plans of more collections are made again. */
const MAX_PLANS = 1000

/** A path with the values of its parameters; `undefined` when one of them is not known. */
function concretePath(
  template: string,
  parameters: Readonly<Record<string, unknown>>,
): string | undefined {
  let isKnown = true
  const path = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = getOwn(parameters, name)
    isKnown &&= value !== undefined
    return encodeURIComponent(String(value))
  })
  return isKnown ? path : undefined
}

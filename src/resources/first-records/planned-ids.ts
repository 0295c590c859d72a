import { propertiesOf } from '../../contract/schema.ts'
import { RandomSource } from '../../generate/random.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { collectExamples, type ExampleRecord } from '../collect-examples.ts'
import { nextFreeId } from '../find-ids.ts'
import { createIdGenerator, type IdGenerator, typedId } from '../id-generator.ts'
import { keyTexts } from '../keys.ts'
import { parentValues } from '../reference-names.ts'
import type { Resource } from '../resource.ts'

/** A collection by its concrete path. */
export interface ConcreteCollection {
  readonly resource: Resource
  /** Its concrete name, such as `orgs/acme/repos`. */
  readonly name: string
  /** The values of the path parameters of the collection. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The examples that become records of a collection, and the ids of further ones. */
export interface PlannedIds {
  readonly examples: readonly ExampleRecord[]
  /** The first ids: those of the examples, then generated ones; and the state of the generator after them. */
  take(count: number): { readonly ids: readonly Id[]; readonly state: number }
}

const examples = new WeakMap<Resource, readonly ExampleRecord[]>()

function examplesOf(resource: Resource): readonly ExampleRecord[] {
  const known =
    examples.get(resource) ??
    collectExamples(resource.operations ?? [], {
      id: resource.id,
      ...(resource.idParameter !== undefined && { idParameter: resource.idParameter }),
    })
  examples.set(resource, known)

  return known
}

/** The ids that the first records of a collection have. The collection need not exist: other records may refer to these ids. */
export function planIds(
  { resource, name, parameters }: ConcreteCollection,
  seed: number,
  hasExamples = true,
): PlannedIds {
  if (resource.isSingle) return planSingle(resource, name)
  const parents = parentValues(resource, parameters)
  const found = (hasExamples ? examplesOf(resource) : []).flatMap((example) => {
    const id = idAsStored(resource, example.id)
    const values = example.values.filter((one) => !belongsElsewhere(one, parents))
    const isElsewhere = values.length === 0 && example.values.length > 0
    return id === undefined || isElsewhere ? [] : [{ id, values }]
  })
  const own = withOwnKeys(found, resource)
  const generator = generatorOf(resource, name, seed)

  return {
    examples: own,
    take: (count) =>
      takeIds(
        own.map(({ id }) => id),
        generator,
        count,
      ),
  }
}

/**
 * The ids of first records that show others: some of the ids of these, different ones below each parent. More are only planned when
 * more are asked for.
 */
export function planMembers(
  plan: PlannedIds,
  { resource, name }: ConcreteCollection,
  { seed, shown }: { readonly seed: number; readonly shown: readonly Id[] },
): PlannedIds & { readonly most: number } {
  const random = RandomSource.from([seed, name, 'members'])
  const some = random
    .shuffle(shown)
    .slice(0, random.integer(Math.min(2, shown.length), shown.length))
  const own = plan.examples.map(({ id }) => id)
  const members = [...new Set([...own, ...some.map((id) => typedId(String(id), resource))])]

  return {
    examples: plan.examples,
    most: members.length,
    take: (count) => {
      const { ids, state } = plan.take(count)
      return { ids: [...new Set([...members, ...ids])].slice(0, count), state }
    },
  }
}

/** The examples, of which only the first with a further key has it: examples of several operations are often copies with other ids. */
function withOwnKeys(
  found: readonly ExampleRecord[],
  resource: Resource,
): readonly ExampleRecord[] {
  if (!resource.keys) return found
  const copies = copiesIn(found, resource)
  return found.map((example) => (copies.has(example) ? { ...example, values: [] } : example))
}

/** A further key that an example shares with an earlier one. */
interface SharedKey {
  readonly text: string
  readonly owner: Id
}

/** The examples with a further key that an earlier one has. */
function copiesIn(
  found: readonly ExampleRecord[],
  resource: Resource,
): ReadonlyMap<ExampleRecord, SharedKey> {
  const owners = new Map<string, Id>()
  const copies = new Map<ExampleRecord, SharedKey>()
  for (const example of found) {
    for (const text of keyTexts(unitedValues(example.values), resource)) {
      const owner = owners.get(text) ?? example.id
      owners.set(text, owner)
      if (owner !== example.id && !copies.has(example)) copies.set(example, { text, owner })
    }
  }
  return copies
}

/** Says which two examples of a resource have the same further key, which only one record can have; `undefined` when there are none. */
export function sharedKeyReason(resource: Resource): string | undefined {
  if (!resource.keys || resource.isSingle) return undefined
  for (const [{ id }, { text, owner }] of copiesIn(examplesOf(resource), resource))
    return `the examples ${owner} and ${id} have the same key, ${text}. Only the first one has it`
  return undefined
}

function planSingle(resource: Resource, name: string): PlannedIds {
  const singleId = name.slice(name.lastIndexOf('/') + 1)
  const { operations = [], id } = resource
  const [example = { id: singleId, values: [] }] = collectExamples(operations, { id, singleId })

  return { examples: [example], take: () => ({ ids: [singleId], state: 0 }) }
}

export function generatorOf(
  { ids, idSchema }: Resource,
  name: string,
  seed: number,
): IdGenerator | undefined {
  return ids ? ids.create(seed, name) : createIdGenerator(idSchema, seed)
}

/** An id of an example as records have it; `undefined` when no path leads to it, or a client sends it to create the record. */
function idAsStored(resource: Resource, id: Id): Id | undefined {
  const typed = typedId(String(id), resource)
  if (resource.hasClientIds && isSent(resource, typed)) return undefined
  return resource.ids && !resource.ids.accepts(typed) ? undefined : typed
}

/** Whether the example of a creation has an id. Its record does not exist before, or the creation would be refused. */
function isSent({ creation, id }: Resource, given: Id): boolean {
  if (!creation) return false
  const { example, examples } = propertiesOf(creation.schema).get(id) ?? {}
  const sent = [isObject(creation.example) ? creation.example[id] : undefined, example, examples]

  return sent.flat().some((one) => String(one) === String(given))
}

function takeIds(
  own: readonly Id[],
  generator: IdGenerator | undefined,
  count: number,
): { readonly ids: readonly Id[]; readonly state: number } {
  const ids = new Set(own.slice(0, count))
  let state = generator?.start ?? 0
  if (!generator) return { ids: [...ids], state }
  for (const id of ids) state = generator.stateAfter(state, id)
  while (ids.size < count) {
    const next = nextFreeId(generator, state, (id) => ids.has(id))
    if (!next) break
    ids.add(next.id)
    state = next.state
  }
  return { ids: [...ids], state }
}

/** The values of an example that a record has: those that show most of it, with what others say besides. */
export function unitedValues(values: readonly StoredRecord[]): StoredRecord {
  return Object.fromEntries([...values].reverse().flatMap((one) => Object.entries(one)))
}

/** Whether a record says that it belongs to another parent than the one of its collection. */
function belongsElsewhere(record: StoredRecord, parents: StoredRecord): boolean {
  return Object.entries(parents).some(([name, value]) => {
    const own = getOwn(record, name)
    return (typeof own === 'string' || typeof own === 'number') && String(own) !== String(value)
  })
}

/** The most first records of a collection, unless a number is given. */
export const MOST_RECORDS = 50

/** The most first records of a collection below a record. There is one collection for each of these records. */
const MOST_NESTED = 10

/** The fewest first records. References between records count on them. */
export const FEWEST_RECORDS = 3

/** How many characters of JSON the first records of a collection have together. */
const CHARACTERS = 40_000

/** The first records of a list without pages. */
const WITHOUT_PAGES = 25

/** What the number of first records depends on. */
export interface CountBasis {
  /** The length of one record as JSON. */
  readonly length: number
  readonly isNested: boolean
  /** How many records a page of the list has, if it has pages. */
  readonly pageSize?: number | undefined
  /** How many pages the first records fill. Default: two, so that clients meet more than one. */
  readonly pages?: number | undefined
}

/** How many of the records on one page are left to requests, which find there what they add. */
const ROOM = 3

/** How many first records a collection has: fewer when they are large. */
export function countOfRecords({ length, isNested, pageSize, pages = 2 }: CountBasis): number {
  const listed =
    pageSize === undefined ? WITHOUT_PAGES : pageSize * pages - (pages === 1 ? ROOM : 0)
  const most = Math.min(isNested ? MOST_NESTED : MOST_RECORDS, listed)
  const fitting = Math.floor(CHARACTERS / length)
  // Only the first page is made at once.
  if (pages > 1 && pageSize !== undefined && pageSize <= fitting)
    return Math.max(FEWEST_RECORDS, most)

  return Math.max(FEWEST_RECORDS, Math.min(most, fitting))
}

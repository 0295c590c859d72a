import { countedWord, heldStateIn, LATEST_ADDED } from '../../contract/hints.ts'
import { plainName, propertiesOf, requiredNames } from '../../contract/schema.ts'
import type { Locale } from '../../generate/locale.ts'
import { matches } from '../../generate/matches.ts'
import { RandomSource } from '../../generate/random.ts'
import { type Awaitable, whenKnown } from '../../records/awaitable.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { UnmadeTable } from '../../records/unmade-records.ts'
import { once } from '../../validation/objects.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { hasParents } from '../collection-name.ts'
import { TRASHED } from '../hidden-properties.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import { indexedProperties, serviceKeys } from '../keys.ts'
import { usualSize } from '../paging/read-page.ts'
import { parentValues } from '../reference-names.ts'
import type { Resource } from '../resource.ts'
import { idsOf, Records } from '../store/records.ts'
import type { BoundParents } from './bound-parents.ts'
import { createRecordGenerator, type GenerateRecord } from './generate-records.ts'
import { isValid, shownValues } from './is-valid.ts'
import { withDatesInOrder, withEndsOfState } from './ordered-dates.ts'
import {
  type ConcreteCollection,
  type CountBasis,
  countOfRecords,
  type PlannedIds,
  planIds,
  planMembers,
  unitedValues,
} from './planned-ids.ts'
import { type Collections, idsShownBy, withReferences } from './references.ts'

/** What the first records of a collection depend on. */
export interface FirstRecordsRequest extends ConcreteCollection {
  /** How many there are; default: by the size of a record. */
  readonly count?: number | undefined
  /** Whether examples of the document become records. */
  readonly hasExamples: boolean
  readonly seed: number
  readonly locale?: Locale | undefined
  readonly collections: Collections
  /** How many records the collections below each record start with; default: a few. */
  readonly below?: number | undefined
  /** The records above them that other paths name; absent when there are none. */
  readonly parents?: BoundParents | undefined
}

/** The first records of a collection. */
export interface CreatedRecords {
  readonly rows: readonly StoredRecord[]
  /** The state of the ids after them. */
  readonly ids: number
  /** Why a record could not be generated. */
  readonly failure?: { readonly property: readonly string[]; readonly reason: string }
}

/**
 * Creates the first records of a collection: those of the document's examples under their own ids, then generated ones. The same
 * ones for the same seed and concrete path. Records that would not be valid are left out.
 */
export async function createFirstRecords(request: FirstRecordsRequest): Promise<CreatedRecords> {
  const { plan, make } = await recordMaker(request)
  const rows: StoredRecord[] = []
  let failure: CreatedRecords['failure']
  const add = async (at: number, id: Id): Promise<void> => {
    const record = await make(at, id)
    if (record) rows.push(record)
    else failure ??= { property: [], reason: `the record ${id} does not match its schema` }
  }
  const count = wantedCount(request)
  if (count === 0) return { rows, ids: plan.take(0).state }
  let planned = plan.take(1)
  try {
    const [first] = planned.ids
    if (first !== undefined) await add(0, first)
    planned = plan.take(count ?? plan.most ?? defaultCount(request, rows[0], plan.examples.length))
    for (const [at, id] of planned.ids.entries()) if (at > 0) await add(at, id)
  } catch (error) {
    failure = failureOf(error)
  }
  return { rows, ids: planned.state, ...(failure && { failure }) }
}

/** A record below others that other paths name. An example is below those that it names itself. */
function boundRecord(
  record: StoredRecord,
  isExample: boolean,
  { resource, parents }: FirstRecordsRequest,
  at: number,
): StoredRecord {
  const bound = parents?.bind(record, at)
  if (!bound) return record
  const whole = isExample ? { ...bound, ...record } : bound
  return isValid(resource, whole) ? whole : { ...whole, ...record }
}

/**
 * Opens a collection whose first records are made when they are read, all but one; `undefined` where they depend on each other, or the
 * first one cannot be made. One that cannot be made later is as the first.
 */
export async function openUnmade(request: FirstRecordsRequest): Promise<Records | undefined> {
  const { resource } = request
  const count = wantedCount(request)
  if (count === 0 || resource.isSingle) return undefined
  const { plan, make, isSequence } = await recordMaker(request)
  if (isSequence) return undefined
  const made: typeof make = (at, id) => {
    try {
      const record = make(at, id)
      return record instanceof Promise ? record.catch(withoutRecord) : record
    } catch (error) {
      return withoutRecord(error)
    }
  }
  const [firstId] = plan.take(1).ids
  const first = firstId === undefined ? undefined : await made(0, firstId)
  if (!first) return undefined
  const { ids, state } = plan.take(
    count ?? plan.most ?? defaultCount(request, first, plan.examples.length),
  )
  const table = UnmadeTable.of({
    ids,
    make: (at, id) =>
      at === 0
        ? first
        : whenKnown(
            made(at, id),
            (record) =>
              record ?? { ...first, ...serviceKeys(resource, request.name, id), [resource.id]: id },
          ),
    id: resource.id,
    absent: resource.sorts ?? [],
    filters: indexedProperties(resource),
    idState: state,
  })
  // What is made before worlds are forked is shared by all of them.
  if (count !== undefined && ids.length <= MADE_AT_ONCE) await table.makeAll()

  return new Records(resource, idsOf(resource, request.seed, request.name), table, request.name)
}

/** So many records that somebody asks for take a tenth of a second. */
const MADE_AT_ONCE = 10_000

/** Throws again what is no reason why a record cannot be generated. */
function withoutRecord(error: unknown): undefined {
  failureOf(error)
  return undefined
}

function wantedCount({ count, parents, resource }: FirstRecordsRequest): number | undefined {
  return count ?? parents?.count ?? (resource.isSingle ? 1 : undefined)
}

/** What makes the records of a collection by their position and id, and the ids that they have. */
async function recordMaker(request: FirstRecordsRequest): Promise<{
  /** `most`: how many there are unless a number is given; default: by the size of a record. */
  readonly plan: PlannedIds & { readonly most?: number }
  /** Resolves with `undefined` when the record would not be valid. */
  readonly make: (at: number, id: Id) => Awaitable<StoredRecord | undefined>
  /** Whether each record depends on those before it. */
  readonly isSequence: boolean
}> {
  const { resource, name, parameters, seed, hasExamples, locale } = request
  const own = planIds(request, seed, hasExamples)
  const shown = await idsShownBy(request)
  const plan = shown ? planMembers(own, request, { seed, shown }) : own
  const known = parentValues(resource, parameters)
  const sample = unitedValues(plan.examples[0]?.values ?? [])
  // Examples need not be generated.
  const start = plan.examples.length > 0 ? undefined : 0
  const given = { name, seed, known, hasExamples, locale, sample, start }
  const { generate, isSequence } = await createRecordGenerator(resource, given)

  return {
    plan,
    isSequence,
    make: (at, id) => {
      const examples = plan.examples[at]?.values ?? []
      const example = exampleRecord(resource, examples, { id, at, generate })
      if (example) return boundRecord(example, true, request, at)
      // The id comes first, as in records that are created.
      const own = { ...serviceKeys(resource, name, id), [resource.id]: id }
      const values = withDatesInOrder({ [resource.id]: id, ...generate(at), ...own })
      const ended = withEndsOfState(values, resource, { at, hasExamples })
      const present = withoutRemoval(withCounts(ended, request, at), resource)
      const referring = withReferences(present, { ...request, at })
      return whenKnown(referring, (record) => record && boundRecord(record, false, request, at))
    },
  }
}

/** The most records below a record that counts them, unless a number is given. */
const MOST_COUNTED = 7

/** A generated record whose counts are those of the collections below it, which start with so many records. */
function withCounts(
  record: StoredRecord,
  { resource, name, seed, below }: FirstRecordsRequest,
  at: number,
): StoredRecord {
  const counted = countsOf(resource)
  if (counted.length === 0) return record
  const properties = propertiesOf(resource.schema)
  const counts = counted.flatMap((property) => {
    const random = RandomSource.from([seed, name, at, property])
    const count = below ?? random.integer(0, MOST_COUNTED)
    return matches(properties.get(property) ?? {}, count) ? [[property, count] as const] : []
  })
  return { ...record, ...Object.fromEntries(counts) }
}

/** What records say of their removal. */
const REMOVAL = /^(deleted|trashed|removed)(at|on|date|time|by|byid)?$/

/** A generated record that says nothing of a removal, where the removed ones are in a trash. */
function withoutRemoval(record: StoredRecord, { hidden, schema }: Resource): StoredRecord {
  if (!hidden.has(TRASHED)) return record
  const properties = propertiesOf(schema)
  const required = requiredNames(schema)
  const values = Object.entries(record).flatMap(([name, value]) => {
    if (!REMOVAL.test(plainName(name))) return [[name, value] as const]
    const own = properties.get(name) ?? {}
    const none = [false, null].find((one) => matches(own, one))
    if (none === undefined && required.has(name)) return [[name, value] as const]
    return none === undefined ? [] : [[name, none] as const]
  })
  return Object.fromEntries(values)
}

/** The properties of a record with the number of records below it. */
const countsOf = once(({ values = {} }: Resource): readonly string[] =>
  Object.entries(values).flatMap(([property, value]) =>
    countedWord(value) === undefined || heldStateIn(value) || property.startsWith('/')
      ? []
      : property,
  ),
)

function defaultCount(
  { resource, parents }: FirstRecordsRequest,
  first: StoredRecord | undefined,
  examples: number,
): number {
  const length = first ? JSON.stringify(first).length : 1
  const isNested = hasParents(resource)
  const { size = Number.POSITIVE_INFINITY } = resource.ids?.create(0, '') ?? {}
  // Where there are few ids, some are left for new records.
  const most = resource.creation ? Math.ceil(size / 2) : size
  const count = countOfRecords({ length, isNested, ...pagesOf(resource) })

  return Math.max(examples, Math.min(most, Math.max(count, parents?.least ?? 0)))
}

/** The pages of the list of a resource, if it has any. */
function pagesOf({ operations = [] }: Resource): Pick<CountBasis, 'pageSize' | 'pages'> {
  const list = operations.find(({ hints }) => hints.action === 'list' && hints.paging)
  const { paging, sort } = list?.hints ?? {}
  if (!list || !paging) return {}
  const pageSize = usualSize(paging, list.operation)
  const canGrow = operations.some(({ hints }) => hints.action === 'create')
  // Where what is added is not at the top, it must fit on the first page.
  const pages = canGrow && sort?.default !== LATEST_ADDED ? 1 : 2

  return { pageSize, pages }
}

/** The record of an example: as it is if it is valid, else completed. `undefined` when there is no such record. */
function exampleRecord(
  resource: Resource,
  values: readonly StoredRecord[],
  source: { readonly id: unknown; readonly at: number; readonly generate: GenerateRecord },
): StoredRecord | undefined {
  if (values.length === 0) return undefined
  const { id, at, generate } = source
  const candidates = [unitedValues(values), ...values].map((one) => ({ ...one, [resource.id]: id }))
  const valid = candidates.find((one) => isValid(resource, one))
  if (valid) return valid
  const preset = shownValues(resource, candidates[0] ?? {})
  try {
    const completed = withDatesInOrder({ ...generate(at, preset), [resource.id]: id })
    return isValid(resource, completed) ? completed : undefined
  } catch (error) {
    failureOf(error)
    return undefined
  }
}

/** Why no record can be generated. Throws other errors again. */
function failureOf(error: unknown): CreatedRecords['failure'] {
  if (!(error instanceof UsageError && error.cause instanceof InvalidRecordError)) throw error
  return { property: error.cause.at?.property ?? [], reason: error.reason }
}

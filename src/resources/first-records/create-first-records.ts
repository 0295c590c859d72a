import { countedWord } from '../../contract/hints.ts'
import { propertiesOf } from '../../contract/schema.ts'
import type { Locale } from '../../generate/locale.ts'
import { matches } from '../../generate/matches.ts'
import { RandomSource } from '../../generate/random.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { createRecordGenerator, type GenerateRecord } from '../generate-records.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import { keyNumbers } from '../keys.ts'
import { parentValues } from '../reference-names.ts'
import type { Resource } from '../resource.ts'
import type { BoundParents } from './bound-parents.ts'
import { isValid, shownValues } from './is-valid.ts'
import { type ConcreteCollection, countOfRecords, planIds, unitedValues } from './planned-ids.ts'
import { type Collections, withReferences } from './references.ts'

/** What the first records of a collection depend on. */
interface FirstRecordsRequest extends ConcreteCollection {
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
  const { resource, name, parameters, seed, hasExamples } = request
  const plan = planIds(request, seed, hasExamples)
  const known = parentValues(resource, parameters)
  const generate = await createRecordGenerator(resource, {
    ...{ name, seed, known, hasExamples },
    locale: request.locale,
    sample: unitedValues(plan.examples[0]?.values ?? []),
  })
  const rows: StoredRecord[] = []
  let failure: CreatedRecords['failure']
  const add = async (at: number, id: StoredRecord[string]): Promise<void> => {
    const examples = plan.examples[at]?.values ?? []
    const own = exampleRecord(resource, examples, { id, at, generate })
    const values = { ...generate(at), ...keyNumbers(resource, name, id), [resource.id]: id }
    const generated = withCounts(values, request, at)
    const record = own ?? (await withReferences(generated, { ...request, at }))
    if (record) rows.push(boundRecord(record, own !== undefined, request, at))
    else failure ??= { property: [], reason: `the record ${id} does not match its schema` }
  }
  const count = request.count ?? request.parents?.count ?? (resource.isSingle ? 1 : undefined)
  if (count === 0) return { rows, ids: plan.take(0).state }
  let planned = plan.take(1)
  try {
    const [first] = planned.ids
    if (first !== undefined) await add(0, first)
    planned = plan.take(count ?? defaultCount(request, rows[0], plan.examples.length))
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

/** The most records below a record that counts them, unless a number is given. */
const MOST_COUNTED = 7

/** A generated record whose counts are those of the collections below it, which start with so many records. */
function withCounts(
  record: StoredRecord,
  { resource, name, seed, below }: FirstRecordsRequest,
  at: number,
): StoredRecord {
  const properties = propertiesOf(resource.schema)
  const counts = Object.entries(resource.values ?? {}).flatMap(([property, value]) => {
    if (countedWord(value) === undefined || property.startsWith('/')) return []
    const random = RandomSource.from([seed, name, at, property])
    const count = below ?? random.integer(0, MOST_COUNTED)
    return matches(properties.get(property) ?? {}, count) ? [[property, count] as const] : []
  })
  return { ...record, ...Object.fromEntries(counts) }
}

function defaultCount(
  { resource, parameters, parents }: FirstRecordsRequest,
  first: StoredRecord | undefined,
  examples: number,
): number {
  const length = first ? JSON.stringify(first).length : 1
  const isNested = Object.keys(parameters).length > 0
  const { size = Number.POSITIVE_INFINITY } = resource.ids?.create(0, '') ?? {}
  // Where there are few ids, some are left for new records.
  const most = resource.creation ? Math.ceil(size / 2) : size
  const count = countOfRecords({ length, isNested, pageSize: pageSizeOf(resource) })

  return Math.max(examples, Math.min(most, Math.max(count, parents?.least ?? 0)))
}

/** Lists without a documented size of their pages have this one. */
const PAGE_SIZE = 20

/** How many records the list of a resource shows at first; `undefined` when it has no pages. */
function pageSizeOf({ operations = [] }: Resource): number | undefined {
  const list = operations.find(({ hints }) => hints.action === 'list')
  const paging = list?.hints.paging
  if (!list || !paging) return undefined
  const size = list.operation.parameters.find(
    (one) => one.in === 'query' && one.name === paging.size,
  )
  const preset = Number(size?.schema.default)
  return preset > 0 ? preset : PAGE_SIZE
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
    const completed = { ...generate(at, preset), [resource.id]: id }
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

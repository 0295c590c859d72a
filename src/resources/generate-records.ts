import { generateValue } from '../generate/generate-value.ts'
import { createHintedValues, HintError, type HintedValues } from '../generate/hinted-values.ts'
import { isObject } from '../validation/is-object.ts'
import { UsageError } from '../validation/usage-error.ts'
import { createIdGenerator } from './id-generator.ts'
import { InvalidRecordError } from './invalid-record-error.ts'
import type { StoredRecord } from './record-index.ts'
import type { Resource } from './resource.ts'

/** Dates of records count from this day instead of today, so that they are the same in every run. */
const REFERENCE_DAY = Date.parse('2026-01-01T00:00:00Z')

/**
 * Generates records for each resource: the same ones for the same seed on every machine. Fewer records are the first ones of
 * more. The store adds the ids.
 */
export async function generateRecords(
  resources: readonly Resource[],
  count: number,
  seed: number,
): Promise<ReadonlyMap<string, readonly StoredRecord[]>> {
  const generated = new Map<string, readonly StoredRecord[]>()
  for (const resource of resources) {
    const seeds = [seed, ...Array.from(resource.name, (letter) => letter.charCodeAt(0))]
    const hinted = await createHintedValues(resource.schema, { now: REFERENCE_DAY, seed: seeds })
    const preset = firstId(resource)
    const attempts = [0, 0]
    const records: StoredRecord[] = []
    for (let at = 0; at < count; at += 1) {
      const firstAttempt = Math.min(...attempts.slice(-2))
      const source = { seed: [...seeds, at], preset, hinted, firstAttempt }
      const { record, attempt } = generateRecord(resource, source)
      records.push(record)
      attempts.push(attempt)
    }
    generated.set(resource.name, records)
  }
  return generated
}

/** An id, without which a record would not be valid. */
function firstId({ id, idSchema }: Resource): StoredRecord | undefined {
  const ids = createIdGenerator(idSchema, 0)
  return ids && { [id]: ids.next(ids.start).id }
}

/** What a record is generated from. */
interface RecordSource {
  readonly seed: readonly number[]
  readonly preset: StoredRecord | undefined
  readonly hinted: HintedValues
  /** What the two records before needed. A schema whose large values are ambiguous would cost much time for each record. */
  readonly firstAttempt: number
}

function generateRecord(
  resource: Resource,
  { seed, preset, hinted, firstAttempt }: RecordSource,
): { readonly record: StoredRecord; readonly attempt: number } {
  const { schema, validate, name, id } = resource
  try {
    const {
      value,
      property,
      reason,
      attempt = 0,
    } = generateValue(
      {
        ...{ schema, validate, seed, place: name, now: REFERENCE_DAY },
        ...(preset && { preset }),
      },
      { makeHinted: hinted, hasExamples: seed.at(-1) === 0, firstAttempt },
    )
    if (!isObject(value)) throw ungenerable(resource, property ?? [], reason ?? '')
    const { [id]: _, ...record } = value

    return { record, attempt }
  } catch (error) {
    throw error instanceof HintError ? invalidHint(resource, error) : error
  }
}

function invalidHint({ name, path }: Resource, error: HintError): UsageError {
  return new UsageError({
    code: 'invalid_hint',
    task: `generate ${[name, ...error.property].join('.')}`,
    reason: `its x-faker hint fails (${error.message})`,
    help: 'Name a method of @faker-js/faker, as number.int.',
    cause: new InvalidRecordError([], { path, property: error.property }, error),
  })
}

function ungenerable(
  { name, path }: Resource,
  property: readonly string[],
  reason: string,
): UsageError {
  return new UsageError({
    code: 'invalid_seed',
    task: `generate ${[name, ...property].join('.')}`,
    reason: `no value matches its schema (${reason})`,
    help: 'Correct the schema, or give it an x-faker hint.',
    cause: new InvalidRecordError([], { path, property }),
  })
}

import type { SchemaValidator, ValidationTime } from '../../contract/contract.ts'
import { isValidIn } from '../../contract/schema.ts'
import { generateValue } from '../../generate/generate-value.ts'
import {
  createHintSequence,
  HintError,
  type HintedValues,
  hasHints,
} from '../../generate/hinted-values.ts'
import type { Locale } from '../../generate/locale.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { isObject } from '../../validation/objects.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { createIdGenerator } from '../id-generator.ts'
import { InvalidRecordError } from '../invalid-record-error.ts'
import type { Resource } from '../resource.ts'
import { hasHiddenId } from './is-valid.ts'

/** Dates of records count from this day instead of today, so that they are the same in every run. */
const REFERENCE_DAY = Date.parse('2026-01-01T00:00:00Z')

/** What the records of a collection are generated for. */
export interface GenerationRequest {
  /** The concrete name of the collection, such as `orgs/acme/repos`. */
  readonly name: string
  readonly seed: number
  readonly locale?: Locale | undefined
  /** Whether the first record has the values of the schema's examples. Default: yes. */
  readonly hasExamples?: boolean
  /** Properties that all records have. */
  readonly known?: StoredRecord
  /** A record of an example, which the others are like. */
  readonly sample?: StoredRecord | undefined
  /** The position of the first record that is generated; `undefined` when some are not. Default: 0. */
  readonly start?: number | undefined
}

/**
 * Generates one record of a collection, with some id. `at` is its position: the same position gives the same record. `own` are values of
 * this record. Throws a UsageError when none can be generated.
 */
export type GenerateRecord = (at: number, own?: StoredRecord) => StoredRecord

/** Generates the records of a collection. */
interface RecordGenerator {
  readonly generate: GenerateRecord
  /** Whether a record depends on those before it, because of its `x-faker` hints: then these must have been generated in turn. */
  readonly isSequence: boolean
}

export async function createRecordGenerator(
  resource: Resource,
  request: GenerationRequest,
): Promise<RecordGenerator> {
  const { name, seed, locale, known, sample, hasExamples = true } = request
  const { start } = { start: 0, ...request }
  const seeds = [seed, ...Array.from(name, (letter) => letter.charCodeAt(0))]
  const { makeHinted, goTo } = await createHintSequence(resource.schema, {
    now: REFERENCE_DAY,
    seed: seeds,
    locale,
  })
  const isSequence = hasHints(resource.schema) && (start === undefined || !goTo)
  const id = firstId(resource)
  const preset = known ? { ...id, ...known } : id
  let attempts: number | undefined
  const firstAttempt = (at: number): number => {
    if (at <= 1 || attempts !== undefined) return attempts ?? 0
    generate(1)
    return attempts ?? 0
  }
  const time: ValidationTime = { used: 0 }

  const generate: GenerateRecord = (at, own) => {
    const first = own || at <= 1 ? 0 : firstAttempt(at)
    if (!isSequence) goTo?.(at - (start ?? 0))
    const { record, attempt } = generateRecord(resource, {
      ...{ time, seed: seeds, at, hinted: makeHinted, locale, sample, firstAttempt: first },
      hasExamples: hasExamples && at === 0,
      preset: own ? { ...preset, ...own } : preset,
    })
    if (!own && at === 1) attempts = attempt
    return record
  }
  return { generate, isSequence }
}

/** An id, without which a record would not be valid. */
function firstId(resource: Resource): StoredRecord | undefined {
  const { id, idSchema, ids: own } = resource
  if (hasHiddenId(resource)) return undefined
  const ids = own ? own.create(0, '') : createIdGenerator(idSchema, 0)
  return ids && { [id]: ids.next(ids.start).id }
}

/** What a record is generated from. */
interface RecordSource {
  readonly time: ValidationTime
  readonly seed: readonly number[]
  readonly at: number
  readonly sample: unknown
  readonly hasExamples: boolean
  readonly preset: StoredRecord | undefined
  readonly hinted: HintedValues
  readonly locale: Locale | undefined
  /** What the second record needed. A schema whose large values are ambiguous would cost much time for each record. */
  readonly firstAttempt: number
}

function generateRecord(
  resource: Resource,
  { hasExamples, preset, hinted, firstAttempt, ...source }: RecordSource,
): { readonly record: StoredRecord; readonly attempt: number } {
  const { schema, name } = resource
  const validate: SchemaValidator = (value) =>
    isValidIn(source.time, resource.validate, value) && matches(schema, value)
  try {
    const {
      value,
      property,
      reason,
      attempt = 0,
      isValid,
    } = generateValue(
      {
        ...{ ...source, schema, validate, place: name, now: REFERENCE_DAY },
        ...(preset && { preset }),
      },
      { makeHinted: hinted, hasExamples, firstAttempt },
    )
    // The items of a list of texts are ids, and nothing else is known of their records.
    if (isValid && !isObject(value)) return { record: {}, attempt }
    if (!isObject(value)) throw ungenerable(resource, property ?? [], reason ?? '')
    return { record: value, attempt }
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

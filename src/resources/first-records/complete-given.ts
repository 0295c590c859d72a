import type { Locale } from '../../generate/locale.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { UsageError } from '../../validation/usage-error.ts'
import { nextFreeId } from '../find-ids.ts'
import { idOf } from '../id-generator.ts'
import { parentValues } from '../reference-names.ts'
import type { Resource } from '../resource.ts'
import { createRecordGenerator, type GenerateRecord } from './generate-records.ts'
import { isAbsent, schemasOf } from './given-records.ts'
import { type ConcreteCollection, generatorOf } from './planned-ids.ts'

/** Records with what the given ones lack. Given values stay, also invalid ones. Missing ids are the next free ones. */
export async function completeGiven(
  { resource, name, parameters }: ConcreteCollection,
  given: readonly StoredRecord[],
  seed: number,
  locale?: Locale,
): Promise<readonly StoredRecord[]> {
  const known = parentValues(resource, parameters)
  const own = { name, seed, known, locale, start: 1 }
  const { generate } = await createRecordGenerator(resource, own)
  const ids = generatorOf(resource, name, seed)
  const taken = new Set(given.flatMap((one) => idOf(one, resource.id) ?? []))
  let state = ids?.start ?? 0
  for (const id of taken) state = ids?.stateAfter(state, id) ?? 0
  const nextId = (): Id | undefined => {
    if (resource.isSingle) return name.slice(name.lastIndexOf('/') + 1)
    const next = ids && nextFreeId(ids, state, (id) => taken.has(id))
    state = next?.state ?? state
    return next?.id
  }

  return given.map((values, at) => {
    const id = idOf(values, resource.id) ?? nextId()
    const generated = generatedBeside(withoutAbsent(values, resource), generate, at)
    return { ...generated, ...values, ...(id !== undefined && { [resource.id]: id }) }
  })
}

/** The values without those that say that there is none. */
function withoutAbsent(values: StoredRecord, resource: Resource): StoredRecord {
  const schemas = schemasOf(resource)
  const isGiven = ([name, value]: readonly [string, unknown]): boolean =>
    value !== null || !isAbsent(name, schemas)
  return Object.fromEntries(Object.entries(values).filter(isGiven))
}

/** What is generated for a record beside its own values; nothing when no valid record has these. */
function generatedBeside(values: StoredRecord, generate: GenerateRecord, at: number): StoredRecord {
  try {
    // The first position has the values of the schema's example.
    return generate(at + 1, values)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return {}
  }
}

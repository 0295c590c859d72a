import type { Contract } from '../contract/contract.ts'
import type { MissingRecords } from '../contract/missing-records.ts'
import type { FirstRecords } from '../resources/check-first-records.ts'
import { InvalidRecordError } from '../resources/invalid-record-error.ts'
import type { StoredRecord } from '../resources/record-index.ts'
import { completeRecord } from '../resources/record-values.ts'
import type { Records } from '../resources/records.ts'
import type { Resource } from '../resources/resource.ts'
import { createRecords, createStore, Store } from '../resources/store.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { Settings } from './settings.ts'

type RecordsByName = ReadonlyMap<string, readonly StoredRecord[]>

/** A store with given records, or with generated ones that are created when a request needs them. */
export async function createOtherFirstStore(
  settings: Settings,
  resources: () => readonly Resource[],
  records: FirstRecords,
  now: number,
): Promise<Store> {
  if (typeof records === 'number') {
    return new Store((resource) => generatedRecords(resource, records, settings))
  }
  const rows = completedRecords(resources(), records, now)
  const first = new Map([...rows].map(([name, list]) => [name, { rows: list }]))
  try {
    return await createStore(resources(), first, settings.seed)
  } catch (cause) {
    if (!(cause instanceof InvalidRecordError)) throw cause
    throw new UsageError({
      code: 'invalid_seed',
      task: `create the first records of ${settings.contract.title}`,
      reason: cause.message,
      cause,
    })
  }
}

/** The given records, completed by the rules of the API. */
function completedRecords(
  resources: readonly Resource[],
  records: Exclude<FirstRecords, number>,
  now: number,
): RecordsByName {
  const given = resources.map((resource) => {
    const rows = Object.hasOwn(records, resource.name) ? (records[resource.name] ?? []) : []
    return [resource.name, rows.map((row) => completeRecord(resource, row, now))] as const
  })
  return new Map(given)
}

/** Generated records, without those that do not match their schema. Faker is loaded only here. */
async function generatedRecords(
  resource: Resource,
  count: number,
  { contract, seed }: Settings,
): Promise<Records> {
  const records = createRecords(resource, seed)
  if (count === 0) return records
  const { rows, failure } = await generateRows(resource, count, seed)
  let failed = failure
  for (const row of rows) {
    await records.create(row).catch((error: unknown) => {
      if (!(error instanceof InvalidRecordError)) throw error
      failed ??= { property: error.at?.property ?? [], reason: error.message }
    })
  }
  if (failed) report(contract, { ...failed, path: resource.path, count: records.size })

  return records
}

async function generateRows(
  resource: Resource,
  count: number,
  seed: number,
): Promise<{
  readonly rows: readonly StoredRecord[]
  readonly failure?: Pick<MissingRecords, 'property' | 'reason'>
}> {
  const { generateRecords } = await import('../resources/generate-records.ts')
  try {
    return { rows: (await generateRecords([resource], count, seed)).get(resource.name) ?? [] }
  } catch (error) {
    if (!(error instanceof UsageError && error.cause instanceof InvalidRecordError)) throw error
    const { at } = error.cause
    return { rows: [], failure: { property: at?.property ?? [], reason: error.reason } }
  }
}

/** Tells the loader of the document. A contract from elsewhere has none. */
function report({ onRecordsMissing = warn }: Contract, missing: MissingRecords): void {
  onRecordsMissing(missing)
}

function warn({ path, reason }: MissingRecords): void {
  // biome-ignore lint/suspicious/noConsole: Without records, tests fail for no visible reason.
  console.warn(`pet-sandbox: records of ${path} cannot be generated: ${reason}`)
}

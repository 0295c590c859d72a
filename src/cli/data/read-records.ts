import { resolve } from 'node:path'
import type { Contract, Schema } from '../../contract/contract.ts'
import { propertiesOf, withBranches } from '../../contract/schema-properties.ts'
import { asUsageError, type Mistake, Mistakes } from '../../document/mistake.ts'
import type { Locale } from '../../generate/locale.ts'
import { matches } from '../../generate/matches.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { resourcesIn } from '../../resources/bind.ts'
import { checkFirstRecords } from '../../resources/check-first-records.ts'
import { completeGiven } from '../../resources/first-records/complete-given.ts'
import { parametersIn } from '../../resources/first-records/parameters-in.ts'
import { isCollectionOf, OTHERS } from '../../resources/first-records/start-of.ts'
import { withIds } from '../../resources/ids/with-ids.ts'
import type { GivenRecords } from '../../resources/records-option.ts'
import type { Resource } from '../../resources/resource.ts'
import { isObject } from '../../validation/objects.ts'
import { suggest } from '../../validation/usage-error.ts'
import { type DataTable, dataFiles, readTables } from './data-file.ts'

/** What the records of files are for. */
interface DataTarget {
  readonly contract: Contract
  readonly seed: number
  readonly locale?: Locale | undefined
  /** Called with each file that is read. */
  readonly onRead: (file: string) => void
}

/**
 * The records of files and folders by collection, for the option `records`. What a record lacks is generated. Throws a UsageError that
 * lists the mistakes, each with its location (file:line:column).
 */
export async function readRecords(
  paths: readonly string[],
  target: DataTarget,
): Promise<Readonly<Record<string, readonly StoredRecord[]>>> {
  const records = new Map<string, StoredRecord[]>()
  const mistakes: Mistake[] = []
  for (const path of paths) {
    target.onRead(resolve(path))
    for (const { file, collection } of await dataFiles(path)) {
      target.onRead(resolve(file))
      try {
        for (const table of await readTables(file, collection)) {
          const { name, rows } = await recordsOf(table, target, mistakes)
          records.set(name, [...(records.get(name) ?? []), ...rows])
        }
      } catch (error) {
        if (!(error instanceof Mistakes)) throw error
        mistakes.push(...error.list)
      }
    }
  }
  if (mistakes.length > 0) {
    throw asUsageError(paths.join(', '), new Mistakes(mistakes), 'invalid_records')
  }
  return Object.fromEntries(records)
}

/** The option `records` with the records of files. Collections that have no file start as without files. */
export function withData(
  records: number | 'default' | GivenRecords | undefined,
  data: Readonly<Record<string, readonly StoredRecord[]>>,
): GivenRecords {
  const named = typeof records === 'object' ? records : { [OTHERS]: records ?? 'default' }
  return { [OTHERS]: 'default', ...named, ...data }
}

/** The complete records of one table. */
async function recordsOf(
  table: DataTable,
  { contract, seed, locale }: DataTarget,
  mistakes: Mistake[],
): Promise<{ readonly name: string; readonly rows: readonly StoredRecord[] }> {
  const name = table.collection.replace(/^\//, '')
  const resources = resourcesIn(contract)
  const found = resources.find((one) => isCollectionOf(one, name))
  const problem = found ? nestedProblem(found, name) : unknownCollection(name, resources)
  if (!found || problem) {
    mistakes.push({ location: table.location, reason: '', ...problem })
    return { name, rows: [] }
  }
  const resource = found.operations ? withIds(found) : found
  const objects = table.rows.flatMap((row, at) => {
    if (isObject(row)) return [typed(row, resource, table.isText)]
    mistakes.push({ reason: 'a record must be an object', location: table.locate(at, []) })
    return []
  })
  if (objects.length < table.rows.length) return { name, rows: [] }
  const parameters = parametersIn(resource.path, name)
  const rows = await completeGiven({ resource, name, parameters }, objects, seed, locale)
  mistakes.push(...mistakesOf(rows, objects, { resource, name, table, contract }))

  return { name, rows }
}

function unknownCollection(name: string, resources: readonly Resource[]): Partial<Mistake> {
  const known = resources.map((one) => (one.parents ? one.path.slice(1) : one.name))
  return { reason: `unknown collection "${name}"`, ...suggest(name, known) }
}

/** A nested collection is named by its path, because each parent has its own. */
function nestedProblem({ parents, path }: Resource, name: string): Partial<Mistake> | undefined {
  if (!parents || name.split('/').length === path.split('/').length - 1) return undefined
  return {
    reason: `"${name}" is below other records`,
    help: `Name one collection by its path, such as ${path.slice(1).replace(/[{}]/g, '')}.`,
  }
}

/** The values of a record with the types of its schema: those of CSV are texts, and an id may be a text of a number. */
function typed(row: StoredRecord, { schema, id }: Resource, isText: boolean): StoredRecord {
  const properties = propertiesOf(schema)
  const entries = Object.entries(row).map(([name, value]) => {
    const own = properties.get(name) ?? {}
    return [name, isText || name === id ? typedValue(value, own) : value] as const
  })
  return Object.fromEntries(entries)
}

function typedValue(value: unknown, schema: Schema): unknown {
  if (typeof value === 'number' && !matches(schema, value) && matches(schema, String(value))) {
    return String(value)
  }
  if (typeof value !== 'string') return value
  const types = withBranches(schema).flatMap(({ type = [] }) => type)
  if (types.length === 0 || types.includes('string')) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

interface TableContext {
  readonly resource: Resource
  readonly name: string
  readonly table: DataTable
  readonly contract: Contract
}

/** The mistakes of given values. What was generated is not the author's mistake. */
function mistakesOf(
  rows: readonly StoredRecord[],
  given: readonly StoredRecord[],
  { resource, name, table, contract }: TableContext,
): readonly Mistake[] {
  const properties = propertiesOf(resource.schema)
  const found = checkFirstRecords({ records: { [name]: rows } }, contract, []).map(
    ({ path: [, row = 0, ...inner], part, reason, help, ...suggestion }): Mistake => ({
      reason,
      location: table.locate(Number(row), inner.map(String), part),
      ...(help !== undefined && { help }),
      ...suggestion,
    }),
  )
  if (found.length > 0) return found

  return given.flatMap((row, at) =>
    Object.entries(row).flatMap(([property, value]) => {
      const schema = properties.get(property)
      if (!schema || matches(schema, value)) return []
      const reason = `${name}[${at}].${property} does not match its schema`
      return [{ reason, location: table.locate(at, [property]) }]
    }),
  )
}

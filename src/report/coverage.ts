import type { Contract, Operation } from '../contract/contract.ts'
import { coveredErrors, documentedErrors } from './documented-errors.ts'
import { coveredValues, documentedValues } from './documented-values.ts'
import type { Entry } from './entry.ts'

/** Something that the contract speaks of, and whether a recording met it. */
export interface CoverageItem {
  /** As `404`, `query.status=sold`, `401 without a key`. */
  readonly name: string
  /** How many requests met it. */
  readonly count: number
}

/** What of an operation was met. */
export interface OperationCoverage {
  readonly operation: string
  /** As `GET /books`. */
  readonly request: string
  /** How many requests there were. */
  readonly count: number
  /** The statuses that the document gives. */
  readonly statuses: readonly CoverageItem[]
  /** The values of its parameters and of its body that the document lists. */
  readonly values: readonly CoverageItem[]
  /** The ways in which it refuses. */
  readonly errors: readonly CoverageItem[]
}

/** What of the contract was met. */
export interface Coverage {
  /** Of all that there is to meet: operations, statuses, values and errors alike. Rounded down. */
  readonly percent: number
  readonly met: number
  readonly total: number
  readonly operations: readonly OperationCoverage[]
}

/** What of a contract entries met, and what they never met. */
export function measureCoverage(entries: readonly Entry[], contract: Contract): Coverage {
  const operations = contract.operations.map((operation) =>
    coverOperation(
      operation,
      entries.filter((entry) => entry.operation === operation.id),
    ),
  )
  const counts = operations.flatMap(({ count, statuses, values, errors }) => [
    count,
    ...[...statuses, ...values, ...errors].map((one) => one.count),
  ])
  const met = counts.filter((count) => count > 0).length
  const percent = counts.length === 0 ? 100 : Math.floor((met / counts.length) * 100)

  return { percent, met, total: counts.length, operations }
}

function coverOperation(operation: Operation, entries: readonly Entry[]): OperationCoverage {
  const statuses = operation.responses.map(({ status }) => String(status))
  return {
    operation: operation.id,
    request: `${operation.method} ${operation.path}`,
    count: entries.length,
    statuses: count(statuses, entries, ({ status }) => [String(status)]),
    values: count(documentedValues(operation), entries, (entry) => coveredValues(operation, entry)),
    errors: count(documentedErrors(operation), entries, coveredErrors),
  }
}

function count(
  names: readonly string[],
  entries: readonly Entry[],
  met: (entry: Entry) => readonly string[],
): readonly CoverageItem[] {
  const counts = new Map(names.map((name) => [name, 0]))
  for (const name of entries.flatMap((entry) => [...new Set(met(entry))])) {
    const before = counts.get(name)
    if (before !== undefined) counts.set(name, before + 1)
  }
  return [...counts].map(([name, times]) => ({ name, count: times }))
}

import type { Contract, Operation } from '../contract/contract.ts'
import { documentedKey } from '../contract/documented-response.ts'
import { coveredErrors, documentedErrors } from './documented-errors.ts'
import { coveredValues, documentedValues } from './documented-values.ts'
import type { ReportEntry } from './report-entry.ts'

/** One item of the contract, and how many requests covered it. */
export interface CoverageItem {
  /** For instance `404`, `query.status=sold`, `401 without a key`. */
  readonly name: string
  /** The number of requests that covered it. */
  readonly count: number
}

/** The coverage of one operation. */
export interface OperationCoverage {
  readonly operation: string
  /** Method and path, for instance `GET /books`. */
  readonly request: string
  /** The number of requests. */
  readonly count: number
  /** The documented response statuses, and ranges such as `4XX` and `default`. */
  readonly statuses: readonly CoverageItem[]
  /** The documented (enum) values of parameters and body properties. */
  readonly values: readonly CoverageItem[]
  /** The documented error cases. */
  readonly errors: readonly CoverageItem[]
}

/** The part of the contract that the requests covered. */
export interface Coverage {
  /** Of all items: operations, statuses, values and error cases. Rounded down. */
  readonly percent: number
  /** The percentage that the options require; absent when they require none. */
  readonly required?: number
  /** The number of covered items. */
  readonly met: number
  /** The number of all items. */
  readonly total: number
  readonly operations: readonly OperationCoverage[]
}

/** Measures which items of a contract the entries cover. */
export function measureCoverage(
  entries: readonly ReportEntry[],
  contract: Contract,
  required = 0,
): Coverage {
  const operations = contract.operations.map((operation) =>
    coverOperation(
      operation,
      contract.sandbox?.auth === 'keys',
      entries.filter((entry) => entry.operation === operation.id),
    ),
  )
  const counts = operations.flatMap((one) => [one.count, ...itemsOf(one).map((item) => item.count)])
  const met = counts.filter((count) => count > 0).length
  const percent = counts.length === 0 ? 100 : Math.floor((met / counts.length) * 100)

  return {
    percent,
    ...(required > 0 && { required }),
    met,
    total: counts.length,
    operations,
  }
}

/** The statuses, values and error cases of an operation. */
export function itemsOf({ statuses, values, errors }: OperationCoverage): readonly CoverageItem[] {
  return [...statuses, ...values, ...errors]
}

/** Why the coverage makes the report fail; `undefined` when it does not. */
export function describeShortfall({ percent, required = 0 }: Coverage): string | undefined {
  return percent < required
    ? `coverage is ${percent} %, but must be at least ${required} %`
    : undefined
}

function coverOperation(
  operation: Operation,
  hasWrongKeys: boolean,
  entries: readonly ReportEntry[],
): OperationCoverage {
  const { responses, otherResponses = [] } = operation
  const statuses = [
    ...responses.map(({ status }) => String(status)),
    ...otherResponses.map(({ range }) => range),
  ]
  return {
    operation: operation.id,
    request: `${operation.method} ${operation.path}`,
    count: entries.length,
    statuses: countItems(statuses, entries, ({ status }) => [
      documentedKey(operation, status) ?? String(status),
    ]),
    values: countItems(documentedValues(operation), entries, (entry) =>
      coveredValues(operation, entry),
    ),
    errors: countItems(documentedErrors(operation, hasWrongKeys), entries, (entry) =>
      coveredErrors(operation, entry),
    ),
  }
}

function countItems(
  names: readonly string[],
  entries: readonly ReportEntry[],
  covered: (entry: ReportEntry) => readonly string[],
): readonly CoverageItem[] {
  const counts = new Map(names.map((name) => [name, 0]))
  for (const name of entries.flatMap((entry) => [...new Set(covered(entry))])) {
    const before = counts.get(name)
    if (before !== undefined) counts.set(name, before + 1)
  }
  return [...counts].map(([name, count]) => ({ name, count }))
}

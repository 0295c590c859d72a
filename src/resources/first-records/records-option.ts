import type { Contract, ServiceTypes } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import { kindOf, UsageError } from '../../validation/usage-error.ts'
import { toErrorItem, type ValueMistake } from '../../validation/value-check.ts'
import type { FirstRecords } from '../start-of.ts'
import { checkFirstRecords } from './check-first-records.ts'
import { isCount } from './records-check.ts'

/** Records for each collection, or their number, by the types of the contract. */
export type GivenRecords<Types extends ServiceTypes = ServiceTypes> = {
  readonly [Name in keyof Types['collections']]?:
    | number
    | 'default'
    | readonly Types['collections'][Name]['created'][]
    | Readonly<Record<string, unknown>>
} & {
  /** How many records every other collection starts with. By default, none. */
  readonly '*'?: number | 'default'
}

const TASK = 'create the sandbox'

/**
 * Checks the option `records`, and copies the records as JSON. Throws a UsageError with all mistakes, each with its path, as
 * `records.pets[1].name`.
 */
export function resolveRecords(given: unknown, contract: Contract): FirstRecords {
  if (given === 'default' || isCount(given)) return given
  if (!isObject(given)) {
    throw new UsageError({
      code: 'invalid_option',
      task: TASK,
      reason: `\`records\` must be an integer ≥ 0 or an object of arrays (got ${kindOf(given)})`,
      location: 'records',
    })
  }
  const { records, mistakes } = checkFirstRecords(asJson(given), contract)
  refuse(mistakes)
  return records
}

/** Throws a UsageError that lists mistakes, if there are any. */
function refuse(mistakes: readonly ValueMistake[]): void {
  const [first, ...others] = mistakes.map(toErrorItem)
  if (!first) return
  throw new UsageError({
    code: 'invalid_records',
    task: TASK,
    ...first,
    errors: [first, ...others],
  })
}

/** A copy as JSON: without properties that are `undefined`, with each `Date` as text. */
function asJson(given: object): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(JSON.stringify(given))
  } catch (cause) {
    throw new UsageError({
      code: 'invalid_records',
      task: TASK,
      reason: '`records` is not valid JSON data',
      help: 'Give plain objects without cycles and without BigInt values.',
      location: 'records',
      cause,
    })
  }
}

import { kindOf, shortened, UsageError } from '../validation/usage-error.ts'
import type { Contract, Operation } from './contract.ts'

/** The base paths of a contract, the main one first. */
export function allBasePaths({ basePath, basePaths = [] }: Contract): readonly string[] {
  // The copy of a contract may have another base path.
  return basePaths.includes(basePath) ? basePaths : [basePath]
}

/** A base path in its usual form, such as `/v1`, or empty for the root; `undefined` for a text that is no path. */
export function normalizeBasePath(text: string): string | undefined {
  if (!/^(\/(?![/\\])[^?#\s]*)?$/.test(text)) return undefined
  return new URL(text, 'http://localhost').pathname.replace(/\/+$/, '')
}

/** The option `basePath` in its usual form. Throws a UsageError for a value that is no path. */
export function readBasePath(given: unknown): string {
  const basePath = typeof given === 'string' ? normalizeBasePath(given) : undefined
  if (basePath !== undefined) return basePath
  throw new UsageError({
    code: 'invalid_option',
    task: 'use the option basePath',
    reason: `the value must be a path (got ${typeof given === 'string' ? shortened(JSON.stringify(given)) : kindOf(given)})`,
    help: 'Write it as /v1, or / for the root.',
  })
}

/** The same contract with one base path for all operations, also for those with servers of their own. */
export function withBasePath(contract: Contract, basePath: string): Contract {
  const { operations } = contract
  const hasServers = operations.some(({ basePaths }) => basePaths !== undefined)
  return copyWith(contract, {
    basePath,
    basePaths: [basePath],
    operations: hasServers ? operations.map(withoutServers) : operations,
  })
}

function withoutServers(operation: Operation): Operation {
  return operation.basePaths === undefined
    ? operation
    : copyWith(operation, { basePaths: undefined })
}

/** A copy with other values. Getters are copied as they are: they compute their value when it is first needed. */
function copyWith<Value extends object>(value: Value, changes: object): Value {
  return Object.create(Object.getPrototypeOf(value), {
    ...Object.getOwnPropertyDescriptors(value),
    ...Object.getOwnPropertyDescriptors(changes),
  })
}

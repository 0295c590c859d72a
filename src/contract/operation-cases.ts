import { once } from '../validation/objects.ts'
import type { Operation } from './contract.ts'
import type { OperationHints } from './hints.ts'

// One operation may stand for many, as `POST /` with the name of a method in the body: its hints have a case for each of them.

/** The operation as it is in each of its cases, in their order: with the hints of the case. Always the same objects. */
export const casesOf: (operation: Operation) => readonly Operation[] = once((operation) =>
  (operation.hints?.cases ?? []).map(({ when: _, ...hints }) => withHints(operation, hints)),
)

/** A copy whose other properties are still computed when they are read. */
function withHints(operation: Operation, hints: OperationHints): Operation {
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(operation),
    hints: { value: hints, enumerable: true },
  })
}

/** The operation, and what it is in each of its cases. */
export function withCases(operation: Operation): readonly Operation[] {
  return [operation, ...casesOf(operation)]
}

/** Those of operations and their cases that are about a resource. */
export function operationsOn(name: string, operations: readonly Operation[]): readonly Operation[] {
  return operations.flatMap(withCases).filter((one) => one.hints?.resource === name)
}

/** The actions in the order of how much of a record their responses usually show. */
const SHOWN_BY: readonly string[] = ['read', 'create', 'replace', 'update', 'act', 'list']

/**
 * The operation, or its case, whose response shows most of a record, as far as the actions tell: among those with one id, if it is given.
 * `undefined` when none shows one.
 */
export function mainView(
  resource: string,
  operations: readonly Operation[],
  id?: string,
): Operation | undefined {
  const rank = ({ hints }: Operation): number =>
    hints?.record === undefined ? -1 : SHOWN_BY.indexOf(hints.action)
  const named = operations.filter((one) => id === undefined || one.id === id)
  const own = operationsOn(resource, named)
  const shown = own.filter((one) => rank(one) >= 0)

  return (
    shown.sort((one, other) => rank(one) - rank(other))[0] ??
    (id === undefined ? undefined : own[0])
  )
}

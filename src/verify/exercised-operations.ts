import type { Contract, Operation } from '../contract/contract.ts'

/** How many operations of the document a run sent a valid request to. */
export interface ExercisedOperations {
  /** The number of operations in the document. */
  readonly total: number
  readonly exercised: number
  /** The other operations, in document order. */
  readonly others: readonly UnexercisedOperation[]
}

/** An operation that a run sent no valid request to. */
export interface UnexercisedOperation {
  /** The id of the operation. */
  readonly operation: string
  readonly reason: string
}

/** Counts the operations that a run exercised. `reasons` say why a probe of an operation was not sent. */
export function countExercised(
  { operations }: Contract,
  exercised: ReadonlySet<Operation>,
  reasons: ReadonlyMap<Operation, string>,
): ExercisedOperations {
  const others = operations
    .filter((operation) => !exercised.has(operation))
    .map((operation) => ({
      operation: operation.id,
      reason: reasons.get(operation) ?? 'not selected',
    }))
  return { total: operations.length, exercised: operations.length - others.length, others }
}

import type { Operation } from '../../contract/contract.ts'

/** Whether an operation is removed at this time, by the `sunset` of its deprecation. */
export function isRemoved({ deprecation }: Operation, time: number): boolean {
  return time >= (deprecation?.sunset ?? Number.POSITIVE_INFINITY)
}

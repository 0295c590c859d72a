import type { Schema } from '../../contract/contract.ts'
import type { OperationHints } from '../../contract/hints.ts'
import { milliseconds } from '../../time/duration.ts'
import { DUE, PENDING } from './hidden-properties.ts'
import { mergeValues } from './merge-values.ts'
import { refusedTransition } from './transition.ts'

type Values = Readonly<Record<string, unknown>>

/** A change of a record that is still to come. */
interface PendingChange {
  /** Epoch milliseconds. */
  readonly at: number
  readonly set: Values
  readonly from?: Values
}

/** The record after an operation at a time: with the values of `set`, and with the changes of `after` still to come. */
export function applyEffect(
  record: Values,
  { set = {}, after = [] }: Pick<OperationHints, 'set' | 'after'>,
  now: number,
  schema?: Schema,
): Values {
  const changed = mergeValues(record, set, now, schema)
  if (after.length === 0) return changed
  const added = after.map(({ delay, ...change }) => ({ ...change, at: now + milliseconds(delay) }))

  return withPending(changed, [...pendingOf(record), ...added])
}

/** The record as it is at a time, with the changes that have happened since; the same object when there are none. */
export function settle(record: Values, now: number, schema?: Schema): Values {
  if (!(Number(record[DUE]) <= now)) return record
  const pending = pendingOf(record)
  let settled = record
  for (const { at, set, from } of pending) {
    if (at <= now && !refusedTransition(settled, from))
      settled = mergeValues(settled, set, at, schema)
  }
  return withPending(
    settled,
    pending.filter(({ at }) => at > now),
  )
}

function withPending(record: Values, pending: readonly PendingChange[]): Values {
  const { [DUE]: _due, [PENDING]: _pending, ...values } = record
  // A stable sort: of two changes at one time, the one that was announced first happens first.
  const sorted = [...pending].sort((one, other) => one.at - other.at)
  const [next] = sorted

  return next ? { ...values, [DUE]: next.at, [PENDING]: sorted } : values
}

function pendingOf(record: Values): readonly PendingChange[] {
  const pending = record[PENDING]
  return Array.isArray(pending) ? pending : []
}

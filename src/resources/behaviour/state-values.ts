import { callersIn, countedWord, type HeldState, heldStateIn } from '../../contract/hints.ts'
import { typesIn } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { Awaitable } from '../../records/awaitable.ts'
import type { StoredRecord } from '../../records/record-table.ts'
import { once } from '../../validation/objects.ts'
import { momentFor } from '../effects.ts'
import type { Resource } from '../resource.ts'
import { type PropertyRule, rulesOf, valueAt, withValue } from '../views/service-values.ts'

/** A change of a record that may begin or end a state of it. */
interface StateChange {
  readonly resource: Resource
  /** The record before the change; absent for a new one. */
  readonly before?: StoredRecord
  readonly sent: StoredRecord
  /** The time in epoch milliseconds. */
  readonly now: number
  /** What properties of the record say of the caller. */
  readonly callerIn: (names: readonly string[]) => Promise<StoredRecord>
}

/**
 * The record with what its states say, such as `closed_at` and `closed_by`: set when the state begins, and taken back when it ends. What the
 * client sent stays.
 */
export function withStateValues(
  record: StoredRecord,
  change: StateChange,
): Awaitable<StoredRecord> {
  const { before, sent } = change
  const changed = stateRules(change.resource).filter(
    (rule) =>
      !isSaid(valueAt(sent, rule.place), before && valueAt(before, rule.place)) &&
      (begins(record, before, rule) || (before !== undefined && ends(record, before, rule))),
  )
  return changed.length === 0 ? record : withStates(record, changed, change)
}

/** Whether a client says what a state says, too. A value that the record had before the state began is of another time. */
function isSaid(sent: unknown, before: unknown): boolean {
  return (sent ?? undefined) !== undefined && sent !== before
}

type StateRule = PropertyRule & { readonly held: HeldState }

const stateRules = once((resource: Resource): readonly StateRule[] =>
  rulesOf(resource).flatMap((rule) => {
    const held = countedWord(rule.rule) === undefined ? heldStateIn(rule.rule) : undefined
    return held ? [{ ...rule, held }] : []
  }),
)

function begins(record: StoredRecord, before: StoredRecord | undefined, rule: StateRule): boolean {
  return isHeld(record, rule) && !(before !== undefined && isHeld(before, rule))
}

function ends(record: StoredRecord, before: StoredRecord, rule: StateRule): boolean {
  return stays(before, rule) && !stays(record, rule)
}

/** Whether a record is in a state, or in one after which what began in it stays. */
function stays(record: StoredRecord, { held, ...rule }: StateRule): boolean {
  const { property, kept = [] } = held
  return [held.value, ...kept].some((value) =>
    isHeld(record, { ...rule, held: { property, value } }),
  )
}

function isHeld(record: StoredRecord, { place, held }: StateRule): boolean {
  return isInState(valueAt(record, place.slice(0, -1)), held)
}

/** Whether a record, or an object in it, is in a state. */
export function isInState(record: unknown, { property, value }: HeldState): boolean {
  return String(valueAt(record, [property])) === String(value)
}

async function withStates(
  record: StoredRecord,
  rules: readonly StateRule[],
  { callerIn, now }: StateChange,
): Promise<StoredRecord> {
  const named = rules.flatMap((rule) =>
    rule.place.length === 1 && callersIn(rule.rule) !== undefined && isHeld(record, rule)
      ? rule.place
      : [],
  )
  const caller = named.length === 0 ? {} : await callerIn(named)
  let changed = record
  for (const { schema, place, isRequired, ...rule } of rules) {
    const begun =
      callersIn(rule.rule) === undefined ? momentFor(schema, now) : valueAt(caller, place)
    const ended = typesIn(schema).has('null') ? null : undefined
    const value = isHeld(record, { schema, place, isRequired, ...rule }) ? begun : ended
    const isAllowed = value === undefined ? !isRequired : matches(schema, value)
    if (isAllowed) changed = withValue(changed, place, value)
  }
  return changed
}

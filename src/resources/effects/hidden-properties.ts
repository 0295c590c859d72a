import type { StoredRecord } from '../../records/record-table.ts'

/** The property of a stored record with the time of its next change, in epoch milliseconds. No response has it. */
export const DUE = 'x-sandbox-due'

/** The property of a stored record with the changes that are still to come, by their time. No response has it. */
export const PENDING = 'x-sandbox-pending'

/**
 * The property of a stored record that somebody created or changed, where clients choose ids. Records without it are as the collection
 * started with them. No response has it.
 */
export const MADE = 'x-sandbox-made'

const HIDDEN = [DUE, PENDING, MADE]

/** What has hidden properties. */
interface Hiding {
  readonly hidden: ReadonlySet<string>
}

/** Whether the sandbox keeps something for itself in a property of the records of a resource. */
function isHiddenProperty(name: string, { hidden }: Hiding): boolean {
  return HIDDEN.includes(name) && hidden.has(name)
}

/** What the sandbox keeps for itself in a record. */
export function hiddenIn(record: StoredRecord, resource: Hiding): StoredRecord {
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => isHiddenProperty(name, resource)),
  )
}

/** The record without what the sandbox keeps in it for itself. */
export function withoutHidden(record: StoredRecord, resource: Hiding): StoredRecord {
  const isHidden = (name: string): boolean => isHiddenProperty(name, resource)
  if (!HIDDEN.some((name) => Object.hasOwn(record, name) && isHidden(name))) return record

  return Object.fromEntries(Object.entries(record).filter(([name]) => !isHidden(name)))
}

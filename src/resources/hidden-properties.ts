import type { StoredRecord } from '../records/record-table.ts'

/** The property of a stored record with the time of its next change, in epoch milliseconds. No response has it. */
export const DUE = 'x-sandbox-due'

/** The property of a stored record with the changes that are still to come, by their time. No response has it. */
export const PENDING = 'x-sandbox-pending'

/**
 * The property of a stored record that somebody created or changed, where clients choose ids. Records without it are as the collection
 * started with them. No response has it.
 */
export const MADE = 'x-sandbox-made'

/**
 * The property of a stored record that somebody added, where a list begins with those: the time in epoch milliseconds, as a negative
 * number. No response has it.
 */
export const ADDED = 'x-sandbox-added'

/**
 * The property of a stored record with its present name, where clients chose its id and changed it later. The record is still found by its
 * first name, by which it and what is below it are stored. Responses show it as the id.
 */
export const RENAMED = 'x-sandbox-renamed'

/**
 * The property of a stored record with `true` where a client has sent what the document does not allow, and it was served all the same.
 * Responses show that as it was sent.
 */
export const UNCHECKED = 'x-sandbox-unchecked'

/** The property of a stored record with the file that a client has uploaded. No response has it. */
export const CONTENT = 'x-sandbox-content'

/**
 * The property of a stored record with `true` where it is in the trash, and `USED` where something was added below it since. No response has
 * it.
 */
export const TRASHED = 'x-sandbox-trashed'
export const USED = 'used'

/** The property of a stored record with the key of the request that created it, where the request had one. No response has it. */
export const REQUEST_KEY = 'x-sandbox-request-key'

/** The property of a stored record with the callers who have put a mark such as `starred` on it. No response has it. */
export function markName(mark: string): string {
  return `${START}mark:${mark}`
}

/** Whether the sandbox has a record of a resource in the trash. */
export function isTrashed(record: StoredRecord, { hidden }: Hiding): boolean {
  return hidden.has(TRASHED) && record[TRASHED] !== undefined
}

/** The start of the names of hidden properties. */
const START = 'x-sandbox-'

/** The property of a stored record with the value of a parameter of another path to it, which no property shows. No response has it. */
export function keptName(path: string, parameter: string): string {
  const [before = ''] = path.split(`{${parameter}}`)
  return `${START}in:${before}`
}

/**
 * The property of a stored record with `true` where a client said itself what an object shows, so that it does not follow the record which it
 * names. No response has it.
 */
export function givenName(reference: string): string {
  return `${START}given:${reference}`
}

/** The values of a record that responses show as they are, whatever the document allows, where the sandbox can note it. */
export function asUnchecked(values: StoredRecord, { hidden }: Hiding): StoredRecord {
  return hidden.has(UNCHECKED) ? { ...values, [UNCHECKED]: true } : values
}

/** What has hidden properties. */
interface Hiding {
  readonly hidden: ReadonlySet<string>
}

/** Whether the sandbox keeps something for itself in a property of the records of a resource. */
function isHiddenProperty(name: string, { hidden }: Hiding): boolean {
  return name.startsWith(START) && hidden.has(name)
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
  if (!Object.keys(record).some(isHidden)) return record

  return Object.fromEntries(Object.entries(record).filter(([name]) => !isHidden(name)))
}

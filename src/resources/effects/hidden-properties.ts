/** The property of a stored record with the time of its next change, in epoch milliseconds. No response has it. */
export const DUE = 'x-sandbox-due'

/** The property of a stored record with the changes that are still to come, by their time. No response has it. */
export const PENDING = 'x-sandbox-pending'
